"""The numbers that decide about experiments."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class ExperimentPolicy:
    """How certain an experiment has to be, and what counts in it."""

    name: ClassVar[str] = "experiments"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "alpha": (1e-6, 0.5),
        "guard_alpha": (1e-6, 0.5),
        "person_share": (0.01, 1.0),
        "min_units": (2, 1e6),
        "most_variants": (2, 20),
    }
    alpha: float = 0.05  # chance of ever calling variants different that are not
    guard_alpha: float = 0.05
    min_units: int = 30  # sessions of each variant before anything is concluded
    session_hours: float = 24.0  # after which a session counts, with what it did until then
    person_share: float = 0.2  # of all sessions that may be one person's
    sharpest_units: int = 500  # sessions at which intervals are narrowest
    max_days: int = 28  # where an experiment does not say how long it may take
    most_variants: int = 6
