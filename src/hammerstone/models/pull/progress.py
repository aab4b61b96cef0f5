"""How far a pull has come, for whoever wants to show it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class PullProgress:
    """One moment of a pull. `source` names where the bytes come from."""

    name: str
    phase: Literal["waiting", "downloading", "checking", "done"]
    done_bytes: int
    total_bytes: int
    source: str = ""


OnProgress: TypeAlias = Callable[[PullProgress], None]


def silent(_progress: PullProgress) -> None:
    """For pulls that nobody watches."""
