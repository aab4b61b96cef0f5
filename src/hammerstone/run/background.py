"""Work that nobody waits for: it is finished before the engine closes, and never piles up."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from hammerstone.core.pending import Pending
from hammerstone.tracing.warn import warn

_MOST_WAITING = 64


class Background:
    def __init__(self) -> None:
        self._pending = Pending()
        self._room = asyncio.Semaphore(_MOST_WAITING)  # those who wait for room take turns

    @property
    def idle(self) -> bool:
        return not len(self._pending)

    async def add(self, work: Coroutine[Any, Any, None], about: str) -> None:
        """Do it soon; waits only while too much is waiting already."""
        try:
            await self._room.acquire()
        except asyncio.CancelledError:
            work.close()
            raise
        task = self._pending.start(work)
        task.add_done_callback(lambda done: self._ended(done, about))

    async def settle(self) -> None:
        """Wait until what was added by now is done."""
        await self._pending.settle()

    def _ended(self, task: "asyncio.Task[None]", about: str) -> None:
        self._room.release()
        _tell(task, about)


def _tell(task: "asyncio.Task[None]", about: str) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        warn(f"{about} failed", error=str(error))
