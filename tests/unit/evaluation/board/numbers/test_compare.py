"""Two runs compared: pairs, verdicts, refusals, and how a run is named."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.core.errors import NotFound, Refused
from hammerstone.core.evaluations import (
    Better,
    CaseMark,
    CaseOutcome,
    Chapter,
    EvaluationRun,
    MetricValue,
)
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.finding_runs import find_run, run_before
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.compare import ComparisonVerdict, compare_runs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.storage import Database
from tests.unit.evaluation.board.boards import (
    INSTANT,
    board_database,
    counting,
    measure,
    outcome,
)

AGAIN = replace(INSTANT, again=True)


async def _right(db: Database, settings: Settings, right: int) -> EvaluationRun:
    known = counting("sums", [], lambda case: int(case[1:]) < right, cases=40)
    return (await measure(db, settings, known, options=AGAIN))[0]


async def test_a_clear_loss_is_worse_and_a_small_one_is_no_difference(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        first, worse = await _right(db, settings, 30), await _right(db, settings, 15)
        near = await _right(db, settings, 28)
        lost = await compare_runs(db, first, worse)
        (row,) = lost.rows
        assert row.verdict is ComparisonVerdict.WORSE and row.pairs == 40
        assert row.difference == pytest.approx(-15 / 40)
        assert row.low is not None and row.low < -15 / 40 < (row.high or 0)
        assert len(lost.changed) == 15 and not lost.changed[0].passes_now
        (won,) = (await compare_runs(db, worse, first)).rows
        assert won.verdict is ComparisonVerdict.BETTER
        (same,) = (await compare_runs(db, first, near)).rows
        assert same.verdict is ComparisonVerdict.SAME and same.p == pytest.approx(0.5)
        (nothing,) = (await compare_runs(db, first, first)).rows
        assert nothing.p == 1.0 and nothing.difference == 0.0


async def test_other_data_is_refused_with_the_reason(tmp_path: Path):
    file = tmp_path / "cases.txt"
    needs = Needs(files=(str(file),))
    async with board_database(tmp_path / "db") as (db, settings):
        file.write_text("one")
        first, _ = await measure(db, settings, counting("sums", [], needs=needs))
        file.write_text("two")
        second, _ = await measure(db, settings, counting("sums", [], needs=needs))
        with pytest.raises(Refused, match="different data: sums"):
            await compare_runs(db, first, second)
        other = await compare_runs(db, first, second, [Chapter.RETRIEVAL])
        assert other.rows == ()


def _timing(numbers: Mapping[str, float], least: float, part: float = 0.0) -> Measurement:
    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        found = [
            CaseOutcome(name, CaseMark.PASSED, 1.0, numbers={"ms": value})
            for name, value in numbers.items()
        ]
        for one in found:
            yield one
        limits = {"least": least, "least_part": part}
        yield mean_of("time", "ms", found, unit="ms", better=Better.LOWER, **limits)

    return Measurement("time", "Time", Chapter.PERFORMANCE, run, timed=True)


async def test_a_number_that_should_be_low_is_worse_when_it_grows_by_enough(tmp_path: Path):
    fast = {f"round {n}": 10 + n / 10 for n in range(12)}
    slow = {name: value + 5 for name, value in fast.items()}
    async with board_database(tmp_path) as (db, settings):
        first, _ = await measure(db, settings, _timing(fast, 1.0))
        second, _ = await measure(db, settings, _timing(slow, 1.0))
        third, _ = await measure(db, settings, _timing(slow, 8.0))
        assert (await compare_runs(db, first, second)).rows[0].verdict is ComparisonVerdict.WORSE
        assert (await compare_runs(db, first, third)).rows[0].verdict is ComparisonVerdict.SAME


async def test_runs_are_found_by_id_revision_model_policies_and_place(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        first, second = await _right(db, settings, 30), await _right(db, settings, 30)
        assert (await find_run(db, first.id[:6])).id == first.id
        assert (await find_run(db, "last")).id == second.id
        assert (await find_run(db, "before")).id == first.id
        assert (await find_run(db, second.versions.code[:8])).id == second.id
        assert (await find_run(db, "qwen")).id == second.id
        assert (await find_run(db, "shipped")).id == second.id
        before = await run_before(db, second)
        assert before is not None and before.id == first.id
        with pytest.raises(NotFound, match="no finished evaluation"):
            await find_run(db, "gpt-none")


async def test_a_time_has_to_differ_by_its_part_of_the_earlier_one(tmp_path: Path):
    fast = {f"round {n}": 10 + n / 10 for n in range(12)}
    slow = {name: value * 1.4 for name, value in fast.items()}
    async with board_database(tmp_path) as (db, settings):
        first, _ = await measure(db, settings, _timing(fast, 0.0))
        for part, verdict in ((0.5, ComparisonVerdict.SAME), (0.3, ComparisonVerdict.WORSE)):
            second, _ = await measure(db, settings, _timing(slow, 0.0, part))
            assert (await compare_runs(db, first, second)).rows[0].verdict is verdict


def _fixed(failing: set[int], number: MetricValue | None = None, target: float | None = None):
    """A measurement of forty cases, some of which fail, with one number."""

    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        found = [outcome(f"c{at}", at not in failing) for at in range(40)]
        for one in found:
            yield one
        yield number or passed_share("held", found, target=target)

    return Measurement("attacks", "Attacks", Chapter.ROBUSTNESS, run)


async def _rows(folder: Path, *known: Measurement):
    async with board_database(folder) as (db, settings):
        first, second = [(await measure(db, settings, one, options=AGAIN))[0] for one in known]
        return await compare_runs(db, first, second)


async def test_where_every_case_has_to_pass_one_that_is_lost_is_worse(tmp_path: Path):
    strict = await _rows(tmp_path / "a", _fixed(set(), target=1.0), _fixed({7}, target=1.0))
    (row,) = strict.rows
    assert row.verdict is ComparisonVerdict.WORSE and "1 that passed fails" in row.reason
    lenient = await _rows(tmp_path / "b", _fixed(set(), target=0.9), _fixed({7}, target=0.9))
    assert lenient.rows[0].verdict is ComparisonVerdict.SAME
    known = await _rows(tmp_path / "c", _fixed({7}, target=1.0), _fixed({7}, target=1.0))
    assert known.rows[0].verdict is ComparisonVerdict.SAME and not known.got_worse


async def test_a_measurement_without_a_mean_is_compared_on_its_cases(tmp_path: Path):
    count = MetricValue("hidden", 1.0)  # no mean over cases
    found = await _rows(tmp_path / "a", _fixed(set(), count), _fixed(set(range(12)), count))
    assert [row.verdict for row in found.rows] == [
        ComparisonVerdict.UNPAIRED,
        ComparisonVerdict.WORSE,
    ]
    assert found.rows[1].metric == "cases passed"
    quiet = await _rows(tmp_path / "b", _fixed(set(), count), _fixed(set(), count))
    assert len(quiet.rows) == 1


async def test_what_broke_and_did_not_before_is_worse(tmp_path: Path):
    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        raise ValueError("gone")
        yield

    broken = replace(_fixed(set()), run=run)
    found = await _rows(tmp_path / "a", _fixed(set()), broken)
    assert found.broken == ("Attacks",) and found.got_worse
    assert not (await _rows(tmp_path / "b", broken, _fixed(set()))).got_worse
    assert not (await _rows(tmp_path / "c", broken, broken)).got_worse


async def test_cases_that_are_graded_otherwise_are_other_data(tmp_path: Path):
    with pytest.raises(Refused, match="different data: attacks"):
        await _rows(tmp_path, _fixed(set()), replace(_fixed(set()), revision=2))
