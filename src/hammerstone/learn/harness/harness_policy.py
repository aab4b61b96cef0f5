"""The numbers of experiments on the product's own steps."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class HarnessPolicy:
    """What an experiment may take, and when its change is kept."""

    name: ClassVar[str] = "harness"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "experiment_s": (1.0, 300.0),
        "experiments": (1, 200),
        "least_gain": (0.0, 1.0),
        "most_edit_chars": (100, 1e6),
    }
    experiment_s: float = 300.0
    experiments: int = 10
    least_gain: float = 0.0  # in the mean score; a change has to gain more than that
    most_edit_chars: int = 20_000
