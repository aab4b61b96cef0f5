"""How much a request or a build may still spend, asked before every call."""

import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.seams import Allowance

_TIGHT_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The most that may be spent; None is no limit."""

    tokens: int | None = None
    model_calls: int | None = None
    steps: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class JointAllowance:
    """Several limits at once: each has to have room, and each learns what was spent."""

    allowances: tuple[Allowance, ...]

    @contextmanager
    def reserve(self, tokens: int = 0, calls: int = 1) -> Generator[None]:
        with ExitStack() as held:
            for one in self.allowances:
                held.enter_context(one.reserve(tokens, calls))
            yield

    def spend(self, usage: Usage) -> None:
        for one in self.allowances:
            one.spend(usage)


class Budget:
    """What is allowed and what was spent, as one object that is handed down.

    `check` before a call raises `BudgetExceeded` if it would go beyond; `spend` after it says
    what it really cost. Calls that run at the same time use `reserve`, so that together they
    cannot pass what each alone would. A child has limits of its own: what it spends shows in
    its parent's `spent` but does not count against the parent's limits.
    """

    def __init__(
        self,
        *,
        tokens: int | None = 10_000,
        model_calls: int | None = 20,
        steps: int | None = 10,
        usd: float | None = 0.50,
        name: str = "request",
    ) -> None:
        self.allowed = BudgetLimits(tokens, model_calls, steps, usd)
        self.name = name
        self.steps = 0
        self._parent: Budget | None = None
        self._own = Usage()
        self._total = Usage()
        self._held_tokens = 0
        self._held_calls = 0
        self._lock = threading.Lock()

    def child(
        self,
        *,
        tokens: int | None = None,
        model_calls: int | None = None,
        steps: int | None = None,
        usd: float | None = None,
        name: str = "building",
    ) -> "Budget":
        """A budget with its own limits whose spending is also seen here."""
        child = Budget(tokens=tokens, model_calls=model_calls, steps=steps, usd=usd, name=name)
        child._parent = self
        return child

    @property
    def spent(self) -> Usage:
        """Everything spent under this budget, children included."""
        return self._total

    @property
    def tight(self) -> bool:
        """Whether less than a quarter of any limit is left: time to verify, not to explore."""
        return any(
            limit is not None and used > limit * (1 - _TIGHT_SHARE)
            for used, limit in self._used_and_allowed()
        )

    def check(self, tokens: int = 0, calls: int = 1) -> None:
        """Raise `BudgetExceeded` if `calls` more calls of `tokens` together would be too much.

        A budget that is used up refuses any further call, however small.
        """
        with self._lock:
            self._check(tokens, calls)

    def spend(self, usage: Usage) -> None:
        """Add what a call cost. Never raises: the money is gone already."""
        with self._lock:
            self._own += usage
        budget: Budget | None = self
        while budget is not None:
            with budget._lock:
                budget._total += usage
            budget = budget._parent

    @contextmanager
    def reserve(self, tokens: int = 0, calls: int = 1) -> Generator[None]:
        """Hold room for a call while it runs; `spend` inside the block says what it cost."""
        with self._lock:
            self._check(tokens, calls)
            self._held_tokens += tokens
            self._held_calls += calls
        try:
            yield
        finally:
            with self._lock:
                self._held_tokens -= tokens
                self._held_calls -= calls

    def step(self) -> None:
        """Count one step (or attempt); raises before the one that would be too many."""
        with self._lock:
            if self.allowed.steps is not None and self.steps >= self.allowed.steps:
                self._refuse("steps", self.steps, self.allowed.steps)
            self.steps += 1

    def _check(self, tokens: int, calls: int) -> None:
        allowed, own = self.allowed, self._own
        used_calls = own.calls + self._held_calls
        used_tokens = own.tokens + self._held_tokens
        if allowed.model_calls is not None and used_calls + calls > allowed.model_calls:
            self._refuse("model calls", used_calls, allowed.model_calls)
        if allowed.tokens is not None and used_tokens + max(tokens, 1) > allowed.tokens:
            self._refuse("tokens", used_tokens, allowed.tokens)
        if allowed.usd is not None and own.usd > 0 and own.usd >= allowed.usd:
            self._refuse("USD", own.usd, allowed.usd)

    def _refuse(self, what: str, used: float, limit: float) -> None:
        spent = self._total
        raise BudgetExceeded(
            f"the limit of {limit:g} {what} for one {self.name} does not allow another step "
            f"({used:g} used)",
            hint="ask for less at once, or raise the limit (hammerstone policies show budget)",
            budget=self.name,
            what=what,
            used=used,
            limit=limit,
            spent={
                "tokens": spent.tokens,
                "model_calls": spent.calls,
                "usd": spent.usd,
                "seconds": spent.seconds,
                "steps": self.steps,
            },
        )

    def _used_and_allowed(self) -> tuple[tuple[float, float | None], ...]:
        return (
            (self._own.tokens, self.allowed.tokens),
            (self._own.calls, self.allowed.model_calls),
            (self.steps, self.allowed.steps),
            (self._own.usd, self.allowed.usd),
        )
