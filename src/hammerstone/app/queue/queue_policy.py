"""The numbers that decide how much is answered at once, and how much may wait."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one process takes on: so many at once, of one person fewer, and so many more wait."""

    at_once: int = 200
    at_once_per_person: int = 16
    longest_wait_s: float = 120.0  # for a turn; then whoever waits is told to come again


@dataclass(frozen=True, slots=True)
class QueuePolicy(ProcessLimits):
    """The limits of a process, of what waits, and of what all workers hold together.

    0 means without a limit in `held`, `held_per_model` and `proofs_held`. Whatever is held uses
    the sandbox, so `held` and `proofs_held` bound the load on it.
    """

    name: ClassVar[str] = "queue"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "at_once": (1, 100_000),
        "at_once_per_person": (1, 100_000),
        "waiting": (1, 1_000_000),
        "waiting_per_person": (1, 1_000_000),
        "held_per_person": (1, 100_000),
        "look_every_s": (0.01, 60.0),
        "sign_every_s": (0.1, 600.0),
    }
    waiting: int = 5_000
    waiting_per_person: int = 200
    held: int = 0
    held_per_person: int = 4
    held_per_model: int = 0
    proofs_held: int = 0
    look_every_s: float = 0.5  # for work, while there is none
    sign_every_s: float = 5.0  # a worker's signs of life
    grace_s: float = 30.0  # that a worker gets to finish what it holds before it ends
    keep_workers_s: float = 3_600.0  # how long a worker is listed after its last sign
