"""A decision of search: what it saw and chose for a request, kept as it was at that moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hammerstone.core.json_types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class ToolCandidate:
    """A tool that search looked at, and what spoke for it then."""

    name: str
    relevance: float
    cosine: float | None
    words: float
    learned: float = 0.0
    unfilled: float = 0.0
    success: float | None = None
    frequency: float | None = None

    def to_json(self) -> list[Json]:
        numbers = (self.relevance, self.cosine, self.words, self.learned)
        more = (self.unfilled, self.success, self.frequency)
        return [self.name, *(None if n is None else round(n, 5) for n in (*numbers, *more))]

    @staticmethod
    def from_json(row: Sequence[Json]) -> "ToolCandidate":
        name, *numbers = row
        found = [float(n) if isinstance(n, int | float) else None for n in numbers]
        relevance, cosine, words, learned, unfilled, success, frequency = found
        return ToolCandidate(
            name=str(name),
            relevance=relevance or 0.0,
            cosine=cosine,
            words=words or 0.0,
            learned=learned or 0.0,
            unfilled=unfilled or 0.0,
            success=success,
            frequency=frequency,
        )


@dataclass(frozen=True, slots=True)
class SearchDecision:
    """`chosen` is the tool that came first, `band` what its `probability` meant then.

    `weights` are the numbers of the policies by which the candidates were ordered.
    """

    id: str
    run_id: str
    session_id: str
    user: str
    at: datetime
    request: str
    chosen: str
    band: str
    probability: float
    candidates: tuple[ToolCandidate, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def used(self) -> bool:
        """Whether the tool was run for it."""
        return bool(self.chosen) and self.band != "low"


class LabelQuestion(StrEnum):
    """What a label of a decision says something about."""

    TOOL = "tool"  # was the tool that search chose right for this request?
    ANSWER = "answer"  # was the answer right?


@dataclass(frozen=True, slots=True)
class PersonLabel:
    """What a person said about a decision; `tool` names the right one where another is."""

    decision: str
    what: LabelQuestion
    user: str
    right: bool
    at: datetime
    tool: str = ""
    session_id: str = ""

    def to_json(self) -> JsonObject:
        return {
            "decision": self.decision,
            "what": str(self.what),
            "user": self.user,
            "right": self.right,
            "tool": self.tool,
            "at": self.at.isoformat(),
        }
