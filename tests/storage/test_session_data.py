"""Values and files of a session, and the steps of a run."""

import pytest

from hammerstone.core.errors import NotFound
from hammerstone.storage import Database, StepRow
from tests.storage.samples import NOW, ODD_JSON, ODD_TEXT, artifact, later, session_value


async def test_values_come_back_newest_first_and_equal(db: Database):
    await db.values.add([session_value("a"), session_value("b", session_id="other")])
    await db.values.add(
        [session_value("c", value=None, missing="too large"), session_value("a", value=1)]
    )
    found = await db.values.recent("s")
    assert [each.id for each in found] == ["c", "a"]
    assert repr(found[1].value) == repr(ODD_JSON)
    assert (found[0].missing, found[1].about) == ("too large", ODD_TEXT)
    assert [each.id for each in await db.values.recent("s", limit=1)] == ["c"]


async def test_expired_values_are_told_apart_until_purged(db: Database):
    await db.values.add([session_value("a"), session_value("b", expires_at=later(10))])
    assert len(await db.values.recent("s")) == 2
    assert await db.values.purge(later(10)) == 1
    assert [each.id for each in await db.values.recent("s")] == ["a"]


async def test_what_later_requests_left_can_be_kept_out(db: Database):
    for run, minutes in (("first", 0), ("second", 10)):
        await db.runs.start(run, "s", "anna", "a request", "t", later(minutes))
    await db.values.add([session_value(run, run_id=run) for run in ("first", "second", "gone")])
    await db.artifacts.add([(artifact(run, run_id=run), b"") for run in ("first", "second")])
    values = await db.values.recent("s", asked_by=later(5))
    assert {each.id for each in values} == {"first", "gone"}
    files = await db.artifacts.of_session("s", NOW, asked_by=later(5))
    assert [each.id for each in files] == ["first"]
    assert len(await db.artifacts.of_session("s", NOW)) == 2


async def test_a_file_comes_back_byte_by_byte(db: Database):
    content = bytes(range(256)) * 10
    await db.artifacts.add([(artifact("f"), content), (artifact("g", user="ben"), b"")])
    row, found = await db.artifacts.get("f")
    assert (row, found) == (artifact("f"), content)
    assert [each.id for each in await db.artifacts.list("anna", NOW)] == ["f"]
    assert {each.id for each in await db.artifacts.of_session("s", NOW)} == {"f", "g"}
    assert await db.artifacts.list("anna", later(60)) == []
    assert await db.artifacts.purge(later(60)) == 2
    with pytest.raises(NotFound):
        await db.artifacts.get("f")


async def test_steps_are_replaced_as_they_go_on(db: Database):
    first = StepRow("r", "1", 1, "double it", "waiting", NOW)
    second = StepRow("r", "2", 2, "sum it", "waiting", NOW, parent="1")
    await db.steps.put([second, first])
    done = StepRow("r", "1", 1, "double it", "done", NOW, tool="double", result=ODD_JSON, tokens=7)
    await db.steps.put([done])
    assert [repr(row) for row in await db.steps.of_run("r")] == [repr(done), repr(second)]
