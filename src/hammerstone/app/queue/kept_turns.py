"""A request's turn in this process, kept in the database while it waits for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from hammerstone.app.queue.request_turns import RequestTurns
from hammerstone.app.queue.run_queue import RunQueue
from hammerstone.core.answers import OnAccepted
from hammerstone.core.errors import HammerstoneError, StorageError, TakenOver
from hammerstone.core.jobs import Job
from hammerstone.run.durable.holding import RunHolds
from hammerstone.run.request import Request


class KeptTurns:
    """The turns of requests that have to wait; stored where somebody is told that they were taken.

    Whoever waits for the answer itself sees that the line breaks, and nothing was begun; storing
    would only make an overloaded process slower.
    """

    def __init__(self, turns: RequestTurns, queue: RunQueue, holds: RunHolds) -> None:
        self._turns = turns
        self._queue = queue
        self._holds = holds

    @asynccontextmanager
    async def turn(
        self, request: Request, on_accepted: OnAccepted | None = None
    ) -> AsyncGenerator[Job | None]:
        """The block is the turn of a request that has to wait; its job, if it was stored meanwhile.

        Raises `Overloaded` as `RequestTurns.turn` does, and `TakenOver` for a request that another
        process has answered because this one hung.
        """
        job = None
        if on_accepted is not None:
            job = await self._queue.keep(request)
            on_accepted()  # also for a request that is too private to be stored
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._turns.turn(request.user))
            except asyncio.CancelledError:
                with suppress(HammerstoneError):
                    await asyncio.shield(self._given_up(request, job))
                raise
            except HammerstoneError as error:
                if job is not None:
                    await self._queue.end(self._holds.let_go(job), "failed", error.message)
                raise
            if job is not None and self._holds.let_go(job) is None:
                raise TakenOver("another process answers this run", hint="it goes on there")
            try:
                yield job
            except HammerstoneError as error:
                if not isinstance(error, StorageError | TakenOver) and job is not None:
                    await self._queue.end(job, "failed", error.message)  # unless it has ended
                raise

    async def _given_up(self, request: Request, job: Job | None) -> None:
        """A person has stopped a request that waits; or this process ends, and the next one
        answers it."""
        if not self._holds.leaving:
            if job is not None:
                await self._queue.end(self._holds.let_go(job), "cancelled", "stopped")
        elif job is not None:
            await self._queue.give_back(self._holds.let_go(job))
        else:
            await self._queue.leave(request)
