"""Requests that are being answered now: proofs wait for them, not they for proofs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.seams import Model
from hammerstone.models.local.rendezvous import Neighbours
from hammerstone.models.wrappers.wrapper import Wrapper

GRACE_S = 0.3  # a request that is answered within it disturbs nobody
_TOLD_AFTER_S = 0.05  # other processes hear of a request: most are answered by then
_LOOK_S = 0.25  # how soon it is noticed that another process begins or ends


class Traffic:
    """The requests that are being answered: by this process, and by others on this machine where
    all share one embedded model."""

    def __init__(self, neighbours: Neighbours | None = None) -> None:
        self._neighbours = neighbours
        self._telling: asyncio.TimerHandle | None = None
        self._told = False
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._arrived = asyncio.Event()

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request is being answered in the block."""
        if not self._busy and self._neighbours is not None:
            loop = asyncio.get_running_loop()
            self._telling = loop.call_later(_TOLD_AFTER_S, self._tell, self._neighbours)
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
                if self._telling is not None:
                    self._telling.cancel()
                if self._told and self._neighbours is not None:
                    self._told = False
                    self._neighbours.let_go()

    def _tell(self, neighbours: Neighbours) -> None:
        self._told = True
        neighbours.hold()

    async def quiet(self) -> None:
        """Wait until no request is being answered."""
        await self._idle.wait()
        while self._elsewhere():
            await asyncio.sleep(_LOOK_S)
            await self._idle.wait()

    async def disturbed(self) -> None:
        """Wait until a request has been going on for longer than a quick one takes."""
        while True:
            await self._come()
            await asyncio.sleep(GRACE_S)
            if self._busy or self._elsewhere():
                return

    async def _come(self) -> None:
        if self._neighbours is None:
            await self._arrived.wait()
        while not (self._busy or self._elsewhere()):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), _LOOK_S)

    def _elsewhere(self) -> bool:
        return not self._busy and self._neighbours is not None and self._neighbours.busy()


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
