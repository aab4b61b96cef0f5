"""What a cross-examination comes to, the evidence behind it, and the numbers that decide it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case
from hammerstone.judging.rendering import show


@dataclass(frozen=True)
class ExaminePolicy:
    """How a new tool is checked, and how sure it has to be to count as proved."""

    name: ClassVar[str] = "synthesis"
    verified_at: float = 0.95  # the confidence from which a tool is verified
    rejected_below: float = 0.05
    first_candidates: int = 5
    first_suites: int = 2
    max_candidates: int = 24
    max_suites: int = 4
    max_questions: int = 1
    hopeless: float = 0.05  # chance of reaching the mark under which nothing more is drawn
    adjudicator_reliability: float = 0.6  # how often a unanimous vote of the model is right
    repeated_calls: int = 12  # calls that the winner has to answer alike in other surroundings


DEFAULT = ExaminePolicy()


class BehaviourStanding(StrEnum):
    VERIFIED = "verified"  # may be used
    EXPERIMENTAL = "experimental"  # kept and flagged: too little evidence
    REJECTED = "rejected"  # kept only as a record


@dataclass(frozen=True, slots=True)
class StatedResult:
    """The right result as a person typed it, where neither of two that were shown is right."""

    value: Json


Choice = int | StatedResult | None
"""The position of the right result, what is right instead, or None: neither of them."""


@dataclass(frozen=True, slots=True)
class ReadingQuestion:
    """One input on which plausible behaviours differ, and the two results to choose from."""

    call: Call
    results: tuple[Json, Json]
    belief: tuple[float, float]

    @property
    def text(self) -> str:
        first, second = (show(result) for result in self.results)
        return f"What should {self.call.source} give: {first}, {second} or something else?"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Candidates that return the same wherever they return something."""

    code: str  # its simplest member
    members: tuple[int, ...]  # positions in the order in which candidates were drawn
    votes: float
    belief: float  # joint: sums to the confidence that any of them is right
    support: float  # share of the test authors' cases that agree with it


@dataclass(frozen=True, slots=True)
class ExaminationVerdict:
    """`confidence` is the calibrated probability that `code` is right."""

    standing: BehaviourStanding
    confidence: float
    code: str | None
    behaviours: tuple[Behaviour, ...] = ()
    suite: tuple[Case, ...] = ()
    rejected: tuple[Case, ...] = ()
    mutation_score: float | None = None
    question: ReadingQuestion | None = None  # one that would help, and has not been asked
    candidates_used: int = 0
    suites_used: int = 0
    questions_asked: int = 0
    reason: str = ""
    evidence: JsonObject = field(default_factory=dict[str, Json])
