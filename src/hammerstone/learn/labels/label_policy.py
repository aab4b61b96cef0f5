"""The numbers that decide what signals come to."""

from dataclasses import dataclass
from typing import ClassVar

from hammerstone.core.feedback import FeedbackKind

_CHANCES = (
    *("person", "corrected", "refused", "confirmed", "chosen", "wrong_tool", "undone", "agreed"),
    *(
        "outvoted",
        "built_on",
        "passed_over",
        "repeated",
        "asked_again",
        "unopposed",
        "abandoned",
        "failed",
    ),
)


@dataclass(frozen=True, slots=True)
class SignalChances:
    """The chance that each signal points the right way; 0.5 says nothing.

    `agreed` and `outvoted` are measured on real solutions, the others with a simple model of how
    people react (`evals/labels.py`).
    """

    person: float = 0.98  # a label that a person gave to a decision
    corrected: float = 0.98
    refused: float = 0.85
    confirmed: float = 0.73
    chosen: float = 0.9
    wrong_tool: float = 0.9
    undone: float = 0.8
    passed_over: float = 0.95
    agreed: float = 0.72
    outvoted: float = 0.6
    built_on: float = 0.75
    repeated: float = 0.67
    asked_again: float = 0.91
    unopposed: float = 0.67
    abandoned: float = 0.87
    failed: float = 0.6  # a failed call speaks so far against having chosen the tool

    def chance(self, kind: FeedbackKind) -> float:
        """The chance that a signal of this kind points the right way."""
        return float(getattr(self, kind.replace(" ", "_"), 0.5))


@dataclass(frozen=True, slots=True)
class LabelPolicy(SignalChances):
    """The chance that each signal points the right way, and when a label is believed."""

    name: ClassVar[str] = "labels"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        **dict.fromkeys(_CHANCES, (0.5, 0.999)),
        "counts": (0.5, 0.999),
        "most": (0.5, 0.999),
        "beside": (0.0, 1.0),
        "trust_after": (0.1, 1000.0),
        "same_after": (1, 1000),
        "queue_length": (1, 1000),
    }
    beside: float = 0.5  # share that signals count beside the strongest one of their side
    counts: float = 0.6  # a label that is less certain is not used
    most: float = 0.99  # no label is more certain, whatever agrees
    trust_after: float = (
        5.0  # people who are right as usual, for each one whose word may mean anything
    )
    same_after: int = 10  # words of a person who says the same about nearly every answer
    same_share: float = 0.8  # of the answers that the person got
    queue_length: int = 20
