"""What runs leave behind: forgotten by its own rule, but for what somebody said."""

from datetime import UTC, datetime, timedelta

from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.storage import Database
from hammerstone.storage.rows import Execution
from hammerstone.storage.stores.runs.runs import StepRow

NOW = datetime(2026, 6, 1, tzinfo=UTC)
OLD, BEFORE = NOW - timedelta(days=400), NOW - timedelta(days=365)


async def run(db: Database, name: str, at: datetime, *, finished: bool = True) -> None:
    await db.runs.start(name, "s", "ada", "what is 2 + 2?", f"t-{name}", at)
    call = Execution(f"x-{name}", name, "s", 1, "add", "v", {}, 4, True, at)
    await db.executions.add(call)
    await db.steps.put([StepRow(name, "1", 1, "add", "done", at)])
    await db.feedback.append([said(name, FeedbackKind.USED, at)])
    if finished:
        await db.runs.finish(name, "answered", {"text": "4"}, at)


def said(name: str, kind: FeedbackKind, at: datetime) -> Feedback:
    return Feedback(kind, name, "s", "ada", at, "add", "v")


async def left(db: Database) -> dict[str, list[bool]]:
    """Of each run: whether its row, its call, its step and its feedback are there."""
    names = ("old", "judged", "open", "new")
    return {
        name: [
            await db.runs.find(name) is not None,
            bool(await db.executions.of_run(name)),
            bool(await db.steps.of_run(name)),
            bool(await db.feedback.of_run(name)),
        ]
        for name in names
    }


async def test_old_evidence_goes_and_what_was_said_stays(db: Database):
    await db.sessions.create("ada", "s")
    await run(db, "old", OLD)
    await run(db, "judged", OLD)
    await db.feedback.append([said("judged", FeedbackKind.CORRECTED, OLD)])
    await run(db, "open", OLD, finished=False)
    await run(db, "new", NOW)
    uses = await db.executions.uses()
    assert await db.evidence.purge(BEFORE, keep_calls=0) == 5  # two calls: the open run's as well
    found = await left(db)
    assert found["old"] == [False, False, False, False]
    assert found["judged"] == [True, True, True, True]
    assert found["new"] == [True, True, True, True]
    assert found["open"] == [True, False, True, True]
    assert await db.executions.uses() == uses  # that it was used is not forgotten
    assert await db.evidence.purge(BEFORE, keep_calls=0) == 0


async def test_the_last_calls_of_each_version_stay(db: Database):
    """A repair is checked against them, however long ago they were."""
    await db.sessions.create("ada", "s")
    for number in range(5):
        await run(db, f"r{number}", OLD + timedelta(minutes=number))
    await db.evidence.purge(BEFORE, keep_calls=2)
    kept = [call.run_id for call in await db.executions.list(tool="add")]
    assert sorted(kept) == ["r3", "r4"]


async def test_many_go_in_parts(db: Database, monkeypatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr("hammerstone.storage.stores.runs.evidence.BATCH", 2)
    await db.sessions.create("ada", "s")
    for number in range(7):
        await run(db, f"r{number}", OLD)
    assert await db.evidence.purge(BEFORE, keep_calls=0) == 4 * 7
