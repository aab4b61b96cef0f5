"""What search learned, as entries of the ledger: one a person, gathered when somebody looks."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from hammerstone.core.changes import ProposalKind
from hammerstone.learn.ledger.lesson_entries import (
    LessonChange,
    LessonEntries,
    requests_of,
    tenant_of,
    tools_of,
)
from hammerstone.learn.promotion.proposals import ProposalState, UndoReason
from hammerstone.library.search import PastOutcome
from hammerstone.library.search.index.loaded_index import past_key
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow
from tests.hand_clock import HandClock

GOOD, WRONG = PastOutcome.ANSWERED, PastOutcome.WRONG


class Library:
    """A database whose index holds requests, and the entries about them."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = HandClock()
        self.entries = LessonEntries(db, self.clock)
        self.caught_up = 0

    async def learn(
        self, request: str, tool: str, lesson: PastOutcome = GOOD, who: str = ""
    ) -> str:
        key = past_key(who, tool, lesson, request)
        await self.db.index.upsert(key, "", None, request, who)
        return key

    async def catch_up(self) -> int:
        self.caught_up += 1
        return 0

    @property
    def change(self) -> LessonChange:
        return LessonChange(self.db, cast(Any, self))

    async def rows(self) -> list[ProposalRow]:
        found = await self.db.proposals.list(kind=ProposalKind.LESSON, limit=100)
        return sorted(found, key=lambda row: (row.created_at, row.target))

    async def gathered(self) -> list[ProposalRow]:
        """The entries that looking at the ledger makes."""
        before = {row.id for row in await self.rows()}
        self.clock.forward(60)
        made = await self.entries.gather()
        new = [row for row in await self.rows() if row.id not in before]
        assert len(new) == made
        return new


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    db = await Database.open_url(f"sqlite:///{tmp_path}/hammerstone.db")
    yield Library(db)
    await db.close()


async def test_each_person_has_an_entry_of_what_is_new(library: Library) -> None:
    assert await library.gathered() == []
    keys = [await library.learn("double 5", "double", who="ada"),
            await library.learn("twice 6", "double", who="ada"),
            await library.learn("half of 8", "half", who="ada")]  # fmt: skip
    await library.learn("sum 1 2", "add")
    ada, everybody = await library.gathered()
    assert (everybody.target, ada.target) == ("everybody", "ada")
    assert everybody.title == "search learned which tool answers 1 request: add"
    assert ada.title == "search learned which tool answers 3 requests: double (2) and half"
    assert ada.status == ProposalState.PROMOTED
    assert ada.change == {"learned": {"double": 2, "half": 1}, "lost": {}}
    assert ada.evidence == {"sources": 3}
    assert ada.decision is not None and ada.reverse is not None
    assert ada.decision["by"] == "search"
    assert ada.decision["reason"] == "3 requests showed which tool is right or wrong for such words"
    assert (ada.reverse["tenant"], set(ada.reverse["added"])) == ("ada", set(keys))
    assert ada.reverse["dropped"] == {}
    assert await library.gathered() == []


async def test_a_wrong_tool_is_a_lesson_too(library: Library) -> None:
    await library.learn("double 5", "half", WRONG)
    (only,) = await library.gathered()
    assert only.title == "search learned which tool is wrong for 1 request: half"
    await library.learn("double 6", "double")
    await library.learn("double 6", "half", WRONG)
    (both,) = await library.gathered()
    assert both.title == (
        "search learned which tool answers 1 request: double"
        " and which tool is wrong for 1 request: half"
    )


async def test_what_is_gone_is_an_entry_and_rests_on_what_learned_it(library: Library) -> None:
    old = await library.learn("double 5", "double", who="ada")
    (first,) = await library.gathered()
    await library.db.index.remove(old)
    await library.learn("double 7", "double", who="ada")
    (second,) = await library.gathered()
    assert second.change == {"learned": {"double": 1}, "lost": {"double": 1}}
    assert second.decision is not None and second.reverse is not None
    assert second.decision["reason"].endswith(", and 1 older one made room")
    assert second.reverse["dropped"] == {old: "double 5"}
    assert await library.db.proposals.dependents(first.id) == [second.id]
    for key in await library.db.index.texts("past/"):
        await library.db.index.remove(key)
    (third,) = await library.gathered()
    assert third.title == "search forgot 1 request: double"
    assert third.change == {"learned": {}, "lost": {"double": 1}}


async def test_an_entry_that_was_undone_is_believed_no_more(library: Library) -> None:
    await library.learn("double 5", "double")
    (first,) = await library.gathered()
    audit = AuditRow(first.id, "undone", "ada", "no", None, None, library.clock.now())
    await library.db.proposals.change(first.id, audit, status=ProposalState.UNDONE)
    (again,) = await library.gathered()
    assert again.title == first.title and again.id != first.id


async def test_many_tools_are_cut_short(library: Library) -> None:
    for number in range(6):
        await library.learn(f"request {number}", f"tool_{number}")
    (entry,) = await library.gathered()
    assert entry.title.endswith("tool_0, tool_1, tool_2, tool_3, tool_4 and others")


async def test_lessons_are_learned_and_taken_back(library: Library) -> None:
    new, old = past_key("ada", "double", GOOD, "double 5"), await library.learn("twice", "half")
    change: Any = {"added": {new: "double 5"}, "dropped": {old: "twice"}}
    how = await library.change.apply("ada", change, {})
    assert how == {"tenant": "ada", **change}
    assert await library.db.index.texts("past/") == {new: "double 5"}
    told = await library.change.reverse("ada", how, UndoReason("bob", "no"))
    assert told == "1 request of ada forgotten by search, and 1 older one learned again"
    assert await library.db.index.texts("past/") == {old: "twice"}
    assert library.caught_up == 2
    again = await library.change.reverse("ada", {"added": {}, "dropped": {}}, UndoReason("b", ""))
    assert again == "0 requests of ada forgotten by search"


def test_what_an_entry_says_is_read_leniently() -> None:
    assert requests_of({}) == ({}, {})
    assert requests_of({"added": {"k": 5}, "dropped": ["k"]}) == ({"k": "5"}, {})


def test_keys_name_their_person_and_tool() -> None:
    key = past_key("a/b c", "x y", GOOD, "r")
    assert tenant_of(key) == "a/b c"
    assert tools_of([key, key, past_key("", "z", WRONG, "r")]) == {"x y": 2, "z": 1}
