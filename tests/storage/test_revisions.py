"""What a request reads first: the numbers that grow with every change, and a session's owner."""

from hammerstone.storage import Database
from tests.storage.samples import assessment, version
from tests.storage.test_documents import CHUNKS, ROW


async def test_every_change_shows_in_its_number(db: Database):
    before = await db.revisions.take("s")
    await db.policies.put("cache", {"ttl_s": 1}, "ada", "shorter")
    after = await db.revisions.take("s")
    assert (after.policies, after.tools, after.index) == (
        before.policies + 1,
        before.tools,
        before.index,
    )
    await db.tools.add_version(version(), assessment(version()))
    assert (await db.revisions.take("s")).tools > before.tools
    await db.index.upsert("tool/x", "", None, "x")
    assert (await db.revisions.take("s")).index == before.index + 1
    assert after.policies == await db.policies.revision()


async def test_a_sessions_owner_is_told(db: Database):
    assert (await db.revisions.take("s")).owner is None
    await db.sessions.create("ada", "s")
    assert (await db.revisions.take("s")).owner == "ada"
    assert (await db.revisions.take("other")).owner is None


async def test_whether_there_are_documents(db: Database):
    assert (await db.revisions.take("s")).documents is False
    await db.documents.put(ROW, CHUNKS)
    assert (await db.revisions.take("s")).documents is True


async def test_it_is_told_whether_anything_is_stopped(db: Database):
    assert not (await db.revisions.take("s")).stops
    await db.stops.put("session", "other", "ada")
    assert (await db.revisions.take("s")).stops
    await db.stops.remove("session", "other")
    assert not (await db.revisions.take("s")).stops
