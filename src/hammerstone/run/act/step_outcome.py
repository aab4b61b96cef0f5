"""What one step of a plan came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.core.answers import ArgumentOrigin
from hammerstone.core.approvals import Question
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Tool
from hammerstone.run.act.execute import CallExecution
from hammerstone.run.solve.solver import SolveOutcome
from hammerstone.storage import SessionValue


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
