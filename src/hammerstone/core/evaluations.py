"""What an evaluation measures and keeps: chapters, cases' outcomes, metrics, runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum

from hammerstone.core.json_types import Json, JsonObject


class Chapter(StrEnum):
    """The seven parts of the scoreboard, in the order in which they are shown."""

    CORRECTNESS = "correctness"
    SYNTHESIS = "synthesis"
    RETRIEVAL = "retrieval"
    WORKFLOWS = "workflows"
    LEARNING = "learning"
    ROBUSTNESS = "robustness"
    PERFORMANCE = "performance"


class EvaluationSet(StrEnum):
    """How much is measured. INSTANT uses recorded answers only; each set holds the one before."""

    INSTANT = "instant"
    QUICK = "quick"
    FULL = "full"


class CaseMark(StrEnum):
    """How a case ended. An error of a grader says nothing about the product."""

    PASSED = "passed"
    FAILED = "failed"
    FLAKY = "flaky"  # it ended differently when it was repeated
    GRADER_ERROR = "grader error"


class MeasurementState(StrEnum):
    """How far a measurement came; `why` of its record says the reason for all but DONE."""

    DONE = "done"
    PARTLY = "partly"  # the time was up: what was measured counts
    WAITING = "not yet"  # the time was up before it began; the same command goes on with it
    SKIPPED = "skipped"  # it cannot run here
    FAILED = "failed"  # it broke

    @property
    def cut(self) -> bool:
        """Whether more time would have given more."""
        return self in (MeasurementState.PARTLY, MeasurementState.WAITING)


class Better(StrEnum):
    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What came of one case.

    `score` runs from 0 to 1. `numbers` are other values of the case (confidence, milliseconds),
    which metrics are means of. The texts are for people: what was asked, given and wanted.
    """

    case: str
    mark: CaseMark
    score: float
    seconds: float = 0.0
    tokens: int = 0
    trace_id: str = ""
    asked: str = ""
    given: str = ""
    wanted: str = ""
    reason: str = ""
    tags: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def passed(self) -> bool:
        return self.mark is CaseMark.PASSED

    @property
    def counts(self) -> bool:
        """Whether it says something about the product."""
        return self.mark is not CaseMark.GRADER_ERROR


SCORE = "score"  # `MetricValue.of`: the mean of the cases' scores


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One number of a measurement beside what it is compared with.

    `of` names what it is the mean of, over the cases: "score", or a key of their `numbers`; two
    runs are then compared case by case. Empty: it cannot be. `low` and `high` are its interval
    at 95 %. A difference below `least`, or below that part of the earlier value that `least_part`
    says, is not called one, whatever its interval: times of two runs drift with the machine.
    """

    name: str
    value: float | None
    unit: str = "share"
    better: Better = Better.HIGHER
    baseline: float | None = None
    baseline_name: str = ""
    target: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    least: float = 0.0
    least_part: float = 0.0

    @property
    def reached(self) -> bool | None:
        """Whether the target is met; None without a target or a value."""
        if self.target is None or self.value is None:
            return None
        higher = self.better is Better.HIGHER
        return self.value >= self.target if higher else self.value <= self.target

    @property
    def left_open(self) -> bool:
        """Whether a target that is not met is still within the interval: too few cases to say."""
        if self.reached is not False or self.low is None or self.high is None:
            return False
        return self.low <= (self.target or 0.0) <= self.high

    def to_json(self) -> JsonObject:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> "MetricValue":
        values = {each.name: document[each.name] for each in fields(cls) if each.name in document}
        values["better"] = Better(str(document.get("better", Better.HIGHER)))
        return cls(**values)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class MeasurementRecord:
    """What is kept of a measurement in a run.

    `work` names the same work done by the same versions on the same data (`data`): what is
    recorded under it is not done again.
    """

    measurement: str
    title: str
    chapter: Chapter
    state: MeasurementState
    why: str = ""
    seconds: float = 0.0
    tokens: int = 0
    data: str = ""
    work: str = ""
    reused: bool = False
    metrics: tuple[MetricValue, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationVersions:
    """What was measured: the hash of the code, its git revision, the model, the policies."""

    code: str = ""
    revision: str = ""
    model: str = ""
    policies: str = ""

    def to_json(self) -> JsonObject:
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """One evaluation. Without `finished_at` it is going on, or was broken off."""

    id: str
    chosen: EvaluationSet
    versions: EvaluationVersions
    started_at: datetime
    finished_at: datetime | None = None
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    machine: str = ""


@dataclass(frozen=True, slots=True)
class CaseTally:
    """How many cases of a measurement ended how."""

    passed: int = 0
    failed: int = 0
    flaky: int = 0
    grader_errors: int = 0

    @property
    def counted(self) -> int:
        """Cases that say something about the product; flaky ones are counted apart."""
        return self.passed + self.failed
