"""Requests that are being answered now: proofs wait for them, not they for proofs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper

GRACE_S = 0.3  # a request that is answered within it disturbs nobody


class Traffic:
    """The number of requests that this process is answering."""

    def __init__(self) -> None:
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._arrived = asyncio.Event()

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request is being answered in the block."""
        self._busy += 1
        self._idle.clear()
        self._arrived.set()
        try:
            yield
        finally:
            self._busy -= 1
            if not self._busy:
                self._arrived.clear()
                self._idle.set()

    async def quiet(self) -> None:
        """Wait until no request is being answered."""
        await self._idle.wait()

    async def disturbed(self) -> None:
        """Wait until a request has been going on for longer than a quick one takes."""
        while True:
            await self._arrived.wait()
            await asyncio.sleep(GRACE_S)
            if self._busy:
                return


class YieldingModel(Wrapper):
    """A model that writes only while nobody waits for an answer.

    What it writes when a request comes is broken off, and written again afterwards: on a small
    machine two texts at once take each other's time.
    """

    def __init__(self, inner: Model, traffic: Traffic) -> None:
        super().__init__(inner)
        self._traffic = traffic

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        while True:
            await self._traffic.quiet()
            writing = asyncio.ensure_future(self._inner.complete(prompt, on_token=on_token))
            disturbed = asyncio.ensure_future(self._traffic.disturbed())
            try:
                await asyncio.wait({writing, disturbed}, return_when=asyncio.FIRST_COMPLETED)
                if writing.done():
                    return writing.result()
            finally:
                for task in (writing, disturbed):
                    task.cancel()
                await asyncio.gather(writing, disturbed, return_exceptions=True)
