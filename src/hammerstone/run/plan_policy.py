"""The numbers that decide how a request is planned and what a session keeps."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class PlanPolicy:
    """How many steps a plan may have before a tool is built instead."""

    name: ClassVar[str] = "plan"
    most_steps: int = 4  # 1 is single, 2 and 3 a sequence, 4 a composition
    choose_above_similarity: float = 0.45  # tools this near are read before one is built
    workflow_confidence: float = 0.7
    recovery_attempts: int = 3  # remedies tried for one step that failed


@dataclass(frozen=True, slots=True)
class SessionPolicy:
    """What a session keeps for later requests."""

    name: ClassVar[str] = "session"
    value_days: float = 7.0
    value_bytes: int = 1 << 20  # of one value as JSON
    file_days: float = 7.0
    file_bytes: int = 32 << 20  # of one file
    given_file_bytes: int = 8 << 20  # larger ones have to be given again
    files_per_request: int = 20
    offered_values: int = 50  # how far back a request may refer
