"""What is known to be wrong with a program, and what must stay as it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.calls import Call, Outcome
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.cases import meets
from hammerstone.judging.rendering import call_source, show

MAX_TOLD_PASSES = 3
_LONGEST_PASS = 300  # characters of a call that went well and is worth reading


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that went well once, and what it gave then."""

    call: Call
    value: Json


@dataclass(frozen=True, slots=True)
class FailingCall:
    """A call that a program gets wrong: what is right, and what it does instead, in words."""

    case: Case
    instead: str = ""

    def told(self, function: str) -> str:
        """What is wrong in one sentence, for a code author."""
        source = call_source(self.case.call, function) or function
        but = f" but {self.instead}" if self.instead else ""
        return f"{_expected(self.case, source)}{but}."


@dataclass(frozen=True, slots=True)
class Complaint:
    """A program, the calls it gets wrong, and everything a fix has to respect.

    `others` are further calls that it gets wrong, beside the failing one. `truth` holds cases
    with positive evidence: the failing one, frozen cases the program passes, what people
    confirmed. `replays` are other earlier successes: a fix must not fail there, and values it
    changes are listed.
    """

    function: str
    code: str
    description: str  # head and docstring, for who writes it anew without seeing the code
    failing: Case
    error: str = ""  # what the program did instead, in words
    truth: tuple[Case, ...] = ()
    replays: tuple[PastCall, ...] = ()
    others: tuple[FailingCall, ...] = ()

    @property
    def failures(self) -> tuple[FailingCall, ...]:
        """Every call that is known to go wrong, the failing one first."""
        return (FailingCall(self.failing, self.error), *self.others)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The failing case first, then the other failures and the rest, each call once."""
        failing = {_key(one.case): one.case for one in reversed(self.failures)}
        unique = {_key(case): case for case in reversed(self.truth) if _key(case) not in failing}
        return (*reversed(failing.values()), *reversed(unique.values()))

    def told(self) -> str:
        """The complaint in a sentence for each failing call, for a code author."""
        return "\n".join(one.told(self.function) for one in self.failures)

    def expected(self) -> str:
        """What the failing calls must give, without a word about what they give now."""
        return " ".join(replace(one, instead="").told(self.function) for one in self.failures)

    def told_passes(self, passed: Sequence[Case], limit: int = MAX_TOLD_PASSES) -> str:
        """Calls that the program gets right, the shortest ones, in a line; empty for none."""
        failing = {_key(one.case) for one in self.failures}
        told: list[str] = []
        for case in passed:
            source = call_source(case.call, self.function)
            if source and case.kind is CaseKind.VALUE and _key(case) not in failing:
                told.append(f"`{source}` returns `{show(case.expected)}`")
        short = [text for text in sorted(told, key=len) if len(text) <= _LONGEST_PASS]
        return f"{'; '.join(short[:limit])}." if short else ""


def _expected(case: Case, source: str) -> str:
    if case.kind is CaseKind.VALUE:
        return f"`{source}` must return `{show(case.expected)}`"
    if case.kind is CaseKind.RAISES:
        return f"`{source}` must raise {case.expected or 'an error'}"
    return f"`{source}` must work"


def _key(case: Case) -> str:
    return case.call.source or repr(case.call)


def passed_cases(cases: Sequence[Case], outcomes: Sequence[Outcome]) -> list[Case]:
    """The cases with a value that the faulty program passes, each with the value it gave."""
    return [
        replace(case, expected=outcome.value)
        for case, outcome in zip(cases, outcomes, strict=True)
        if case.kind is CaseKind.VALUE and meets(case, outcome)
    ]


def with_sources(cases: Sequence[Case], function: str) -> list[Case]:
    """The cases whose call can be written as an expression, with that expression."""
    found: list[Case] = []
    for case in cases:
        source = call_source(case.call, function)
        if source is not None:
            call = Call(source=source)
            found.append(Case(case.kind, call, case.expected, case.check, case.origin))
    return found
