"""Evaluations in both databases: runs, measurements and cases come back as they were."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.errors import NotFound
from hammerstone.core.evaluations import (
    CaseMark,
    CaseOutcome,
    CaseTally,
    Chapter,
    EvaluationRun,
    EvaluationSet,
    EvaluationVersions,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.storage import Database
from hammerstone.storage.stores.learning import evaluations

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN = EvaluationRun(
    "r1",
    EvaluationSet.INSTANT,
    EvaluationVersions("code", "rev", "model", "shipped"),
    NOW,
    options={"chapters": ["retrieval"]},
    machine="two cores",
)
RECORD = MeasurementRecord(
    "found",
    "Tools are found",
    Chapter.RETRIEVAL,
    MeasurementState.DONE,
    seconds=1.5,
    tokens=7,
    data="d",
    work="w",
    metrics=(MetricValue("recall", 0.5, baseline=0.4, low=0.3, high=0.7, of="score"),),
)
OUTCOME = CaseOutcome(
    "a", CaseMark.PASSED, 1.0, 0.25, 3, "t1", "ask\x00", "got", "want", "", ("x",), {"rank": 1.0}
)


async def test_a_run_comes_back_as_it_was(db: Database):
    await db.evaluations.start(RUN)
    assert await db.evaluations.get("r1") == RUN
    later = replace(RUN, id="r2", started_at=NOW + timedelta(seconds=1))
    await db.evaluations.start(later)
    assert await db.evaluations.recent() == [later, RUN]
    await db.evaluations.finish("r1", NOW)
    assert (await db.evaluations.get("r1")).finished_at == NOW
    with pytest.raises(NotFound):
        await db.evaluations.get("none")


async def test_records_are_replaced_and_found_by_their_work(db: Database):
    await db.evaluations.start(RUN)
    await db.evaluations.put_record("r1", 2, replace(RECORD, state=MeasurementState.PARTLY))
    assert await db.evaluations.done("w", EvaluationSet.INSTANT) is None
    await db.evaluations.put_record("r1", 2, RECORD)
    await db.evaluations.put_record("r1", 1, replace(RECORD, measurement="other", work="v"))
    assert [one.measurement for one in await db.evaluations.records("r1")] == ["other", "found"]
    assert await db.evaluations.done("w", EvaluationSet.INSTANT) == ("r1", RECORD)
    assert await db.evaluations.done("w", EvaluationSet.FULL) is None


async def test_cases_are_read_by_pages_counted_and_known_to_other_runs(
    db: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(evaluations, "PAGE", 2)
    marks = [CaseMark.PASSED, CaseMark.FAILED, CaseMark.FLAKY, CaseMark.GRADER_ERROR]
    some = [replace(OUTCOME, case=f"c{at}", mark=mark) for at, mark in enumerate(marks)]
    await db.evaluations.put_cases("r1", "found", "w", some)
    await db.evaluations.put_cases("r1", "found", "w", some[:1])  # the same again is no second
    assert [one async for one in db.evaluations.cases("r1", "found")] == some
    failed = db.evaluations.cases("r1", "found", [CaseMark.FAILED, CaseMark.FLAKY])
    assert [one.case async for one in failed] == ["c1", "c2"]
    assert await db.evaluations.tallies("r1") == {"found": CaseTally(1, 1, 1, 1)}
    assert set(await db.evaluations.known("w")) == {"c0", "c1", "c2", "c3"}
    await db.evaluations.copy_cases("r1", "r2", "found")
    assert [one async for one in db.evaluations.cases("r2", "found")] == some
    await db.evaluations.forget_cases("r2", "found")
    assert [one async for one in db.evaluations.cases("r2", "found")] == []


async def test_a_deleted_run_takes_everything_with_it(db: Database):
    await db.evaluations.start(RUN)
    await db.evaluations.put_record("r1", 1, RECORD)
    await db.evaluations.put_cases("r1", "found", "w", [OUTCOME])
    await db.evaluations.delete("r1")
    assert await db.evaluations.recent() == []
    assert await db.evaluations.known("w") == {}
    assert await db.evaluations.records("r1") == []
