"""How often tools turned out right, beside how sure it was of them: the reliability curve."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from hammerstone.core.json_types import JsonObject
from hammerstone.synthesis.examine.belief.own_calibration import WeighedOutcome

BINS = 10
ENOUGH = 5.0  # tools' worth of evidence below which a share says nothing


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The tools whose confidence lies between two tenths.

    `confidence` is the mean of those that are known, `share` how much of the evidence about them
    says that they are right; None where nothing is known.
    """

    low: float
    high: float
    right: int
    wrong: int
    unknown: int
    weight: float
    confidence: float | None
    share: float | None

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ReliabilityCurve:
    bins: tuple[ReliabilityBin, ...]
    right: int
    wrong: int
    unknown: int
    weight: float
    calibration_error: float | None

    @property
    def enough(self) -> bool:
        return self.weight >= ENOUGH

    def in_words(self) -> str:
        """The curve in one or two sentences for a person."""
        tools = self.right + self.wrong + self.unknown
        if not tools:
            return "No tool has been built here yet, so there is nothing to compare."
        told = (
            f"Of {tools} examined tools {self.right} turned out right and {self.wrong} wrong; "
            f"of {self.unknown} nothing is known yet."
        )
        if not self.enough or self.calibration_error is None:
            return (
                f"{told} That is too little to say whether the percentages are right: "
                f"at least {ENOUGH:.0f} tools have to turn out right or wrong in use."
            )
        return f"{told} On average the percentages were off by {self.calibration_error:.0%}."

    def to_json(self) -> JsonObject:
        return {
            "tools": self.right + self.wrong + self.unknown,
            "right": self.right,
            "wrong": self.wrong,
            "unknown": self.unknown,
            "weight": round(self.weight, 3),
            "enough": self.enough,
            "ece": self.calibration_error,
            "reliability": [each.to_json() for each in self.bins],
            "text": self.in_words(),
        }


def reliability_curve(outcomes: Sequence[WeighedOutcome]) -> ReliabilityCurve:
    """The curve over ten equal bins; each tool counts by what its evidence is worth."""
    bins = [
        _bin(number, inside)
        for number in range(BINS)
        if (inside := [one for one in outcomes if _number(one.confidence) == number])
    ]
    weight = sum(each.weight for each in bins)
    off = [
        each.weight * abs(each.confidence - each.share)
        for each in bins
        if each.confidence is not None and each.share is not None
    ]
    return ReliabilityCurve(
        bins=tuple(bins),
        right=sum(each.right for each in bins),
        wrong=sum(each.wrong for each in bins),
        unknown=sum(each.unknown for each in bins),
        weight=weight,
        calibration_error=round(sum(off) / weight, 4) if weight else None,
    )


def _number(confidence: float) -> int:
    return max(0, min(BINS - 1, int(confidence * BINS + 1e-9)))


def _bin(number: int, inside: Sequence[WeighedOutcome]) -> ReliabilityBin:
    weight = sum(one.weight for one in inside)
    sure = sum(one.weight * one.confidence for one in inside)
    right = sum(one.for_it for one in inside)
    known = [one for one in inside if one.known]
    return ReliabilityBin(
        low=number / BINS,
        high=(number + 1) / BINS,
        right=sum(one.right for one in known),
        wrong=sum(not one.right for one in known),
        unknown=len(inside) - len(known),
        weight=round(weight, 3),
        confidence=round(sure / weight, 4) if weight else None,
        share=round(right / weight, 4) if weight else None,
    )
