"""A change of the library in the ledger: whose it is, what it rests on, how it is taken back."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.changes import AUTOMATIC, ProposalKind, ProposalState
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open_url(f"sqlite:///{tmp_path}/hammerstone.db")
    yield opened
    await opened.close()


async def noted(db: Database, hours: float = 0, **more: Any) -> ProposalRow:
    given: dict[str, Any] = {"kind": ProposalKind.EDIT, "target": "double", "title": "t"}
    given |= {"who": "ada", "reason": "why", "reverse": {"before": "v1"}}
    known = {row.id for row in await db.proposals.list(limit=100)}
    async with db.transaction() as stores:
        await keep_note(stores, ChangeNote(**{**given, **more}), NOW + timedelta(hours=hours))
    (new,) = [row for row in await db.proposals.list(limit=100) if row.id not in known]
    return new


@pytest.mark.parametrize(
    ("who", "finding"), [("ada", "decided"), *((each, "examined") for each in sorted(AUTOMATIC))]
)
async def test_who_decided_is_told(db: Database, who: str, finding: str) -> None:
    row = await noted(db, who=who)
    assert row.decision == {"finding": finding, "reason": "why", "by": who}
    assert (row.status, row.created_at) == (ProposalState.PROMOTED, NOW)
    (audit,) = await db.proposals.audits(row.id)
    assert (audit.who, audit.reason, audit.at) == (who, "why", NOW)


async def test_everything_that_was_seen_is_kept(db: Database) -> None:
    row = await noted(
        db, grounds={"cases": 3}, against=("one fails",), value={"cost_s": 2.0},
        change={"after": "v2"}, sessions={"s1": "run1"}, title="x" * 400,
    )  # fmt: skip
    assert row.evidence == {"grounds": {"cases": 3}, "against": ["one fails"]}
    assert (row.reverse, row.change, row.value) == (
        {"before": "v1"}, {"after": "v2"}, {"cost_s": 2.0},
    )  # fmt: skip
    assert row.title == "x" * 300
    assert await db.proposals.sessions(row.id) == {"s1": "run1"}


async def test_it_rests_on_what_is_in_force_for_the_same_thing(db: Database) -> None:
    first = await noted(db)
    await noted(db, 1, target="half")
    await noted(db, 2, kind=ProposalKind.POLICY)
    repaired = await noted(db, 3, kind=ProposalKind.REPAIR)  # a tool changes in several ways
    assert await db.proposals.dependents(first.id) == [repaired.id]
    audit = AuditRow(first.id, "undone", "ada", "no", None, None, NOW)
    await db.proposals.change(first.id, audit, status=ProposalState.UNDONE)
    last = await noted(db, 4)
    assert await db.proposals.dependents(repaired.id) == [last.id]


async def test_what_the_gate_decided_has_its_entry_already(db: Database) -> None:
    row = await noted(db)
    note = ChangeNote(ProposalKind.EDIT, "double", "t", "ada", "why", {"before": "v7"},
                      proposal=row.id)  # fmt: skip
    async with db.transaction() as stores:
        await keep_note(stores, note, NOW)
    (only,) = await db.proposals.list(limit=10)
    assert (only.id, only.reverse) == (row.id, {"before": "v7"})
