"""How much a request or a build may still spend, and how often a session may repeat itself: asked
before every call."""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BudgetExceeded, Refused
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Allowance

_TIGHT_SHARE = 0.25
_REMEMBERED = 1_000  # calls of a session; a loop longer than this is not one


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


class LoopDetector:
    """Says no to the call that has been made before and led nowhere, across a whole session.

    Progress is a result that this call has not given before. A call is refused once it gave
    the same result `repeats` times in a row, and any call is refused after `stalled` calls in
    a row, of whatever tools, none of which gave anything new.
    """

    def __init__(self, repeats: int = 3, stalled: int = 8) -> None:
        self._repeats = repeats
        self._stalled_after = stalled
        self._stalled = 0
        self._results: OrderedDict[str, tuple[str, int]] = OrderedDict()

    def check(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Raise `Refused` if making this call again is pointless; ask before each call."""
        times = self._results.get(_fingerprint([tool, dict(arguments)]), ("", 0))[1]
        if times >= self._repeats:
            raise Refused(
                f"{tool} was called {times} times with the same arguments and gave the same result",
                hint="change the arguments, use another tool, or ask the person",
                rule="loop",
                tool=tool,
                times=times,
            )
        if self._stalled >= self._stalled_after:
            raise Refused(
                f"the last {self._stalled} calls gave nothing new",
                hint="stop and answer with what is known, or ask the person",
                rule="stalled",
                tool=tool,
                times=self._stalled,
            )

    def record(self, tool: str, arguments: Mapping[str, Json], result: Json) -> None:
        """Remember what a call gave: its value or its error. Replaying a log rebuilds the state."""
        call, given = _fingerprint([tool, dict(arguments)]), _fingerprint(result)
        before, times = self._results.pop(call, ("", 0))
        self._results[call] = (given, times + 1 if before == given else 1)
        self._stalled = self._stalled + 1 if before == given else 0
        while len(self._results) > _REMEMBERED:
            self._results.popitem(last=False)

    def new_request(self) -> None:
        """A person spoke: asking for the same again is their right, so counting starts anew."""
        self._stalled = 0
        self._results.clear()


def _fingerprint(value: Json) -> str:
    """The same for equal values, whatever the order of their keys; 1.0 equals 1."""
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
