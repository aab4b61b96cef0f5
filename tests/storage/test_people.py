"""People and the audit list on both databases."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hammerstone.core.people import AuditEntry, Person, PersonRole
from hammerstone.storage import Database
from tests.storage.samples import ODD_TEXT

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def person(name: str = "ada", **more: object) -> Person:
    return replace(Person(name, PersonRole.MEMBER, NOW, "me"), **more)  # type: ignore[arg-type]


async def test_a_person_is_found_by_the_hash_of_the_token(db: Database):
    ada = person(expires_at=NOW + timedelta(days=3))
    assert await db.people.put(ada, "hash of ada")

    assert await db.people.by_token("hash of ada") == ada
    assert await db.people.by_token("hash of bob") is None
    assert await db.people.list() == [ada] and await db.people.find("ada") == ada


async def test_a_good_token_is_not_replaced_and_an_ended_one_is(db: Database):
    await db.people.put(person(), "first")
    assert not await db.people.put(person(role=PersonRole.OWNER), "second")
    assert await db.people.by_token("second") is None

    assert await db.people.revoke("ada", NOW) and not await db.people.revoke("ada", NOW)
    assert await db.people.put(person(role=PersonRole.GUEST), "third")
    found = await db.people.by_token("third")
    assert found is not None and (found.role, found.revoked_at) == (PersonRole.GUEST, None)
    assert await db.people.by_token("first") is None

    await db.people.put(person("eve", expires_at=NOW), "fourth")
    assert await db.people.put(person("eve", created_at=NOW + timedelta(days=1)), "fifth")


async def test_two_who_let_the_same_person_in_at_once_give_one_token(db: Database):
    done = await asyncio.gather(*(db.people.put(person(), f"hash {n}") for n in range(8)))

    assert sum(done) == 1
    known = [await db.people.by_token(f"hash {n}") for n in range(8)]
    assert sum(one is not None for one in known) == 1


async def test_whether_anybody_may_come_in(db: Database):
    assert not await db.people.any_active(NOW)
    await db.people.put(person(expires_at=NOW + timedelta(days=1)), "hash")
    assert await db.people.any_active(NOW)
    assert not await db.people.any_active(NOW + timedelta(days=2))
    await db.people.revoke("ada", NOW)
    assert not await db.people.any_active(NOW)


async def test_the_last_use_is_kept(db: Database):
    await db.people.put(person(), "hash")
    await db.people.used("ada", NOW + timedelta(hours=1))
    found = await db.people.find("ada")
    assert found is not None and found.last_used_at == NOW + timedelta(hours=1)


async def test_the_audit_list_is_newest_first_and_can_be_asked_for_one_person(db: Database):
    first = AuditEntry(NOW, "ada", "owner", "changed a policy", ODD_TEXT, "127.0.0.1")
    second = replace(first, who="bob", at=NOW - timedelta(days=1), outcome="refused")
    for entry in (first, second):
        await db.audit.add(entry)

    assert await db.audit.list() == [second, first]
    assert await db.audit.list(1) == [second]
    assert await db.audit.list(who="ada") == [first]


async def test_sessions_tell_whether_several_people_use_it(db: Database):
    await db.sessions.create("ada")
    await db.sessions.create("ada")
    assert not await db.sessions.several_people()
    await db.sessions.create("bob")
    assert await db.sessions.several_people()
