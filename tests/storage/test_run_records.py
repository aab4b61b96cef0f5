"""What a run was done with is in its row, from its beginning to its end."""

from hammerstone.core.run_record import RunRecord, SentPrompt, ToolVersion
from hammerstone.storage import Database, RunRow
from hammerstone.storage.stores.runs.runs import RUNNING
from tests.storage.samples import NOW, later

BEGUN = RunRecord(release="1.0", policies={"fit": 2}, variants={"e": "b"})
DONE = RunRecord(
    kind="calculation",
    strategy="single",
    models=("one",),
    policies={"fit": 2},
    prompts={"solve": SentPrompt(1, 0, "hash")},
    variants={"e": "b"},
    tools=(ToolVersion("mean", "v1"),),
    tokens=5,
    seconds=0.5,
)


def opened(id: str = "r1") -> RunRow:
    return RunRow(id, "s", "ada", "q", "t1", RUNNING, None, NOW, record=BEGUN.to_json())


async def test_a_run_has_its_record_from_the_beginning_to_the_end(db: Database):
    await db.runs.open(opened())
    assert RunRecord.from_json((await db.runs.get("r1")).record) == BEGUN
    await db.runs.finish("r1", "done", None, later(1), DONE.to_json())
    run = await db.runs.get("r1")
    assert RunRecord.from_json(run.record) == DONE and run.status == "done"


async def test_what_is_known_stays_when_the_end_says_nothing_of_it(db: Database):
    await db.runs.open(opened())
    await db.runs.finish("r1", "failed", None, later(1))
    assert RunRecord.from_json((await db.runs.get("r1")).record) == BEGUN


async def test_opening_a_run_again_changes_nothing(db: Database):
    await db.runs.open(opened())
    await db.runs.finish("r1", "done", None, later(1), DONE.to_json())
    await db.runs.open(opened())
    assert RunRecord.from_json((await db.runs.get("r1")).record) == DONE


async def test_a_run_of_which_nothing_is_known_has_no_record(db: Database):
    await db.runs.start("r1", "s", "ada", "q", "t1", NOW)
    assert (await db.runs.get("r1")).record is None
