"""Sessions, messages, runs and events keep what they are given, in order."""

import pytest

from hammerstone.core.errors import NotFound, StorageError
from hammerstone.storage import Database
from tests.storage.samples import NOW, ODD_JSON, ODD_TEXT, event, later


async def test_a_session_is_found_again(db: Database):
    made = await db.sessions.create("ada", title="first")
    assert await db.sessions.find(made.id) == made
    assert await db.sessions.find("other") is None


async def test_creating_a_session_twice_gives_the_first(db: Database):
    first = await db.sessions.create("ada", "s1")
    again = await db.sessions.create("bob", "s1")
    assert again == first


async def test_sessions_are_listed_by_user_newest_first(db: Database):
    for name in ("one", "two", "three"):
        await db.sessions.create("ada", name)
    await db.sessions.create("bob", "his")
    assert [s.id for s in await db.sessions.list("ada", 2)] == ["three", "two"]
    await db.sessions.rename("two", "Percentages")
    found = await db.sessions.find("two")
    assert found is not None
    assert found.title == "Percentages"


async def test_messages_come_back_oldest_first(db: Database):
    await db.sessions.create("ada", "s")
    for number in range(5):
        await db.messages.append("s", "user", f"text {number}", {"n": number})
    recent = await db.messages.recent("s", 3)
    assert [message.text for message in recent] == ["text 2", "text 3", "text 4"]
    assert recent[-1].data == {"n": 4}
    assert len(await db.messages.recent("s")) == 5
    assert await db.messages.recent("other") == []


async def test_text_of_any_kind_survives(db: Database):
    await db.sessions.create(ODD_TEXT, "s")
    await db.messages.append("s", "user", ODD_TEXT, {"odd": ODD_JSON})
    (message,) = await db.messages.recent("s", 1)
    assert message.text == ODD_TEXT
    assert repr(message.data) == repr({"odd": ODD_JSON})  # repr: 1 is not 1.0, -0.0 not 0.0
    assert [s.user for s in await db.sessions.list(ODD_TEXT)] == [ODD_TEXT]


async def test_a_message_without_a_session_is_refused(db: Database):
    with pytest.raises(NotFound):
        await db.messages.append("nowhere", "user", "hello", None)


async def test_a_run_is_open_until_it_is_finished(db: Database):
    await db.runs.start("r1", "s", "ada", ODD_TEXT, "t1", NOW)
    await db.runs.start("r2", "s", "ada", "later", "t2", later(1))
    assert [run.row.id for run in await db.open_runs.list(())] == ["r1", "r2"]
    await db.runs.finish("r1", "done", ODD_JSON, later(5))
    run = await db.runs.get("r1")
    assert (run.status, run.finished_at, run.request) == ("done", later(5), ODD_TEXT)
    assert repr(run.answer) == repr(ODD_JSON)
    assert [run.row.id for run in await db.open_runs.list(())] == ["r2"]
    assert [run.id for run in await db.runs.of_session("s")] == ["r2", "r1"]


async def test_the_last_run_of_a_person_is_found_in_whichever_session(db: Database):
    assert await db.runs.last_of("ada") is None
    await db.runs.start("r1", "s", "ada", "first", "t1", NOW)
    await db.runs.start("r2", "other", "ada", "second", "t2", later(1))
    await db.runs.start("r3", "s", "ben", "his", "t3", later(2))
    last = await db.runs.last_of("ada")
    assert last is not None and (last.id, last.session_id) == ("r2", "other")


async def test_starting_a_run_again_does_not_reopen_it(db: Database):
    await db.runs.start("r", "s", "ada", "q", "t", NOW)
    await db.runs.finish("r", "done", {}, NOW)
    await db.runs.start("r", "s", "ada", "q", "t", NOW)
    assert (await db.runs.get("r")).status == "done"


async def test_unknown_runs(db: Database):
    assert await db.runs.find("none") is None
    with pytest.raises(NotFound):
        await db.runs.get("none")
    with pytest.raises(NotFound):
        await db.runs.finish("none", "done", None, NOW)


async def test_events_come_back_equal_and_in_order(db: Database):
    events = [event(number, data=ODD_JSON) for number in range(4)]
    await db.events.append(list(reversed(events)))
    stored = await db.events.of_run("run")
    assert stored == events
    assert repr(stored) == repr(events)


async def test_events_written_twice_are_there_once(db: Database):
    await db.events.append([event(0), event(1)])
    await db.events.append([event(1, repeated=True), event(2)])
    stored = await db.events.of_run("run")
    assert [each.number for each in stored] == [0, 1, 2]
    assert stored[1].data == {"repeated": True}


async def test_a_time_without_a_zone_is_refused(db: Database):
    with pytest.raises(StorageError, match="time zone"):
        await db.runs.start("r", "s", "ada", "q", "t", NOW.replace(tzinfo=None))


async def test_what_is_not_json_is_refused(db: Database):
    with pytest.raises(StorageError, match="cannot be stored"):
        await db.events.append([event(0, value=float("nan"))])
    assert await db.events.of_run("run") == []


async def test_a_deleted_session_is_gone_and_the_others_are_not(db: Database) -> None:
    now = db.access.clock.now()
    for session in ("gone", "stays"):
        await db.sessions.create("ada", session)
        await db.messages.append(session, "user", "hello", None)
        await db.runs.start(f"run-{session}", session, "ada", "hello", "trace", now)
        await db.memory.add(f"run-{session}", "ada", session, "hello", "hi", "done")
    await db.sessions.delete("gone")
    assert await db.sessions.find("gone") is None
    assert await db.messages.recent("gone", 10) == []
    assert await db.runs.find("run-gone") is None
    assert [one.id for one in await db.sessions.list("ada")] == ["stays"]
    assert len(await db.messages.recent("stays", 10)) == 1
    assert await db.runs.find("run-stays") is not None


async def test_sessions_are_searched_by_title_and_by_what_was_said(db: Database):
    for name, title in (("one", "Percent of 240"), ("two", "A bill"), ("three", "Dates")):
        await db.sessions.create("ada", name, title)
    await db.sessions.create("bob", "his", "percent")
    await db.messages.append("two", "assistant", "It is 100% the 50_50 PERCENT way", None)
    await db.messages.append("three", "user", "half of 50x50", None)

    async def found(words: str, limit: int = 9) -> list[str]:
        return [session.id for session in await db.sessions.search("ada", words, limit)]

    assert await found("percent") == ["two", "one"]
    assert await found("percent", 1) == ["two"]
    assert await found("100%") == ["two"]
    assert await found("50_50") == ["two"], "a sign that databases read as any character"
    assert await found("nowhere") == []
