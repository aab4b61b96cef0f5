"""The numbers that decide when learning happens by itself, and what it may take."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class JobWorth:
    """What a turn costs and saves, and when a job comes less often."""

    token_s: float = 0.04  # what a token counts as, where cost is set against time saved
    mended_use_s: float = 10.0  # what a use of a mended tool, or a gained answer, counts as saved
    free_s: float = 5.0  # a turn may take this much without paying back
    pays_over: int = 4  # turns that are added up to see whether a job pays
    slowest: float = 8.0  # how much less often a job comes that does not pay


@dataclass(frozen=True, slots=True)
class LearningPolicy(JobWorth):
    """When jobs have their turn, what they may spend, and when they come less often."""

    name: ClassVar[str] = "learning"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "every_hours": (0.01, 8760.0),
        "tuning_hours": (0.01, 8760.0),
        "upkeep_hours": (0.01, 8760.0),
        "look_every_s": (1.0, 86_400.0),
        "longest_s": (1.0, 86_400.0),
        "lease_s": (1.0, 86_400.0),
        "slowest": (1.0, 64.0),
        "pays_over": (1, 100),
        "attempts": (1, 100),
    }
    enabled: bool = True
    every_hours: float = 24.0  # mining, promotion and repair
    tuning_hours: float = 168.0
    upkeep_hours: float = 1.0
    repairs: int = 5  # tools that one round tries to mend
    look_every_s: float = 3600.0  # how often it is looked for jobs that are due
    tokens_a_day: int = 100_000  # of all jobs together
    longest_s: float = 1800.0  # of one turn
    lease_s: float = 300.0  # after which a dead process loses a turn
    attempts: int = 3
    retry_s: float = 600.0
    grace_s: float = 10.0  # that a turn gets to end where the process does
    keep_days: float = 180.0  # of past turns and decisions
