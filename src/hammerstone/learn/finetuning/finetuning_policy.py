"""The numbers of fine-tuning."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FineTuningPolicy:
    """What is trained on, what a trainer may use, and what its product may lose."""

    name: ClassVar[str] = "fine_tuning"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "least_score": (0.0, 1.0),
        "held_out_share": (0.01, 0.5),
        "most_general_loss": (0.0, 1.0),
        "least_examples": (1, 1e9),
        "least_general": (1, 1e6),
    }
    least_score: float = 0.8  # of a run that is trained on
    least_examples: int = 500
    held_out_share: float = 0.1
    trainer_s: float = 6 * 3600.0
    trainer_bytes: int = 8 << 30  # that a trainer may write
    spare_bytes: int = 1 << 30  # that stay free on the disk
    most_general_loss: float = 0.05  # on the general suite
    least_general: int = 12  # its cases; on fewer a loss would not be seen
