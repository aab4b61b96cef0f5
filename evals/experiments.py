"""How often experiments are fooled where there is nothing, and how soon they find what is there.

    python -m evals.experiments [--set instant|quick|full] [--json]

Simulated: 40 sessions a day of 20 people who differ from each other, 28 days, looked at daily.
Sessions are drawn into variants by the product's own hash and compared by its own sequences. The
baseline is a t-test at 5 % on each day, as it is done where nobody thinks about looking often.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

import numpy as np
from numpy.typing import NDArray

from evals.measured import measured
from hammerstone.core.experiments import (
    Experiment,
    ExperimentMetric,
    ExperimentOutcome,
    ExperimentPlan,
    TrialVariant,
)
from hammerstone.evaluation.board.context import SEED, MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.learn.experiments.conclusion import look
from hammerstone.learn.experiments.confidence_sequences import effect_scores, mean_p, share_p
from hammerstone.learn.experiments.units import SessionUnit
from hammerstone.learn.policies import ExperimentPolicy, GatePolicy

DAYS, A_DAY, PEOPLE = 28, 40, 20
POLICY = ExperimentPolicy()
METRICS = (ExperimentMetric.SUCCESS, ExperimentMetric.MODEL_CALLS)
# What a variant adds to the success of a session, and by what it multiplies its model calls.
EFFECTS = (("small", 0.10, 0.80), ("large", 0.20, 0.60))
CHECKED = 20  # experiments that are also looked at by the whole product, day by day
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Simulated:
    """The sessions of one experiment, in the order in which they came."""

    number: int
    treated: NDArray[np.bool_]
    values: dict[ExperimentMetric, Floats]
    people: NDArray[np.int64]


def simulated(number: int, gain: float = 0.0, factor: float = 1.0) -> Simulated:
    """One experiment; the same number is always the same one."""
    rng = np.random.default_rng([SEED, number])
    count = DAYS * A_DAY
    made = experiment_of(number)
    names = [made.variant_of(f"session {one}").name for one in range(count)]
    treated = np.array([name != made.control for name in names])
    people = rng.integers(PEOPLE, size=count)
    level = np.clip(rng.normal(0.65, 0.1, PEOPLE), 0.05, 0.95)[people]
    success = rng.random(count) < np.clip(level + gain * treated, 0, 1)
    calls = rng.lognormal(1.0, 0.9, count) * np.where(treated, factor, 1.0)
    values = {
        ExperimentMetric.SUCCESS: success.astype(np.float64),
        ExperimentMetric.MODEL_CALLS: calls,
    }
    return Simulated(number, treated, values, people)


def experiment_of(number: int, metric: ExperimentMetric = METRICS[0]) -> Experiment:
    variants = (TrialVariant("as it is"), TrialVariant("b", {"fit.high": 0.9}))
    began = datetime(2026, 1, 1, tzinfo=UTC)
    return Experiment(f"e{number}", "made", variants, ExperimentPlan(metric), began, "evals")


def days_of(p: Floats, treated: NDArray[np.bool_], alpha: float) -> int:
    """The first day on which a p-value at the day's end is small enough; 0 if there is none."""
    for day in range(1, DAYS + 1):
        until = day * A_DAY
        arms = treated[:until].sum(), (~treated[:until]).sum()
        if min(arms) >= POLICY.min_units and p[until - 1] <= alpha:
            return day
    return 0


def sequence_day(made: Simulated, metric: ExperimentMetric, alpha: float) -> int:
    """The day on which the product's sequence says that the variants differ."""
    scores = effect_scores(made.values[metric], made.treated, 0.5)
    p = (
        share_p(scores, 0.5, alpha, POLICY.sharpest_units)
        if metric.bounded
        else mean_p(scores, alpha, POLICY.sharpest_units)
    )
    return days_of(p, made.treated, alpha)


def naive_day(made: Simulated, metric: ExperimentMetric, *, last_only: bool = False) -> int:
    """The first day on which a t-test at 5 % is significant; or on the last day alone."""
    values = made.values[metric]
    for day in range(DAYS if last_only else 1, DAYS + 1):
        until = day * A_DAY
        one, other = values[:until][made.treated[:until]], values[:until][~made.treated[:until]]
        if min(len(one), len(other)) < POLICY.min_units:
            continue
        error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
        if abs(one.mean() - other.mean()) > 1.96 * error:
            return day
    return 0


def product_day(made: Simulated, metric: ExperimentMetric) -> tuple[int, ExperimentOutcome | None]:
    """The day on which the whole product would end the experiment, and how."""
    names = np.where(made.treated, "b", "as it is")
    units = [
        SessionUnit(str(n), f"p{made.people[n]}", str(names[n]), n // A_DAY, {metric: float(value)})
        for n, value in enumerate(made.values[metric])
    ]
    experiment = experiment_of(made.number, metric)
    for day in range(1, DAYS + 1):
        report = look(experiment, units[: day * A_DAY], day, POLICY, GatePolicy().alpha)
        if report.conclusion.outcome is not None:
            return day, report.conclusion.outcome
    return 0, None


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each simulated experiment without an effect as a case, then power and days with one."""
    count = amount(context, instant=200, quick=1000, full=1000)
    same = [simulated(number) for number in range(count)]
    for metric in METRICS:
        fooled = [sequence_day(made, metric, POLICY.alpha) for made in same]
        naive = [naive_day(made, metric) for made in same]
        for made, day in zip(same, fooled, strict=True):
            told = f"on day {day}" if day else "never"
            yield case(f"A/A {metric} {made.number}", day == 0, given=told, wanted="never")
        yield lower(
            f"A/A: called different by {metric}",
            sum(map(bool, fooled)) / count,
            "share",
            target=0.05,
            baseline=sum(map(bool, naive)) / count,
            baseline_name="a t-test each day",
        )
    for about, gain, factor in EFFECTS:
        made = [simulated(10_000 + n, gain, factor) for n in range(max(50, count // 5))]
        for metric in METRICS:
            found = [day for one in made if (day := sequence_day(one, metric, POLICY.alpha))]
            fixed = sum(bool(naive_day(one, metric, last_only=True)) for one in made)
            name = f"{about} effect on {metric}"
            yield higher(
                f"power, {name}",
                len(found) / len(made),
                baseline=fixed / len(made),
                baseline_name="one t-test after 28 days",
            )
            yield lower(f"days to decide, {name}", median(found) if found else None, "days")
    async for finding in _by_the_product(context):
        yield finding


async def _by_the_product(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Some experiments looked at by the whole product each day, with the gate's 1 %."""
    some = amount(context, instant=4, quick=CHECKED, full=CHECKED)
    ends = [product_day(simulated(n), METRICS[0]) for n in range(some)]
    wrong = sum(end is ExperimentOutcome.BETTER for _, end in ends)
    yield lower("A/A: variants proposed to the gate", wrong / some, "share", target=0.01)
    with_gain = [product_day(simulated(10_000 + n, 0.2), METRICS[0]) for n in range(some)]
    won = [day for day, end in with_gain if end is ExperimentOutcome.BETTER]
    yield higher("large effect on success: proposed to the gate", len(won) / some)
    yield lower("days until then", median(won) if won else None, "days")


if __name__ == "__main__":
    measured("experiments")
