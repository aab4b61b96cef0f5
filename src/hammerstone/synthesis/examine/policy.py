"""The numbers that decide how much evidence is drawn and when it is enough."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExaminePolicy:
    """Defaults of the policy `synthesis.examine`; see the design page for how they were chosen."""

    verified_at: float = 0.9
    rejected_below: float = 0.05
    first_candidates: int = 4
    first_suites: int = 2
    more_candidates: int = 4
    more_suites: int = 1
    max_candidates: int = 12
    max_suites: int = 4
    max_questions: int = 1
    hopeless: float = 0.1  # chance that the next draws settle it, under which they are not made
