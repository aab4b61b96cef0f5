"""Whether the confidence of the tools built here can be believed, and what corrects it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hammerstone.app.learning.outcomes import tool_outcomes
from hammerstone.app.numbers.reliability import ReliabilityCurve, reliability_curve
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
