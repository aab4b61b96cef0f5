"""Exchanges, summaries, approvals and stops: the same on both databases."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from hammerstone.core.approvals import Approval, ApprovalScope, ApprovalStatus
from hammerstone.storage import Database
from hammerstone.storage.stores.library.memory import Summary
from tests.storage.samples import NOW, ODD_JSON, ODD_TEXT, later


async def say(db: Database, number: int, user: str = "ada", session: str = "s") -> None:
    await db.memory.add(
        f"{session}{number}", user, session, f"ask {number}", f"got {number}", "done"
    )


async def test_the_last_exchanges_come_oldest_first(db: Database):
    for number in range(5):
        await say(db, number)
    await say(db, 4)  # the same run again changes nothing
    recent = await db.memory.recent("s", "ada", 3)
    assert [one.request for one in recent] == ["ask 2", "ask 3", "ask 4"]
    assert len(await db.memory.recent("s", "ada", 10)) == 5


async def test_nobody_sees_what_another_said(db: Database):
    await say(db, 1, "ada")
    (mine,) = await db.memory.recent("s", "ada", 10)
    assert await db.memory.recent("s", "bob", 10) == []
    assert await db.memory.of_user("bob", 0, 10) == []
    assert await db.memory.get("bob", [mine.id]) == {}
    assert await db.memory.between("s", "bob", 0, 10**9) == []
    assert await db.memory.forget("bob", session_id="s") == 0
    assert await db.memory.forget("ada") == 0  # nothing named, nothing forgotten
    assert await db.memory.recent("s", "ada", 10) == [mine]


async def test_text_of_any_kind_survives(db: Database):
    await db.memory.add("r", ODD_TEXT, "s", ODD_TEXT, ODD_TEXT, "done")
    (kept,) = await db.memory.recent("s", ODD_TEXT, 1)
    assert (kept.request, kept.answer) == (ODD_TEXT, ODD_TEXT)


async def test_vectors_belong_to_exchanges_and_go_with_them(db: Database):
    await say(db, 1)
    await say(db, 2, session="t")
    first, second = (one.id for one in reversed(await db.memory.of_user("ada", 0, 10)))
    await db.memory.put_vectors("space", [(first, [1.0, 0.0]), (second, [0.0, 1.0]), (999, [1, 1])])
    await db.memory.put_vectors("space", [(first, [0.5, 0.5])])
    found = dict(await db.memory.vectors("ada", "space", 0))
    assert set(found) == {first, second}
    assert np.allclose(found[first], [0.5, 0.5])
    assert await db.memory.vectors("bob", "space", 0) == []
    assert await db.memory.vectors("ada", "other", 0) == []
    assert await db.memory.forget("ada", session_id="s") == 1
    assert [id for id, _ in await db.memory.vectors("ada", "space", 0)] == [second]


async def test_a_summary_never_goes_backwards(db: Database):
    summary = Summary("s", 10, 10, "about tea", "extract", NOW)
    await db.memory.put_summary(summary)
    await db.memory.put_summary(replace(summary, upto=3, text="older"))
    assert await db.memory.summary("s") == summary
    newer = replace(summary, upto=12, text="about coffee")
    await db.memory.put_summary(newer)
    assert await db.memory.summary("s") == newer
    assert await db.memory.summary("t") is None


def approval(id: str = "a", **changes: object) -> Approval:
    made = Approval(
        id=id,
        kind="write",
        user="ada",
        session_id="s",
        run_id="r",
        fingerprint="f",
        text=ODD_TEXT,
        asked_at=NOW,
        expires_at=later(60),
        action={"odd": ODD_JSON},
        choices=("one", "two"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def test_an_approval_is_decided_once(db: Database):
    asked = approval()
    await db.approvals.add(asked)
    assert await db.approvals.find("a") == asked
    yes = replace(asked, status=ApprovalStatus.GIVEN, decided_by="ada", decided_at=later(1))
    assert await db.approvals.decide(yes)
    assert not await db.approvals.decide(replace(yes, status=ApprovalStatus.REFUSED))
    assert await db.approvals.find("a") == yes


async def test_a_given_approval_is_used_once_by_its_owner_in_time(db: Database):
    await db.approvals.add(approval())
    assert await db.approvals.use("f", "ada", later(1)) is None  # not given yet
    yes = approval(status=ApprovalStatus.GIVEN, decided_at=later(1))
    assert await db.approvals.decide(yes)
    assert await db.approvals.use("f", "bob", later(2)) is None
    assert await db.approvals.use("g", "ada", later(2)) is None
    assert await db.approvals.use("f", "ada", later(61)) is None
    used = await db.approvals.use("f", "ada", later(2))
    assert used is not None
    assert await db.approvals.use("f", "ada", later(3)) is None


async def test_approvals_for_a_session_stand(db: Database):
    await db.approvals.add(approval())
    yes = approval(status=ApprovalStatus.GIVEN, scope=ApprovalScope.SESSION, decided_at=later(1))
    await db.approvals.decide(yes)
    assert [one.id for one in await db.approvals.standing("s", "ada")] == ["a"]
    assert await db.approvals.standing("s", "bob") == []
    assert await db.approvals.standing("t", "ada") == []


async def test_the_newest_open_question_is_found(db: Database):
    for number, text in enumerate(("first", "second")):
        asked = approval(f"q{number}", kind="question", text=text, asked_at=later(number))
        await db.approvals.add(asked)
    found = await db.approvals.open_question("s", "ada", later(5))
    assert found is not None
    assert found.text == "second"
    assert await db.approvals.open_question("s", "bob", later(5)) is None
    assert await db.approvals.open_question("s", "ada", later(500)) is None


async def test_approvals_are_listed_newest_first(db: Database):
    for number in range(3):
        await db.approvals.add(approval(f"a{number}", asked_at=later(number)))
    await db.approvals.add(approval("b", user="bob"))
    assert [one.id for one in await db.approvals.list("ada", limit=2)] == ["a2", "a1"]
    assert len(await db.approvals.list(status="pending")) == 4
    assert await db.approvals.list(status="given") == []


async def test_stops_are_set_listed_and_lifted(db: Database):
    await db.stops.put("run", "r", "ada", "why not")
    await db.stops.put("all", "", "bob")
    await db.stops.put("run", "r", "eve", "again")
    assert {(s.scope, s.target, s.who) for s in await db.stops.list()} == {
        ("run", "r", "eve"),
        ("all", "", "bob"),
    }
    future = db.access.clock.now() + timedelta(days=1)
    assert await db.stops.purge(future) == 1  # what stops everything stays
    assert await db.stops.remove("all")
    assert not await db.stops.remove("all")
    assert await db.stops.list() == []


@pytest.mark.parametrize("ids", [[], [1, 2, 3]])
async def test_exchanges_that_are_not_there(db: Database, ids: list[int]):
    assert await db.memory.get("ada", ids) == {}
    await db.memory.put_vectors("space", [(id, [1.0]) for id in ids])
    assert await db.memory.vectors("ada", "space", 0) == []
