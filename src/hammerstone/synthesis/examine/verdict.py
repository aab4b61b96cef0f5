"""What a cross-examination comes to, with the evidence behind it."""

from dataclasses import dataclass, field
from enum import StrEnum

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case
from hammerstone.judging.rendering import show


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
