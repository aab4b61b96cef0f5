"""The numbers that decide about changes."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """When a change is better, and which kinds wait for a person whatever the level."""

    name: ClassVar[str] = "gate"
    alpha: float = 0.01  # chance of promoting a change that does nothing
    confidence: float = 0.9  # a cross-examined change needs this probability of being right
    min_equal: int = 2  # held-out cases on which an equivalent change must give the same
    ask_for_prompts: bool = False
    ask_for_policies: bool = False
    ask_for_retirement: bool = False
