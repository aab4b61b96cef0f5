"""How long what happened is kept."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class TracePolicy:
    """Which traces are kept, and how long."""

    name: ClassVar[str] = "traces"
    keep_success_share: float = 1.0
    keep_days: float = 7.0


@dataclass(frozen=True, slots=True)
class EvidencePolicy:
    """How long runs, their events and calls are kept as evidence; what was judged stays."""

    name: ClassVar[str] = "evidence"
    keep_days: float = 365.0
    keep_calls: int = 200  # of each version at least, against which a repair is checked
