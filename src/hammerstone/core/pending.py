"""Tasks that go on by themselves, and waiting for them without waiting for ever."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Pending:
    """Tasks that nobody holds on to; each leaves when it is done."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def settle(self) -> None:
        """Wait for what has begun by now.

        Not for what begins meanwhile: with others always adding, that would never end. Whoever
        is cancelled while waiting breaks nothing off.
        """
        if self._tasks:
            await asyncio.wait(list(self._tasks))
