"""The door that every request passes: a turn at once, a turn after a while, kept in the database
while somebody waits for it, or a time to return."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.queue.run_queue import RunQueue, bounded, overloaded
from hammerstone.core.answers import OnAccepted
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError, StorageError, TakenOver
from hammerstone.core.fair_turns import FairTurns
from hammerstone.core.jobs import Job
from hammerstone.library.policies import Policies
from hammerstone.run.durable.holding import RunHolds
from hammerstone.run.request import Request

_RECENT = 256  # ends of requests from which the rate is worked out
_RECENT_S = 60.0
_UNKNOWN_S = 5.0  # the time to return while nothing has ended lately


class RequestTurns:
    """The requests that this process answers now, and those that wait; persons take turns."""

    def __init__(self, policies: Policies, clock: Clock) -> None:
        self._policies = policies
        self._clock = clock
        self._ends: deque[float] = deque(maxlen=_RECENT)
        policy = self._policy
        self._limits = (policy.at_once, policy.at_once_per_person)
        self._turns = FairTurns(*self._limits)

    @property
    def counts(self) -> tuple[int, int]:
        """How many requests are answered and how many wait, in this process."""
        return self._turns.taken, self._turns.waiting

    def has_to_wait(self, user: str) -> bool:
        """Whether a person's turn would not come at once. Raises `Overloaded` where too many wait
        already."""
        policy = self._resized()
        waiting, own = self._turns.waiting, self._turns.waiting_of(user)
        if waiting >= policy.waiting:
            raise overloaded(f"{waiting} requests wait already", self.wait_s(waiting))
        if own >= policy.waiting_per_person:
            raise overloaded(f"{own} of your requests wait already", self.wait_s(own))
        return not self._turns.free_for(user)

    @asynccontextmanager
    async def turn(self, user: str) -> AsyncGenerator[None]:
        """The block is a person's turn. Raises `Overloaded` where too many wait already, or where
        the turn did not come in time; never waits for longer than the policy says."""
        self.has_to_wait(user)
        policy = self._policy
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(policy.longest_wait_s):
                    await stack.enter_async_context(self._turns.turn(user))
            except TimeoutError:
                text = f"your turn did not come within {policy.longest_wait_s:g} s"
                raise overloaded(text, self.wait_s(self._turns.waiting)) from None
            stack.callback(self._ended)
            yield

    def wait_s(self, ahead: int) -> float:
        """After how long so many requests will have been answered, as fast as lately."""
        now = self._clock.elapsed_s()
        recent = [at for at in self._ends if now - at <= _RECENT_S]
        if not recent:
            return _UNKNOWN_S
        rate = len(recent) / max(now - recent[0], 0.1)
        return bounded((ahead + 1) / rate)

    def _ended(self) -> None:
        self._ends.append(self._clock.elapsed_s())

    def _resized(self) -> QueuePolicy:
        policy = self._policy
        limits = (policy.at_once, policy.at_once_per_person)
        if limits != self._limits:
            self._limits = limits
            self._turns.resize(*limits)
        return policy

    @property
    def _policy(self) -> QueuePolicy:
        return self._policies.get(QueuePolicy)


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
