"""Work that nobody waits for: it is finished before the engine closes, and never piles up."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from hammerstone.tracing.warn import warn

_MOST_WAITING = 64


class Background:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def idle(self) -> bool:
        return not self._tasks

    async def add(self, work: Coroutine[Any, Any, None], about: str) -> None:
        """Do it soon; waits only when too much is waiting already."""
        if len(self._tasks) >= _MOST_WAITING:
            await self.settle()
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finished(done, about))

    async def settle(self) -> None:
        """Wait until all of it is done."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _finished(self, task: "asyncio.Task[None]", about: str) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            warn(f"{about} failed", error=str(error))
