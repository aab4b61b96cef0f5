"""The numbers that decide about patterns and composites."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class MiningPolicy:
    """What counts as a pattern, and when one becomes a tool."""

    name: ClassVar[str] = "mining"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "longest": (2, 100),
        "longest_whole": (2, 100),
        "per_session": (1, 1e6),
        "frequency": (1, 1e6),
        "sessions": (1, 1e6),
        "examples": (1, 1e4),
    }
    enabled: bool = True
    longest: int = 5  # steps of a sub-sequence
    longest_whole: int = 10  # steps of a whole run that is kept as one
    per_session: int = 2  # how often one session counts
    settle_s: float = 2.0  # runs that ended so recently are left for the next time
    frequency: int = 3
    success: float = 0.8
    confidence: float = 0.7
    sessions: int = 2  # one session alone makes no habit
    per_round: int = 100  # ripe patterns that one round tries, the most frequent first
    examples: int = 24  # recorded runs a composite is learned and proved from
    min_saved_s: float = 0.0  # of a use, below which a composite is not worth having
    retire_after_days: float = 30.0  # a lesson that has not paid by then is proposed for retirement
