"""Requests that are answered now: each passes the door (a turn at once, a turn after a while, or a
time to return), and proofs wait for them, not they for proofs."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.clock import Clock
from hammerstone.core.errors import Overloaded
from hammerstone.core.seams import Model
from hammerstone.library.policies import Policies
from hammerstone.models.local.neighbours import Neighbours
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.sandbox.sandbox import FairTurns

_RECENT = 256  # ends of requests from which the rate is worked out
_RECENT_S = 60.0
_UNKNOWN_S = 5.0  # the time to return while nothing has ended lately
_LEAST_S, _MOST_S = 1.0, 600.0
GRACE_S = 0.3  # a request that is answered within it disturbs nobody
_TOLD_AFTER_S = 0.05  # other processes hear of a request: most are answered by then
_LOOK_S = 0.25  # how soon it is noticed that another process begins or ends


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


def bounded(seconds: float) -> float:
    """A time to return that neither invites at once nor sends away for good."""
    return float(math.ceil(min(max(seconds, _LEAST_S), _MOST_S)))


def overloaded(text: str, wait_s: float) -> Overloaded:
    return Overloaded(
        f"there is too much to do now: {text}",
        hint=f"try again in {wait_s:.0f} s; hammerstone policies show queue says the limits",
        retry_after_s=wait_s,
    )


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
