"""The time of an evaluation: who comes first, who gets how much, and what goes on later."""

import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.core.evaluations import (
    CaseOutcome,
    Chapter,
    EvaluationSet,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.evaluation.board import schedule
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.evaluation import BoardOptions
from hammerstone.evaluation.board.measurement import (
    FULL,
    INSTANT,
    QUICK,
    Finding,
    Measurement,
    Needs,
)
from hammerstone.evaluation.board.schedule import LEAST_S, Schedule, goes_on
from hammerstone.evaluation.chapters.findings import amount
from tests.unit.evaluation.board.boards import board_database, counting, measure, outcome

WHOLE = BoardOptions(EvaluationSet.FULL)


def _named(name: str, **more: object) -> Measurement:
    return counting(name, [], **more)  # type: ignore[arg-type]


def _record(name: str, state: MeasurementState, **more: object) -> MeasurementRecord:
    metrics = (MetricValue("right", 1.0),)
    return MeasurementRecord(name, name, Chapter.CORRECTNESS, state, metrics=metrics, **more)  # type: ignore[arg-type]


def test_what_has_not_begun_comes_first_then_the_smaller_sets_then_those_without_a_model():
    asks = Needs(model=True)
    some = [
        _named("whole", sets=FULL),
        _named("live", sets=QUICK, needs=asks),
        _named("quick", sets=QUICK),
        _named("begun", sets=INSTANT),
        _named("instant", sets=INSTANT),
    ]
    before = {"begun": _record("begun", MeasurementState.PARTLY)}
    order = Schedule(EvaluationSet.FULL).order(some, before)
    assert [one.name for one in order] == ["instant", "quick", "live", "whole", "begun"]


def test_a_short_time_reaches_some_wholly_rather_than_all_a_little():
    some = [_named(f"m{number}", sets=FULL, weight=2) for number in range(80)]
    now = time.monotonic()
    turn = Schedule(EvaluationSet.FULL, now + 600).turn(some, None)
    assert turn and turn.until and turn.until - now == pytest.approx(2 * LEAST_S, abs=1)
    assert Schedule(EvaluationSet.FULL, now + 10).turn(some, None) is None
    long = Schedule(EvaluationSet.FULL, now + 80 * 500).turn(some, None)
    assert long and long.until and long.until - now == pytest.approx(500, abs=1)


def test_what_cannot_be_cut_does_less_or_waits():
    large = _named("large", sets=FULL, full_s=300)
    longest = _named("longest", sets=FULL, least_s=1800)
    now = time.monotonic()
    short = Schedule(EvaluationSet.FULL, now + 100)
    turn = short.turn([large], None)
    assert turn and turn.amounts is EvaluationSet.QUICK
    assert short.turn([longest], None) is None
    partly = _record("large", MeasurementState.PARTLY)
    assert short.turn([large], partly) is None  # it would be no more than before
    enough = Schedule(EvaluationSet.FULL, now + 400).turn([large], partly)
    assert enough and enough.amounts is None


def test_what_begins_anew_needs_more_time_than_before():
    chain = _named("chain", sets=FULL, chained=True)
    before = _record("chain", MeasurementState.PARTLY, seconds=100.0)
    now = time.monotonic()
    assert Schedule(EvaluationSet.FULL, now + 120).turn([chain], before) is None
    assert Schedule(EvaluationSet.FULL, now + 200).turn([chain], before) is not None


def _slow(name: str, done: list[str], **more: object) -> Measurement:
    def passes(case: str) -> bool:
        time.sleep(0.05)
        return True

    return counting(name, done, passes, cases=12, sets=FULL, **more)  # type: ignore[arg-type]


async def test_a_bounded_full_run_goes_on_with_the_same_command_until_all_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(schedule, "LEAST_S", 0.2)
    done: dict[str, list[str]] = {"one": [], "two": [], "three": []}
    some = [_slow(name, cases) for name, cases in done.items()]
    options = replace(WHOLE, budget_s=0.3)
    async with board_database(tmp_path) as (db, settings):
        first, records = await measure(db, settings, *some, options=options)
        states = [records[name].state for name in done]
        assert first.finished_at and MeasurementState.WAITING in states
        partly = records["one"]
        assert partly.state is MeasurementState.PARTLY and "of 12 cases" in partly.why
        assert done["one"] != sorted(done["one"])  # a mixed order: a sample of all
        ids = {first.id}
        for _ in range(30):
            run, records = await measure(db, settings, *some, options=options)
            ids.add(run.id)
            if all(one.state is MeasurementState.DONE for one in records.values()):
                break
        assert ids == {first.id}
        assert all(len(cases) == 12 for cases in done.values())  # none twice
        assert records["one"].seconds > partly.seconds  # what it cost in all
        after, _ = await measure(db, settings, *some, options=options)
        assert after.id != first.id


async def test_cases_that_were_done_survive_a_kill_just_after_going_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    done: list[str] = []
    options = replace(WHOLE, budget_s=0.3)
    monkeypatch.setattr(schedule, "LEAST_S", 0.2)
    async with board_database(tmp_path) as (db, settings):
        run, _ = await measure(db, settings, _slow("one", done), options=options)
        before = len(done)

        async def broken(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
            yield outcome("c0")
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await measure(db, settings, replace(_slow("one", []), run=broken), options=options)
        kept = [one async for one in db.evaluations.cases(run.id, "one")]
        assert len(kept) >= before


async def test_quick_amounts_are_said_and_not_taken_for_the_full_ones(tmp_path: Path):
    seen: list[int] = []

    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        count = amount(context, instant=1, quick=2, full=5)
        seen.append(count)
        found: list[CaseOutcome] = [outcome(f"c{n}") for n in range(count)]
        for one in found:
            yield one
        yield MetricValue("right", 1.0)

    large = Measurement("large", "Large", Chapter.CORRECTNESS, run, FULL, full_s=300)
    async with board_database(tmp_path) as (db, settings):
        _, records = await measure(db, settings, large, options=replace(WHOLE, budget_s=60))
        assert seen == [2] and records["large"].state is MeasurementState.PARTLY
        assert "quick set" in records["large"].why
        again, records = await measure(db, settings, large, options=replace(WHOLE, budget_s=600))
        assert seen == [2, 5] and records["large"].state is MeasurementState.DONE
        assert len([one async for one in db.evaluations.cases(again.id, "large")]) == 5


def test_time_that_is_left_over_goes_only_to_what_can_use_it():
    partly = _record("m", MeasurementState.PARTLY)
    assert goes_on(_named("m"), partly)
    assert not goes_on(_named("m"), replace(partly, metrics=()))  # it did not come to an end
    assert not goes_on(_named("m"), replace(partly, state=MeasurementState.WAITING))
    for whole in ({"timed": True}, {"chained": True}, {"full_s": 60.0}):
        assert not goes_on(_named("m", **whole), partly)
