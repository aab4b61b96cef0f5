"""What is known about one run before anybody judges it, gathered from its record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class RunErrorKind(StrEnum):
    """Where in the product a run went wrong."""

    MODEL = "model"  # it was down, refused, or too slow
    REPLY = "reply"  # a reply that cannot be read: no program, no JSON, no answer line
    TOOL = "tool"  # a call of a tool failed
    PROGRAM = "program"  # a program written for the request failed
    SERVICE = "service"  # something outside was needed, and was not there
    LIMIT = "limit"  # a budget, a number of steps, a time
    LOOP = "loop"  # the same step again and again
    FLOW = "flow"  # a value got lost between two steps
    SANDBOX = "sandbox"  # the sandbox itself was lost
    INSIDE = "inside"  # an error of the product's own code


@dataclass(frozen=True, slots=True)
class RunError:
    kind: RunErrorKind
    text: str = ""


@dataclass(frozen=True, slots=True)
class CallFact:
    """One call of a tool. `call` is the same for the same arguments."""

    tool: str
    ok: bool
    failure: str = ""
    error: str = ""
    version_id: str = ""
    call: str = ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run. What nobody knows is None or empty; nothing here is a judgement.

    `known` is the grade of a suite's deterministic grader, from 0 to 1, and `wanted` what it
    wanted. `said_for` and `said_against` are the reliabilities of the strongest feedback on each
    side. `confidence` is the calibrated chance that came with the answer. `programs` are the
    sources of solutions that were written for it, the winning one first; `programs_again` says
    whether any of them, run again, gives the answer. `unsupported`: documents were searched, and
    none holds the answer. `round` counts how often the prompts behind it were changed.
    """

    run_id: str
    request: str
    status: str = "done"
    given: str = ""
    wanted: str = ""
    known: float | None = None
    said_for: float = 0.0
    said_against: float = 0.0
    confidence: float | None = None
    agree: int = 0
    solutions: int = 0
    confirmed: int = 0
    contradicted: int = 0
    programs: tuple[str, ...] = ()
    programs_again: bool | None = None
    calls: tuple[CallFact, ...] = ()
    errors: tuple[RunError, ...] = ()
    assumed: tuple[str, ...] = ()
    unsupported: bool = False
    domain: str = ""
    tool: str = ""
    skill: str = ""
    strategy: str = ""
    round: int = 0
    right_tool: bool | None = None
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    models: tuple[str, ...] = ()
    trace_id: str = ""
    session_id: str = ""
    case: str = ""

    @property
    def answered(self) -> bool:
        return self.status == "done" and bool(self.given)

    @property
    def asked_back(self) -> bool:
        """It asked the person something: neither right nor wrong."""
        return self.status == "question"
