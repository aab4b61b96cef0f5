"""Training on what requests came to: in the background, one at a time, for a share of the time."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

from hammerstone.library.search.use.experience import Experience

REST = 20  # times as long as training took, before the next

Train = Callable[[Experience], Awaitable[None]]


class ExperienceTraining:
    """Trains an experience when it has something new; searches use what was learned before.

    Many requests in a row are learned from together.
    """

    def __init__(self, train: Train) -> None:
        self._train = train
        self._task: asyncio.Task[None] | None = None
        self._not_before = 0.0

    def start(self, experience: Experience, *, at_once: bool = False) -> None:
        due = at_once or time.monotonic() >= self._not_before
        if due and experience.dirty and not self._is_going_on:
            self._task = asyncio.create_task(self._go_through(experience))

    async def settle(self, experience: Experience) -> None:
        """Wait until everything that this one learned has taken effect."""
        while experience.dirty or self._is_going_on:
            self.start(experience, at_once=True)
            if self._task is not None:
                await self._task

    async def close(self) -> None:
        """Wait for what is going on."""
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def _is_going_on(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _go_through(self, experience: Experience) -> None:
        began = time.monotonic()
        await self._train(experience)
        ended = time.monotonic()
        self._not_before = ended + REST * (ended - began)
