"""What one step of a plan came to: a call, solutions, or a skill's work."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.core.answers import ArgumentOrigin
from hammerstone.core.approvals import Question
from hammerstone.core.calls import Artifact, Failure
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Tool
from hammerstone.run.solve.votes import Tally
from hammerstone.storage import SessionValue


@dataclass(frozen=True, slots=True)
class CallExecution:
    """A call's value in wire form, or why there is none. `number` is its place in the run."""

    value: Json
    failure: Failure | None = None
    error: str = ""
    cached: bool = False
    number: int = 0
    error_type: str = ""
    artifacts: tuple[Artifact, ...] = ()
    backend: str = ""


@dataclass(frozen=True, slots=True)
class SolveOutcome:
    """The result of solving: a value with how sure it is, or why there is none.

    `kind` other than calculation means that nothing is to be computed. `solutions` are all that
    were written, those without a value too.
    """

    kind: RequestKind = RequestKind.CALCULATION
    tally: Tally | None = None  # None: no solution gave a value
    winner: Solution | None = None  # the solution behind the leading value
    confidence: float = 0.0
    why: str = ""
    solutions: tuple[Solution, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    error: str = ""
    settled: tuple[str, ...] = ()  # examples that the person chose of two that contradict


@dataclass(frozen=True, slots=True)
class SkillUse:
    """The skill behind an outcome: the level it worked at, its call, and what it did."""

    name: str
    level: int
    call: str = ""
    steps: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A value, an error, or a question back to the person.

    `solved` is set where whole solutions gave the value, or said why there is none; beside a
    `tool` it is what the tool's result was compared with. `fit` is the chance that the tool is
    the right one; `refused`: somebody has to give leave first.
    """

    ok: bool
    tool: Tool | None = None
    arguments: JsonObject | None = None
    executed: CallExecution | None = None
    result: Json = None
    error: str = ""
    doubt: str = ""
    confirmed: str = ""  # which case with the same arguments says the same
    question: Question | None = None
    solved: SolveOutcome | None = None
    value: SessionValue | None = None
    fit: float = 1.0
    certain_arguments: bool = False
    refused: bool = False
    only_may_fit: bool = False  # the tool is held against a solution before it is believed
    skill: SkillUse | None = None
    origins: Mapping[str, ArgumentOrigin] = field(default_factory=dict[str, ArgumentOrigin])
    agrees: bool = False  # an independent solution gave the same result as the tool
    outvoted: bool = False  # solutions gave another result, which is less likely to be right
