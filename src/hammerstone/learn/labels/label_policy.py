"""The numbers that decide what signals come to."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class LabelPolicy:
    """How far a label is believed. What each signal of use is worth is said by the policy
    `feedback`; here is what it says nothing about."""

    name: ClassVar[str] = "labels"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "person": (0.5, 0.999),
        "failed": (0.5, 0.999),
        "counts": (0.5, 0.999),
        "most": (0.5, 0.999),
        "trust_after": (0.1, 1000.0),
        "queue_length": (1, 1000),
    }
    person: float = 0.98  # a label that a person gave to a decision
    failed: float = 0.6  # a failed call speaks so far against having chosen the tool
    counts: float = 0.6  # a label that is less certain is not used
    most: float = 0.99  # no label is more certain, whatever agrees
    trust_after: float = 5.0  # words that can be checked before a person's own record decides
    queue_length: int = 20
