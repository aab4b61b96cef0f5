"""What one attempt to get better may spend: tokens, seconds and money, asked before every call."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BudgetExceeded
from hammerstone.guard.budget import Budget

_DEARER = 1.25  # a case with a change, as a share of one without: its prompt may be longer


@dataclass(frozen=True, slots=True)
class TrackBudget:
    """The most that an attempt may spend; None is no limit."""

    tokens: int | None = None
    seconds: float | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class TrackCost:
    """What an attempt has spent. `cases` counts the cases that were run for it."""

    tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0
    model_calls: int = 0
    cases: int = 0

    def __sub__(self, before: "TrackCost") -> "TrackCost":
        """What was spent since."""
        return TrackCost(
            self.tokens - before.tokens,
            self.seconds - before.seconds,
            self.usd - before.usd,
            self.model_calls - before.model_calls,
            self.cases - before.cases,
        )


class TrackPurse:
    """An allowance (`core/seams.py`) that also knows when the time is up.

    Whoever asks a model for an attempt hands it on (`models.for_role(role, allowance=purse)`);
    running the suite's cases spends from the same purse.
    """

    def __init__(self, allowed: TrackBudget, now: Callable[[], float] = time.monotonic) -> None:
        self.allowed = allowed
        self._now = now
        self._began = now()
        self._cases = 0
        self._budget = Budget(
            tokens=allowed.tokens, model_calls=None, steps=None, usd=allowed.usd, name="evolution"
        )

    def check(self, tokens: int = 0) -> None:
        """Raise `BudgetExceeded` when nothing more may be spent."""
        self._check_time()
        self._budget.check(tokens)

    @contextmanager
    def reserve(self, tokens: int = 0, calls: int = 1) -> Generator[None]:
        self._check_time()
        with self._budget.reserve(tokens, calls):
            yield

    def spend(self, usage: Usage) -> None:
        self._budget.spend(usage)

    @asynccontextmanager
    async def within(self) -> AsyncGenerator[None]:
        """What is done in it is broken off when the time is up: `BudgetExceeded`."""
        try:
            async with asyncio.timeout(self.seconds_left):
                yield
        except TimeoutError:
            left = self.seconds_left
            if left is None or left > 0.1:
                raise  # somebody else's limit
            raise self._time_is_up() from None

    def count_case(self) -> None:
        self._cases += 1

    @property
    def used_up(self) -> bool:
        try:
            self.check()
        except BudgetExceeded:
            return True
        return False

    @property
    def seconds_left(self) -> float | None:
        if self.allowed.seconds is None:
            return None
        return max(0.0, self.allowed.seconds - (self._now() - self._began))

    @property
    def left(self) -> TrackBudget:
        """What may still be spent; never below nothing."""
        spent, allowed = self._budget.spent, self.allowed
        tokens = None if allowed.tokens is None else max(0, allowed.tokens - spent.tokens)
        usd = None if allowed.usd is None else max(0.0, allowed.usd - spent.usd)
        return TrackBudget(tokens, self.seconds_left, usd)

    def cases_left(self) -> float:
        """For how many more cases what is left reaches, at what a case has cost so far; a case
        with a change may cost a quarter more. Without a limit, or a case, any number."""
        left, cost = self.left, self.cost
        known = ((left.tokens, cost.tokens), (left.seconds, cost.seconds), (left.usd, cost.usd))
        reach = [
            still * cost.cases / (_DEARER * spent)
            for still, spent in known
            if still is not None and spent and cost.cases
        ]
        return min(reach, default=math.inf)

    def seconds_for(self, cases: int) -> float:
        """How long so many more cases take, with a change."""
        cost = self.cost
        return _DEARER * cases * cost.seconds / cost.cases if cost.cases else 0.0

    @property
    def cost(self) -> TrackCost:
        """What was spent so far."""
        spent = self._budget.spent
        seconds = self._now() - self._began
        return TrackCost(spent.tokens, seconds, spent.usd, spent.calls, self._cases)

    def _check_time(self) -> None:
        left = self.seconds_left
        if left is not None and left <= 0:
            raise self._time_is_up()

    def _time_is_up(self) -> BudgetExceeded:
        limit = self.allowed.seconds or 0.0
        return BudgetExceeded(
            f"the limit of {limit:g} seconds for one evolution is reached",
            hint="give it more with --seconds",
            budget="evolution",
            what="seconds",
            used=self._now() - self._began,
            limit=limit,
        )
