"""How an experiment ends: better, worse, no effect, a guard, or the end of its time."""

from datetime import UTC, datetime

import numpy as np
import pytest

from hammerstone.core.experiments import (
    Experiment,
    ExperimentMetric,
    ExperimentOutcome,
    ExperimentPlan,
    TrialVariant,
)
from hammerstone.learn.experiments.conclusion import ExperimentReport, look
from hammerstone.learn.experiments.units import SessionUnit
from hammerstone.learn.policies import ExperimentPolicy

START = datetime(2026, 3, 1, tzinfo=UTC)
SUCCESS, CALLS = ExperimentMetric.SUCCESS, ExperimentMetric.MODEL_CALLS


def looked(
    rates: dict[str, float],
    *,
    calls: dict[str, float] | None = None,
    sessions: int = 800,
    day: int = 3,
    gate_alpha: float = 0.01,
    seed: int = 1,
    **plan: object,
) -> ExperimentReport:
    """A look after so many sessions, each variant with its rate of success and its model calls."""
    rng = np.random.default_rng(seed)
    names = list(rates)
    variants = (
        TrialVariant(names[0]),
        *(TrialVariant(name, {"fit.high": 0.9}) for name in names[1:]),
    )
    wanted = ExperimentPlan(**{"max_days": 28, **plan})  # type: ignore[arg-type]
    experiment = Experiment("e", "t", variants, wanted, START, "ada")
    units: list[SessionUnit] = []
    for number in range(sessions):
        name = names[rng.integers(len(names))]
        values = {
            SUCCESS: float(rng.random() < rates[name]),
            CALLS: float(rng.poisson((calls or {}).get(name, 2.0))),
        }
        units.append(SessionUnit(str(number), f"p{number % 50}", name, day, values))
    return look(experiment, units, day, ExperimentPolicy(), gate_alpha)


def test_a_variant_that_is_clearly_better_wins() -> None:
    report = looked({"as it is": 0.5, "b": 0.8})
    assert report.conclusion.outcome is ExperimentOutcome.BETTER
    assert report.conclusion.winner is not None and report.conclusion.winner.variant == "b"
    assert "b is better: a gain of" in report.conclusion.reason


def test_fewer_model_calls_are_a_gain() -> None:
    report = looked({"as it is": 0.8, "b": 0.8}, calls={"as it is": 4, "b": 2}, metric=CALLS)
    assert report.conclusion.outcome is ExperimentOutcome.BETTER
    assert report.main[0].gain.low > 0 and report.main[0].means[1] < report.main[0].means[0]


def test_a_variant_that_is_worse_ends_it() -> None:
    assert looked({"as it is": 0.8, "b": 0.4}).conclusion.outcome is ExperimentOutcome.WORSE


def test_a_null_result_is_called_one() -> None:
    report = looked({"as it is": 0.5, "b": 0.5}, sessions=6000, minimum_effect=0.1)
    assert report.conclusion.outcome is ExperimentOutcome.NULL
    assert "no variant is better by 0.1 or more" in report.conclusion.reason


def test_a_gain_below_the_minimum_does_not_win() -> None:
    report = looked({"as it is": 0.5, "b": 0.62}, sessions=8000, minimum_effect=0.3)
    assert report.conclusion.outcome is ExperimentOutcome.NULL


def test_a_guard_ends_it_whatever_the_metric_says() -> None:
    report = looked(
        {"as it is": 0.9, "b": 0.5},
        calls={"as it is": 5, "b": 1},
        metric=CALLS,
        guards=(SUCCESS,),
    )
    assert report.conclusion.outcome is ExperimentOutcome.GUARD
    assert report.conclusion.reason.startswith("success gets worse with b")
    assert report.conclusion.winner is None


def test_when_the_time_is_over_it_ends_undecided() -> None:
    running = looked({"as it is": 0.5, "b": 0.52}, sessions=200, day=27)
    over = looked({"as it is": 0.5, "b": 0.52}, sessions=200, day=28)
    assert running.conclusion.outcome is None
    assert over.conclusion.outcome is ExperimentOutcome.UNDECIDED
    assert "no difference is certain" in over.conclusion.reason


def test_too_few_sessions_say_nothing() -> None:
    report = looked({"as it is": 0.0, "b": 1.0}, sessions=40)
    assert report.conclusion.outcome is None and report.main[0].to_json()["low"] is None


def test_it_waits_until_the_gate_would_be_certain() -> None:
    rates = {"as it is": 0.5, "b": 0.75}
    easy = looked(rates, sessions=500, gate_alpha=0.05)
    strict = looked(rates, sessions=500, gate_alpha=1e-12)
    assert easy.conclusion.outcome is ExperimentOutcome.BETTER
    assert strict.conclusion.outcome is None and "is ahead" in strict.conclusion.reason


@pytest.mark.parametrize("extra", [1, 2])
def test_of_several_variants_the_best_wins(extra: int) -> None:
    rates = {"as it is": 0.4, "good": 0.8} | {f"v{n}": 0.4 for n in range(extra)}
    report = looked(rates, sessions=1500)
    assert report.conclusion.winner is not None and report.conclusion.winner.variant == "good"
    assert len(report.main) == extra + 1
