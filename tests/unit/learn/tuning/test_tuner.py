"""The tuner: a gain that is there is found and proposed, nothing else is."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.tuning.intervals import capped, gain
from hammerstone.learn.tuning.knob import KnobValues, Scores, TuningCase
from hammerstone.learn.tuning.trial_values import BayesianTrials, GridTrials
from hammerstone.learn.tuning.tuner import StudyOutcome, Tuner, TuningFinding, split_by_time
from hammerstone.storage import Database
from tests.hand_clock import HandClock

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Dial:
    """A knob between 0 and 1; a case is right where the dial stands near it."""

    name, policy, about = "dial", "fit", "where it stands"

    def __init__(self, cases: Sequence[TuningCase], now: float = 0.1) -> None:
        self.known = list(cases)
        self.now = now
        self.looked = 0
        self.dies_after = 10_000
        self.doubted = ""

    def present(self) -> dict[str, float]:
        return {"high": self.now}

    def grid(self) -> list[dict[str, float]]:
        return [{"high": step / 10} for step in range(1, 10)]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"high": (0.0, 1.0)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        return {"high": round(values["high"], 3)}

    async def cases(self, until: datetime) -> list[TuningCase]:
        return [case for case in self.known if case.at <= until]

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        self.looked += 1
        if self.looked > self.dies_after:
            raise KeyboardInterrupt
        return np.array([float(abs(case.data - values["high"]) < 0.15) for case in cases])

    def doubt(self, cases: Sequence[TuningCase]) -> str:
        return self.doubted


def cases_at(
    place: float, count: int = 200, spread: float = 0.1, seed: int = 1
) -> list[TuningCase]:
    draw = np.random.default_rng(seed)
    return [
        TuningCase(
            f"c{number}",
            f"s{number // 4}",
            NOW + timedelta(minutes=number),
            float(np.clip(draw.normal(place, spread), 0, 1)),
            user=f"u{number % 3}",
        )
        for number in range(count)
    ]


@pytest.fixture
def clock() -> HandClock:
    clock = HandClock()
    clock.time = NOW + timedelta(days=10)
    return clock


async def tuned(clock: HandClock, dial: Dial, **more: Any) -> StudyOutcome:
    return await Tuner(TuningPolicy(), clock, **more).study(dial)


async def test_a_gain_is_found_judged_on_later_cases_and_proposed(clock: HandClock) -> None:
    outcome = await tuned(clock, Dial(cases_at(0.6)))
    assert outcome.finding is TuningFinding.BETTER
    assert outcome.best["high"] == pytest.approx(0.6, abs=0.1)
    assert outcome.gain is not None
    assert 0.5 < outcome.gain.low < outcome.gain.mean < outcome.gain.high
    proposal = outcome.proposal
    assert proposal is not None
    assert proposal.target == "fit"
    assert len(proposal.evidence.held_out) == 80
    assert proposal.change["values"] == outcome.best


async def test_nothing_is_proposed_where_nothing_helps(clock: HandClock) -> None:
    outcome = await tuned(clock, Dial(cases_at(0.6), now=0.6))
    assert outcome.finding is TuningFinding.NOTHING_HELPS
    assert outcome.proposal is None
    proposed = 0
    for seed in range(10):
        draw = np.random.default_rng(seed)
        noise = [TuningCase(c.id, c.group, c.at, float(draw.uniform(0, 1))) for c in cases_at(0.5)]
        proposed += (await tuned(clock, Dial(noise, now=0.5))).proposal is not None
    assert proposed <= 1


async def test_a_gain_that_the_knob_itself_doubts_is_not_proposed(clock: HandClock) -> None:
    dial = Dial(cases_at(0.6))
    dial.doubted = "the labels were thrown"
    outcome = await tuned(clock, dial)
    assert (outcome.finding, outcome.proposal) == (TuningFinding.NOTHING_HELPS, None)
    assert outcome.gain is not None and outcome.gain.sure
    assert "the labels were thrown" in outcome.reason


async def test_too_few_cases_say_nothing(clock: HandClock) -> None:
    outcome = await tuned(clock, Dial(cases_at(0.6, count=20)))
    assert (outcome.finding, outcome.trials) == (TuningFinding.TOO_FEW, 0)
    assert "60 are needed" in outcome.reason


async def test_a_knob_under_experiment_is_left_alone(clock: HandClock) -> None:
    class Running:
        async def in_use(self, name: str) -> str:
            return "the experiment bands-1" if name == "fit.high" else ""

    dial = Dial(cases_at(0.6))
    outcome = await tuned(clock, dial, use=Running())
    assert (outcome.finding, dial.looked) == (TuningFinding.IN_USE, 0)
    assert "bands-1" in outcome.reason


async def test_a_study_that_was_killed_goes_on_with_its_trials(
    clock: HandClock, tmp_path: Path
) -> None:
    db = await Database.open_url(f"sqlite:///{tmp_path}/t.db", clock=clock)
    try:
        dial = Dial(cases_at(0.6))
        dial.dies_after = 5
        with pytest.raises(KeyboardInterrupt):
            await tuned(clock, dial, studies=db.studies)
        (running,) = await db.studies.list()
        assert running.state == "running"
        assert len(await db.studies.trials(running.id)) == 5
        clock.forward(days=1)
        later = [
            TuningCase(f"n{n}", f"n{n}", clock.now() - timedelta(hours=1), 0.2) for n in range(500)
        ]
        again = Dial([*dial.known, *later])
        outcome = await tuned(clock, again, studies=db.studies)
        trials = await db.studies.trials(running.id)
        assert [trial.number for trial in trials] == list(range(1, TuningPolicy().trials + 1))
        assert again.looked == TuningPolicy().trials - 5 + 2  # and both values on the later cases
        assert outcome.cases == 200  # those that it began with
        (ended,) = await db.studies.list()
        assert (ended.state, (ended.outcome or {})["finding"]) == ("ended", "better")
    finally:
        await db.close()


async def test_a_killed_study_is_left_when_the_values_in_force_have_changed(
    clock: HandClock, tmp_path: Path
) -> None:
    db = await Database.open_url(f"sqlite:///{tmp_path}/t.db", clock=clock)
    try:
        dial = Dial(cases_at(0.6))
        dial.dies_after = 5
        with pytest.raises(KeyboardInterrupt):
            await tuned(clock, dial, studies=db.studies)
        clock.forward(60)
        await tuned(clock, Dial(dial.known, now=0.2), studies=db.studies)
        new, old = await db.studies.list()
        assert (old.outcome or {})["finding"] == "left"
        assert new.id != old.id
    finally:
        await db.close()


def test_sessions_are_never_split() -> None:
    cases = cases_at(0.5, count=103)
    split = split_by_time(list(reversed(cases)), 0.6)
    assert not {c.group for c in split.earlier} & {c.group for c in split.later}
    assert max(c.at for c in split.earlier) < min(c.at for c in split.later)
    assert len(split.earlier) + len(split.later) == 103


def test_one_person_does_not_outweigh_the_others() -> None:
    weights = capped(np.ones(100), ["loud"] * 90 + ["a"] * 5 + ["b"] * 5, 0.5)
    assert weights[:90].sum() == pytest.approx(weights[90:].sum())
    assert capped(np.ones(3), ["a", "a", "a"], 0.5).sum() == 3


def test_an_interval_is_over_sessions_and_not_over_cases() -> None:
    draw = np.random.default_rng(0)
    by_session = np.repeat(draw.normal(0.1, 1, 20), 50)
    one = gain(by_session, np.ones(1000), [f"s{n // 50}" for n in range(1000)])
    each = gain(by_session, np.ones(1000), [f"c{n}" for n in range(1000)])
    assert one.high - one.low > 3 * (each.high - each.low)
    assert not gain(np.ones(5), np.ones(5), ["s"] * 5).sure  # one session proves nothing


def test_a_search_goes_on_from_what_was_tried() -> None:
    dial = Dial([])
    tried = [({"high": step / 10}, -abs(step / 10 - 0.62)) for step in range(1, 10)]
    assert GridTrials(dial).next(tried) is None
    found = [BayesianTrials(dial, seed).next(tried) for seed in range(8)]
    near = [abs(one["high"] - 0.62) < 0.25 for one in found if one is not None]
    assert sum(near) >= 5
