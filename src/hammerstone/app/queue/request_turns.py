"""The door that every request passes: a turn at once, a turn after a while, or a time to return."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.core.clock import Clock
from hammerstone.core.errors import Overloaded
from hammerstone.core.fair_turns import FairTurns
from hammerstone.library.policies import Policies

_RECENT = 256  # ends of requests from which the rate is worked out
_RECENT_S = 60.0
_UNKNOWN_S = 5.0  # the time to return while nothing has ended lately
_LEAST_S, _MOST_S = 1.0, 600.0


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
