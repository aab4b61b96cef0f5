"""Whether the confidence of the tools built here can be believed: how often they turned out right,
beside how sure it was of them, and what corrects it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass

from hammerstone.app.learning.outcomes import tool_outcomes
from hammerstone.core.chat import Role
from hammerstone.core.errors import ModelError
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.run.services import RoleModels
from hammerstone.storage import Database
from hammerstone.storage.stores.tools.versions import UNREADABLE
from hammerstone.synthesis.examine.belief.own_calibration import (
    OwnCalibration,
    WeighedOutcome,
    fitted_model,
    own_calibration,
    weighed,
)
from hammerstone.tracing.warn import warn

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


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """The curve of the whole library, the one of each model, and the corrections in force."""

    outcomes: tuple[WeighedOutcome, ...]
    curve: ReliabilityCurve
    by_model: dict[str, ReliabilityCurve]
    adjustments: tuple[OwnCalibration, ...]  # that of the model in use first
    model: str  # that writes tools now

    def to_json(self) -> JsonObject:
        by_model: dict[str, Json] = {name: each.to_json() for name, each in self.by_model.items()}
        return {
            **self.curve.to_json(),
            "model": self.model,
            "fitted_for": fitted_model(),
            "by_model": by_model,
            "adjustments": [each.to_json() for each in self.adjustments],
        }


class OutcomeBook:
    """The record of what was believed of tools beside what they turned out to be."""

    def __init__(
        self, db: Database, models: RoleModels, settle: Callable[[], Awaitable[None]]
    ) -> None:
        self._db = db
        self._models = models
        self._settle = settle

    async def report(self) -> CalibrationReport:
        """Everything that can be said about the confidence of the tools built here."""
        await self._settle()
        outcomes = await tool_outcomes(self._db)
        known = weighed(outcomes)
        names = sorted({each.model for each in outcomes})
        model = _name_of(self._models)
        by_model = {
            name: reliability_curve([one for one in known if one.outcome.model == name])
            for name in names
        }
        in_order = [model, *(name for name in names if name != model)]
        return CalibrationReport(
            outcomes=tuple(known),
            curve=reliability_curve(known),
            by_model=by_model,
            adjustments=tuple(own_calibration(name, outcomes) for name in in_order if name),
            model=model,
        )


async def calibration_for(db: Database, model: str) -> OwnCalibration:
    """The correction for a model's tools; what cannot be read costs only the experience."""
    try:
        outcomes = await tool_outcomes(db)
    except UNREADABLE as error:
        warn("what tools turned out to be cannot be read", error=type(error).__name__)
        outcomes = []
    return own_calibration(model, outcomes)


def _name_of(models: RoleModels) -> str:
    """The model that writes code; empty where none is set up."""
    try:
        return models.for_role(Role.CODER).name
    except ModelError:
        return ""
