"""Experiments: variants of policies or prompts, tried side by side on people's sessions."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from hammerstone.core.json_types import Json, JsonObject


class ExperimentMetric(StrEnum):
    """What a session is measured by: the mean over its runs."""

    SUCCESS = "success"  # answered, and not judged wrong
    CONFIRMED = "confirmed"  # somebody or something spoke for the answer
    REUSE = "reuse"  # a tool or the cache answered, and no model was asked
    CACHED = "cached"
    MODEL_CALLS = "model_calls"
    TOKENS = "tokens"
    SECONDS = "seconds"
    USD = "usd"

    @property
    def bounded(self) -> bool:
        """Whether it is a share, between 0 and 1."""
        return self in _SHARES

    @property
    def sign(self) -> float:
        """1 where more is better, -1 where less is."""
        return 1.0 if self in _SHARES else -1.0


_SHARES = (
    ExperimentMetric.SUCCESS,
    ExperimentMetric.CONFIRMED,
    ExperimentMetric.REUSE,
    ExperimentMetric.CACHED,
)


class ExperimentState(StrEnum):
    RUNNING = "running"
    ENDED = "ended"


class ExperimentOutcome(StrEnum):
    """How an experiment ended."""

    BETTER = "better"  # a variant is better than what was in force
    WORSE = "worse"  # every variant is worse
    NULL = "no effect"  # no variant is better by what would be worth it
    UNDECIDED = "undecided"  # the time was over before anything was certain
    GUARD = "guard"  # something else got worse
    STOPPED = "stopped"  # by a person, or because what it is about was changed


@dataclass(frozen=True, slots=True)
class TrialVariant:
    """What is in force for the sessions of a variant: values by knob; the first has none."""

    name: str
    changes: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def to_json(self) -> JsonObject:
        return {"name": self.name, "changes": dict(self.changes)}


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """What is measured, and when it is enough.

    `minimum_effect` is the least gain worth having, in the metric's own unit. `guards` are metrics
    that may not get worse; the experiment ends when one does.
    """

    metric: ExperimentMetric = ExperimentMetric.SUCCESS
    minimum_effect: float = 0.0
    guards: tuple[ExperimentMetric, ...] = ()
    max_days: int = 28

    def to_json(self) -> JsonObject:
        return {
            "metric": str(self.metric),
            "minimum_effect": self.minimum_effect,
            "guards": [str(guard) for guard in self.guards],
            "max_days": self.max_days,
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "ExperimentPlan":
        return ExperimentPlan(
            ExperimentMetric(document["metric"]),
            float(document["minimum_effect"]),
            tuple(ExperimentMetric(guard) for guard in document["guards"]),
            int(document["max_days"]),
        )


@dataclass(frozen=True, slots=True)
class Experiment:
    """Variants side by side; the first one is what is in force for everybody else.

    A knob is what a variant changes: `fit.high`, or `prompt/solve`. No two running experiments
    share one.
    """

    id: str
    title: str
    variants: tuple[TrialVariant, ...]
    plan: ExperimentPlan
    started_at: datetime
    started_by: str
    state: ExperimentState = ExperimentState.RUNNING
    outcome: ExperimentOutcome | None = None
    reason: str = ""
    winner: str = ""
    proposal: str = ""  # the change that the gate was asked for
    ended_at: datetime | None = None
    ended_by: str = ""

    @property
    def knobs(self) -> tuple[str, ...]:
        names = (knob for variant in self.variants for knob in variant.changes)
        return tuple(dict.fromkeys(names))

    @property
    def control(self) -> str:
        return self.variants[0].name

    def variant_of(self, session_id: str) -> TrialVariant:
        """The variant of a session: always the same, and independent of other experiments."""
        drawn = hashlib.sha256(f"{self.id}\x00{session_id}".encode()).digest()
        return self.variants[int.from_bytes(drawn[:8]) % len(self.variants)]

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "title": self.title,
            "variants": [variant.to_json() for variant in self.variants],
            "knobs": list(self.knobs),
            **self.plan.to_json(),
            "started_at": self.started_at.isoformat(),
            "started_by": self.started_by,
            "state": str(self.state),
            "outcome": str(self.outcome) if self.outcome else None,
            "reason": self.reason,
            "winner": self.winner,
            "proposal": self.proposal,
            "ended_at": self.ended_at.isoformat() if self.ended_at else None,
            "ended_by": self.ended_by,
        }
