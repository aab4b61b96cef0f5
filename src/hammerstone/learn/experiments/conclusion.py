"""What an experiment comes to at one look: go on, or how it ends."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hammerstone.core.experiments import Experiment, ExperimentMetric, ExperimentOutcome
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.experiments.confidence_sequences import (
    UNKNOWN,
    EffectInterval,
    effect_scores,
    mean_interval,
    share_interval,
)
from hammerstone.learn.experiments.units import SessionUnit
from hammerstone.learn.policies import ExperimentPolicy


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """A variant against what is in force, by one metric; a gain is positive whatever its unit."""

    variant: str
    metric: ExperimentMetric
    units: tuple[int, int]  # sessions with what is in force, and with the variant
    means: tuple[float, float]
    gain: EffectInterval

    def to_json(self) -> JsonObject:
        gain = self.gain
        return {
            "variant": self.variant,
            "metric": str(self.metric),
            "units": list(self.units),
            "means": list(self.means),
            "gain": gain.effect,
            "low": gain.low if math.isfinite(gain.low) else None,
            "high": gain.high if math.isfinite(gain.high) else None,
            "p": gain.p,
        }


@dataclass(frozen=True, slots=True)
class Conclusion:
    """`outcome` is None while it goes on; `reason` says to a person why."""

    outcome: ExperimentOutcome | None
    reason: str
    winner: VariantComparison | None = None


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """One look: every variant by the metric and by the guards."""

    day: int
    main: tuple[VariantComparison, ...]
    guards: tuple[VariantComparison, ...]
    conclusion: Conclusion

    def to_json(self) -> JsonObject:
        main: list[Json] = [one.to_json() for one in self.main]
        guards: list[Json] = [one.to_json() for one in self.guards]
        return {
            "day": self.day,
            "variants": main,
            "guards": guards,
            "outcome": str(self.conclusion.outcome) if self.conclusion.outcome else None,
            "reason": self.conclusion.reason,
        }


def look(
    experiment: Experiment,
    units: Sequence[SessionUnit],
    day: int,
    policy: ExperimentPolicy,
    gate_alpha: float,
) -> ExperimentReport:
    """What is known after these units, and what follows.

    The chance of a mistake is shared out among the variants. A winner has to be as certain as the
    gate wants it, which the experiment waits for.
    """
    names = [variant.name for variant in experiment.variants[1:]]
    plan = experiment.plan
    main = tuple(
        compare_variant(experiment, units, name, plan.metric, policy.alpha / len(names), policy)
        for name in names
    )
    each = policy.guard_alpha / max(1, len(names) * len(plan.guards))
    guards = tuple(
        compare_variant(experiment, units, name, guard, each, policy)
        for name in names
        for guard in plan.guards
    )
    conclusion = _conclude(experiment, main, guards, day, gate_alpha / len(names))
    return ExperimentReport(day, main, guards, conclusion)


def compare_variant(
    experiment: Experiment,
    units: Sequence[SessionUnit],
    variant: str,
    metric: ExperimentMetric,
    alpha: float,
    policy: ExperimentPolicy,
) -> VariantComparison:
    """A variant against the first one; nothing is known while either has too few sessions."""
    both = [unit for unit in units if unit.variant in (experiment.control, variant)]
    values = np.array([unit.values[metric] for unit in both], dtype=np.float64)
    treated = np.array([unit.variant == variant for unit in both], dtype=bool)
    counts = (int((~treated).sum()), int(treated.sum()))
    means = tuple(float(values[arm].mean()) if arm.any() else 0.0 for arm in (~treated, treated))
    gain = UNKNOWN
    if min(counts) >= policy.min_units:
        scores = metric.sign * effect_scores(values, treated, 0.5)
        gain = (
            share_interval(scores, 0.5, alpha, policy.sharpest_units)
            if metric.bounded
            else mean_interval(scores, alpha, policy.sharpest_units)
        )
    return VariantComparison(variant, metric, counts, (means[0], means[1]), gain)


def _conclude(
    experiment: Experiment,
    main: Sequence[VariantComparison],
    guards: Sequence[VariantComparison],
    day: int,
    gate_alpha: float,
) -> Conclusion:
    plan = experiment.plan
    for guard in guards:
        if guard.gain.high < 0:
            text = f"{guard.metric} gets worse with {guard.variant}: {_between(guard)}"
            return Conclusion(ExperimentOutcome.GUARD, text)
    good = [one for one in main if one.gain.low > 0 and one.gain.effect >= plan.minimum_effect]
    best = max(good, key=lambda one: one.gain.effect, default=None)
    over = day >= plan.max_days
    if best is not None and (over or best.gain.p <= gate_alpha):
        text = f"{best.variant} is better: {_between(best)}"
        return Conclusion(ExperimentOutcome.BETTER, text, best)
    if all(one.gain.high < 0 for one in main):
        return Conclusion(ExperimentOutcome.WORSE, f"worse: {_all(main)}")
    if all(one.gain.high < plan.minimum_effect for one in main):
        least = f"no variant is better by {plan.minimum_effect:g} or more"
        return Conclusion(ExperimentOutcome.NULL, f"{least}: {_all(main)}")
    if over:
        text = f"after {plan.max_days} days no difference is certain: {_all(main)}"
        return Conclusion(ExperimentOutcome.UNDECIDED, text)
    waits = "nothing is certain yet" if best is None else f"{best.variant} is ahead: {_all(main)}"
    return Conclusion(None, waits)


def _all(comparisons: Sequence[VariantComparison]) -> str:
    return "; ".join(f"{one.variant} {_between(one)}" for one in comparisons)


def _between(one: VariantComparison) -> str:
    """The gain in words, with how many sessions it rests on."""
    sessions = f"{sum(one.units)} sessions"
    if not math.isfinite(one.gain.low):
        return f"too few sessions ({one.units[0]} and {one.units[1]})"
    between = f"between {one.gain.low:+.3g} and {one.gain.high:+.3g}"
    return f"a gain of {one.gain.effect:+.3g} in {one.metric}, {between} ({sessions})"
