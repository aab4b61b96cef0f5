"""The numbers that decide how sure verified is, and how much may be spent to be that sure."""

from dataclasses import dataclass
from typing import ClassVar


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
