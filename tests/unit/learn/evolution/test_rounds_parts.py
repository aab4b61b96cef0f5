"""What a round is made of: the split, trials, the purse, and what the monitor concludes."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BadRequest, BudgetExceeded, NotFound
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy, MonitorPolicy
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.monitoring import (
    ChangeMark,
    MonitorFinding,
    SuiteLook,
    judge_looks,
)
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import CaseScore, TrackCase, Trial
from hammerstone.learn.evolution.tracks.trials import (
    CaseRun,
    GuardedTrials,
    OnRun,
    ignored,
    interval,
    split_suite,
)

POLICY, MONITOR = EvolutionPolicy(), MonitorPolicy()
CASES = [
    TrackCase(f"c{n}", f"request {n}", n, tags=("frozen",) if n < 4 else ()) for n in range(20)
]
BETTER = Trial(prompts={"solve": "x"})
START = datetime(2026, 1, 1, tzinfo=UTC)


class Bench:
    """A suite whose cases are right with a trial, and half of them without."""

    name, cases = "s", tuple(CASES)

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def run(
        self, cases: Sequence[TrackCase], trial: Trial, purse: TrackPurse, seen: OnRun = ignored
    ) -> list[CaseRun]:
        runs: list[CaseRun] = []
        for case in cases:
            purse.check()
            purse.spend(Usage(output_tokens=10, calls=1))
            self.ran.append(case.id)
            right = not trial.empty or int(case.id[1:]) % 2 == 0
            runs.append(CaseRun(CaseScore(case.id, float(right)), RunFacts("", case.request)))
            seen(runs[-1])
        return runs


def test_the_split_is_the_same_each_time_and_leaves_no_case_on_two_sides():
    twin = TrackCase("twin", " Request  3 ", 3)
    split = split_suite([*CASES, twin], POLICY)
    assert split == split_suite([*reversed([*CASES, twin])][::-1], POLICY)
    sides = [{case.id for case in part} for part in (split.train, split.validation, split.hidden)]
    assert sum(map(len, sides)) == 21 and len(set.union(*sides)) == 21
    assert sum({"twin", "c3"} <= side for side in sides) == 1
    assert min(map(len, sides)) >= 4


def test_few_cases_and_contradictions_are_named():
    assert "3 different cases are too few" in split_suite(CASES[:3], POLICY).refusal
    other = TrackCase("other", "REQUEST 3", 99)
    found = split_suite([*CASES, other], POLICY)
    assert found.problems == ("c3, other ask the same and want different answers: left out",)
    assert "c3" not in {case.id for case in (*found.shown, *found.hidden)}


async def test_hidden_cases_come_back_as_pairs_only_and_nothing_is_run_twice():
    bench, split = Bench(), split_suite(CASES, POLICY)
    trials = GuardedTrials(bench, split, TrackPurse(TrackBudget()))
    with pytest.raises(NotFound):
        await trials.score([split.hidden[0].id], BETTER)
    with pytest.raises(BadRequest):
        await trials.test(Trial())
    shown = [case.id for case in split.train]
    assert [one.case for one in await trials.score(shown, BETTER)] == shown
    await trials.score(shown, BETTER)
    assert len(bench.ran) == len(shown)
    found = await trials.test(BETTER)
    assert len(found.pairs) == len(split.hidden) and found.looks == 1
    assert all(pair.case.startswith("hidden ") for pair in found.pairs)
    assert found.after.mean == 1.0 > found.before.mean
    frozen = sum("frozen" in case.tags for case in split.hidden)
    assert len(found.passes) == frozen
    assert (await trials.test(BETTER)).looks == 2


async def test_a_budget_ends_before_the_case_that_would_be_too_much():
    bench = Bench()
    purse = TrackPurse(TrackBudget(tokens=35))
    trials = GuardedTrials(bench, split_suite(CASES, POLICY), purse)
    with pytest.raises(BudgetExceeded):
        await trials.everything()
    assert len(bench.ran) == 4 and purse.used_up and purse.left.tokens == 0


def test_time_is_money_too():
    now = [0.0]
    purse = TrackPurse(TrackBudget(seconds=5.0), lambda: now[0])
    purse.check()
    now[0] = 6.0
    assert purse.used_up and purse.seconds_left == 0.0
    with pytest.raises(BudgetExceeded, match="5 seconds"), purse.reserve(10):
        pass


def test_an_interval_of_nothing_says_nothing():
    assert interval([]).high == 1.0
    assert interval([1.0] * 20).low > 0.8


def looks(*days: float, cases: int = 40, answered: float = 1.0) -> list[SuiteLook]:
    """Days on which that share of the cases is right, always the easiest ones."""
    return [
        SuiteLook(
            START + timedelta(days=day),
            share,
            answered,
            {f"c{n}": float(n < share * cases) for n in range(cases)},
        )
        for day, share in enumerate(days)
    ]


def test_the_monitor_concludes_nothing_from_an_outage():
    down = [*looks(*[0.9] * 10), SuiteLook(START + timedelta(days=10), 0.0, 0.1, {})]
    assert judge_looks(down, [], MONITOR).finding is MonitorFinding.OUTAGE
    back = [*down, *looks(*[0.9] * 12)[11:]]
    assert judge_looks(back, [], MONITOR).finding is MonitorFinding.STEADY


def test_of_several_looks_on_a_day_the_last_one_counts():
    mended = [SuiteLook(START + timedelta(hours=n), s, 1.0, {"c": s}) for n, s in enumerate((0, 1))]
    found = judge_looks(mended, [], MONITOR)
    assert (found.finding, found.average) == (MonitorFinding.STEADY, 1.0)
    busy = [*looks(*[0.9] * 17), *looks(*[0.9] * 17)[-1:] * 20]
    assert judge_looks(busy, [], MONITOR).finding is MonitorFinding.STEADY


def test_too_low_drift_and_a_change_that_lost():
    assert judge_looks([], [], MONITOR).finding is MonitorFinding.STEADY
    assert judge_looks(looks(0.5, 0.5, 0.5), [], MONITOR).finding is MonitorFinding.LOW
    falling = looks(*[0.98] * 14, 0.75, 0.75, 0.75)
    drift = judge_looks(falling, [], MONITOR)
    assert drift.finding is MonitorFinding.DRIFT and drift.evolve
    change = ChangeMark("p", "another prompt", START + timedelta(days=13, hours=12))
    older = ChangeMark("q", "a policy", START + timedelta(days=2))
    lost = judge_looks(falling, [older, change], MONITOR)
    assert lost.finding is MonitorFinding.LOST and lost.change == change
    assert judge_looks(looks(*[0.9] * 17), [change], MONITOR).finding is MonitorFinding.STEADY


async def test_what_is_done_within_a_purse_ends_with_its_time():
    with pytest.raises(BudgetExceeded, match="seconds for one evolution"):
        async with TrackPurse(TrackBudget(seconds=0.05)).within():
            await asyncio.sleep(30)
    with pytest.raises(TimeoutError):  # somebody else's limit is somebody else's matter
        async with TrackPurse(TrackBudget(seconds=60)).within(), asyncio.timeout(0.01):
            await asyncio.sleep(30)
    async with TrackPurse(TrackBudget()).within():
        await asyncio.sleep(0)
