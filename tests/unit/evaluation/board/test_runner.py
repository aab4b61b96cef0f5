"""An evaluation: recorded, not repeated, gone on with, and never stopped by one measurement."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.core.errors import ModelUnavailable, NotFound, Refused, StorageError
from hammerstone.core.evaluations import (
    CaseMark,
    CaseOutcome,
    Chapter,
    EvaluationSet,
    MeasurementState,
)
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board import runner, schedule
from hammerstone.evaluation.board.context import MeasurementContext, repeated
from hammerstone.evaluation.board.evaluation import BoardOptions, evaluate_board, lease_name
from hammerstone.evaluation.board.measurement import FULL, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.board.runner import NoProgress
from hammerstone.evaluation.board.scoreboard import read_scoreboard
from hammerstone.storage import Database
from hammerstone.storage.stores.queue.leases import HeldLease
from tests.unit.evaluation.board.boards import INSTANT, board_database, counting, measure, outcome


async def test_every_case_and_number_is_recorded(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        run, records = await measure(db, settings, counting("sums", [], lambda c: c != "c1"))
        assert run.finished_at
        record = records["sums"]
        assert record.state is MeasurementState.DONE and record.work
        (metric,) = record.metrics
        assert metric.value == 0.8 and metric.low is not None
        board = await read_scoreboard(db, run.id)
        assert board.tally(record).failed == 1
        assert board.to_json()["measurements"][0]["passed"] == 4  # type: ignore[index,call-overload]


async def test_identical_work_is_not_repeated_unless_asked(tmp_path: Path):
    done: list[str] = []
    async with board_database(tmp_path) as (db, settings):
        first, _ = await measure(db, settings, counting("sums", done))
        second, records = await measure(db, settings, counting("sums", done))
        assert len(done) == 5 and first.id != second.id
        assert records["sums"].reused
        assert len([one async for one in db.evaluations.cases(second.id, "sums")]) == 5
        await measure(db, settings, counting("sums", done), options=replace(INSTANT, again=True))
        assert len(done) == 10
        await measure(db, settings, counting("sums", done, revision=2))
        assert len(done) == 15


async def test_a_run_that_was_broken_off_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "BATCH", 1)
    done: list[str] = []
    stop = asyncio.Event()

    def passes(case: str) -> bool:
        if case == "c3" and not stop.is_set():
            stop.set()
            raise asyncio.CancelledError
        return True

    async with board_database(tmp_path) as (db, settings):
        with pytest.raises(asyncio.CancelledError):
            await measure(db, settings, counting("sums", done, passes))
        (broken,) = await db.evaluations.recent()
        assert broken.finished_at is None
        run, _ = await measure(
            db, settings, counting("sums", done, passes), options=replace(INSTANT, resume=True)
        )
        assert run.id == broken.id
        assert done == ["c0", "c1", "c2", "c3", "c3", "c4"]


async def test_two_evaluations_do_not_work_on_one_run(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        with pytest.raises(NotFound):
            await measure(db, settings, counting("sums", []), options=replace(INSTANT, resume=True))
        run, _ = await measure(db, settings, counting("sums", []))
        await db.evaluations.finish(run.id, None)  # as if it was going on elsewhere
        other = HeldLease(db.leases, lease_name(run.id), "somebody")
        assert await other.take()
        resume = replace(INSTANT, resume=True)
        with pytest.raises(Refused, match="another process"):
            await measure(db, settings, counting("sums", []), options=resume)
        fresh, _ = await measure(db, settings, counting("sums", []))
        assert fresh.id != run.id  # without --resume it is a run of its own
        await other.give_back()
        again, _ = await measure(db, settings, counting("sums", []), options=resume)
        assert again.id == run.id


def _broken(name: str, error: Exception) -> Measurement:
    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        yield outcome("first")
        raise error

    return Measurement(name, name, Chapter.SYNTHESIS, run)


async def test_what_breaks_says_why_and_the_others_go_on(tmp_path: Path):
    needs = Needs(files=("nowhere.jsonl",))
    async with board_database(tmp_path) as (db, settings):
        _, records = await measure(
            db,
            settings,
            _broken("down", ModelUnavailable("the model is down", hint="start it")),
            _broken("odd", ZeroDivisionError("zero")),
            counting("missing", [], needs=needs),
            counting("asks", [], needs=Needs(model=True)),
            counting("sums", []),
        )
    assert records["down"].state is MeasurementState.FAILED
    assert "the model is down" in records["down"].why and "start it" in records["down"].why
    assert "ZeroDivisionError: zero" in records["odd"].why
    assert records["missing"].state is MeasurementState.SKIPPED
    assert "nowhere.jsonl" in records["missing"].why
    assert "hammerstone model pull" in records["asks"].why
    assert records["sums"].state is MeasurementState.DONE


async def test_a_measurement_whose_time_is_up_keeps_what_it_has(tmp_path: Path):
    done: list[str] = []

    def slow(case: str) -> bool:
        time.sleep(0.05)
        return True

    async with board_database(tmp_path) as (db, settings):
        options = replace(INSTANT, budget_s=0.12)
        _, records = await measure(
            db, settings, counting("slow", done, slow, cases=50), options=options
        )
        record = records["slow"]
        assert record.state is MeasurementState.PARTLY and "time was up" in record.why
        assert 1 <= len(done) < 50 and record.metrics


async def test_a_hanging_measurement_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "GRACE_S", 0.1)

    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        yield outcome("first")
        await asyncio.Event().wait()

    hanging = Measurement("hangs", "Hangs", Chapter.SYNTHESIS, run)
    async with board_database(tmp_path) as (db, settings):
        _, records = await measure(
            db, settings, hanging, counting("sums", []), options=replace(INSTANT, budget_s=1.0)
        )
    assert records["hangs"].state is MeasurementState.PARTLY


async def test_times_are_taken_by_one_evaluation_at_a_time_and_never_from_a_record(tmp_path: Path):
    done: list[str] = []
    async with board_database(tmp_path) as (db, settings):
        await measure(db, settings, counting("times", done, timed=True))
        await measure(db, settings, counting("times", done, timed=True))
        assert len(done) == 10
        lease = await db.leases.take(runner.TIMES, "another", 60)
        assert lease
        _, records = await measure(db, settings, counting("times", done, timed=True))
        assert records["times"].state is MeasurementState.WAITING
        assert "another evaluation" in records["times"].why


async def test_a_disk_that_fills_stops_the_run_which_can_go_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    done: list[str] = []
    async with board_database(tmp_path) as (db, settings):
        put = db.evaluations.put_cases

        async def full(*_: object) -> None:
            raise StorageError("the disk is full", hint="free some space")

        monkeypatch.setattr(db.evaluations, "put_cases", full)
        with pytest.raises(StorageError, match="disk is full"):
            await measure(db, settings, counting("sums", done))
        monkeypatch.setattr(db.evaluations, "put_cases", put)
        (broken,) = await db.evaluations.recent()
        run, records = await measure(db, settings, counting("sums", done))
        assert run.id == broken.id and records["sums"].state is MeasurementState.DONE


async def test_a_case_that_ends_differently_is_flaky_and_counted_apart(tmp_path: Path):
    seen: list[str] = []
    times = iter(range(100))

    def passes(case: str) -> bool:
        return case != "c2" or next(times) % 2 == 0

    async with board_database(tmp_path) as (db, settings):
        options = BoardOptions(INSTANT.chosen, repeat=3)
        run, records = await measure(db, settings, counting("sums", seen, passes), options=options)
        assert len(seen) == 15
        tally = (await db.evaluations.tallies(run.id))["sums"]
        assert (tally.passed, tally.failed, tally.flaky) == (4, 0, 1)
        assert records["sums"].metrics[0].value == 1.0
        (flaky,) = [one async for one in db.evaluations.cases(run.id, "sums", [CaseMark.FLAKY])]
        assert flaky.score == pytest.approx(2 / 3) and "passed 2 of 3 times" in flaky.reason


def test_an_error_of_a_grader_does_not_make_a_case_flaky():
    broken = replace(outcome("a"), mark=CaseMark.GRADER_ERROR, score=0.0)
    assert repeated([broken, outcome("a")]).mark is CaseMark.PASSED
    assert repeated([broken, broken]).mark is CaseMark.GRADER_ERROR


async def test_changed_policies_are_another_version_and_nothing_of_them_is_kept(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        plain, _ = await measure(db, settings, counting("sums", []))
        options = replace(INSTANT, policies={"answer": {"max_solutions": 1}})
        changed, _ = await measure(db, settings, counting("sums", []), options=options)
        assert plain.versions.policies == "shipped" != changed.versions.policies
        assert await db.policies.all_active() == []


async def test_an_unknown_measurement_is_told(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        options = replace(INSTANT, names=("nonsense",))
        with pytest.raises(Exception, match="no measurement 'nonsense'"):
            await evaluate_board(db, settings, options, known=[counting("sums", [])])


async def test_what_asks_a_model_comes_last_and_stands_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(BoardResources, "no_model", lambda self: "")
    done: list[str] = []
    asks = counting("asks", done, cases=1, needs=Needs(model=True))
    plain = counting("plain", [], cases=1)
    async with board_database(tmp_path) as (db, settings):
        order: list[str] = []

        class Seen(NoProgress):
            def begins(self, title: str, number: int, total: int) -> None:
                order.append(title)

        run = await evaluate_board(db, settings, INSTANT, progress=Seen(), known=[asks, plain])
        records = await db.evaluations.records(run.id)
    assert order == ["Plain", "Asks"] and done == ["c0"]
    assert [one.measurement for one in records] == ["asks", "plain"]


async def test_cases_that_depend_on_earlier_ones_are_done_again_as_a_whole() -> None:
    done: list[str] = []

    async def work(name: str) -> CaseOutcome:
        done.append(name)
        return outcome(name)

    context = MeasurementContext(None, EvaluationSet.INSTANT, {"a": outcome("a")})  # type: ignore[arg-type]
    for chained, expected in ((False, ["b"]), (True, ["a", "b"])):
        done.clear()
        found = [one async for one in context.each(["a", "b"], str, work, chained=chained)]
        assert len(found) == 2 and done == expected


async def test_what_is_measured_cannot_reach_the_persons_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    address = f"sqlite:///{tmp_path}/own.db"
    monkeypatch.setenv("DATABASE_URL", address)
    seen: list[object] = []

    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        seen.append(context.settings.database_url)
        seen.append(Settings(data_dir=tmp_path / "other").database_url)
        seen.append(context.resources.own.database_url)
        yield outcome("first")

    nosy = Measurement("nosy", "Nosy", Chapter.SYNTHESIS, run)
    settings = Settings(data_dir=tmp_path, embedder="off")
    db = await Database.open(settings)
    try:
        await measure(db, settings, nosy)
    finally:
        await db.close()
    assert seen[:2] == [None, None] and seen[2] is not None
    assert os.environ["DATABASE_URL"] == address


async def test_a_case_that_hangs_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "GRACE_S", 0.2)

    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        async def one(case: str) -> CaseOutcome:
            if case == "c2":
                await asyncio.Event().wait()
            return outcome(case)

        found: list[CaseOutcome] = []
        async for each in context.each([f"c{n}" for n in range(5)], str, one):
            found.append(each)
            yield each
        yield passed_share("right", found)

    hanging = Measurement("hangs", "Hangs", Chapter.SYNTHESIS, run)
    async with board_database(tmp_path) as (db, settings):
        _, records = await measure(db, settings, hanging, options=replace(INSTANT, budget_s=0.5))
    record = records["hangs"]
    assert record.state is MeasurementState.PARTLY and "2 of 5 cases" in record.why
    assert record.metrics[0].value == 1.0


async def test_what_was_measured_stays_when_the_model_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(schedule, "LEAST_S", 0.1)
    away: list[str] = []
    monkeypatch.setattr(BoardResources, "no_model", lambda self: "".join(away))

    def slow(case: str) -> bool:
        time.sleep(0.05)
        return True

    asks = counting("asks", [], slow, cases=50, needs=Needs(model=True), sets=FULL)
    options = BoardOptions(EvaluationSet.FULL, budget_s=0.2)
    async with board_database(tmp_path) as (db, settings):
        _, before = await measure(db, settings, asks, options=options)
        away.append("the model is gone")
        _, after = await measure(db, settings, asks, options=options)
    assert before["asks"].state is MeasurementState.PARTLY and before["asks"].metrics
    assert after["asks"] == before["asks"]
