"""What is known to be wrong with a program, and what must stay as it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.rendering import call_source, show


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that went well once, and what it gave then."""

    call: Call
    value: Json


@dataclass(frozen=True, slots=True)
class Complaint:
    """A program, the call it gets wrong, and everything a fix has to respect.

    `truth` holds cases with positive evidence: the failing one, frozen cases the program
    passes, what people confirmed. `replays` are other earlier successes: a fix must not fail
    there, and values it changes are listed.
    """

    function: str
    code: str
    description: str  # head and docstring, for who writes it anew without seeing the code
    failing: Case
    error: str = ""  # what the program did instead, in words
    truth: tuple[Case, ...] = ()
    replays: tuple[PastCall, ...] = ()

    @property
    def cases(self) -> tuple[Case, ...]:
        """The failing case first, then the rest, each call once."""
        unique = {(case.call.source or repr(case.call)): case for case in reversed(self.truth)}
        first = self.failing.call.source or repr(self.failing.call)
        unique.pop(first, None)
        return (self.failing, *reversed(unique.values()))

    def told(self) -> str:
        """The complaint in one sentence, for a code author."""
        source = call_source(self.failing.call, self.function) or self.function
        instead = f" but {self.error}" if self.error else ""
        if self.failing.kind is CaseKind.VALUE:
            return f"`{source}` must return `{show(self.failing.expected)}`{instead}."
        if self.failing.kind is CaseKind.RAISES:
            return f"`{source}` must raise {self.failing.expected or 'an error'}{instead}."
        return f"`{source}` must work{instead}."


def with_sources(cases: Sequence[Case], function: str) -> list[Case]:
    """The cases whose call can be written as an expression, with that expression."""
    found: list[Case] = []
    for case in cases:
        source = call_source(case.call, function)
        if source is not None:
            call = Call(source=source)
            found.append(Case(case.kind, call, case.expected, case.check, case.origin))
    return found
