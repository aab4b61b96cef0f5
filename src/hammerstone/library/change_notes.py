"""Changes of the library, written into the ledger in the transaction that makes them.

What the gate decided has its entry already and is told how it is taken back. Everything else
is a change that a person or an examination decided: it gets an entry that says who and why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hammerstone.core.changes import (
    AUTOMATIC,
    IN_FORCE,
    ProposalKind,
    ProposalState,
    kinds_beside,
)
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage import Stores
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow


@dataclass(frozen=True, slots=True)
class ChangeNote:
    """A change that is being made: `reverse` is all that taking it back needs.

    `grounds` are the numbers it rests on, `against` what speaks against it and was seen.
    """

    kind: ProposalKind
    target: str
    title: str
    who: str
    reason: str
    reverse: JsonObject
    change: JsonObject = field(default_factory=dict[str, Json])
    grounds: Mapping[str, Json] = field(default_factory=dict[str, Json])
    against: tuple[str, ...] = ()
    value: JsonObject = field(default_factory=dict[str, Json])
    sessions: Mapping[str, str] = field(default_factory=dict[str, str])
    proposal: str = ""  # the entry that the gate has made for it


async def keep_note(stores: Stores, note: ChangeNote, at: datetime) -> None:
    """Write a change into the ledger; to be called in its transaction."""
    if note.proposal:
        await stores.proposals.set_reverse(note.proposal, note.reverse)
        return
    sort = kinds_beside(note.kind)
    below = await stores.proposals.list(
        kinds=sort, target=note.target, statuses=IN_FORCE, limit=10_000
    )
    by = "examined" if note.who in AUTOMATIC else "decided"
    row = ProposalRow(
        id=digest(note.kind, note.target, canonical(note.reverse), at.isoformat())[:12],
        kind=note.kind,
        target=note.target,
        title=note.title[:300],
        status=ProposalState.PROMOTED,
        change=note.change,
        evidence={"grounds": dict(note.grounds), "against": list(note.against)},
        created_at=at,
        changed_at=at,
        decision={"finding": by, "reason": note.reason, "by": note.who},
        reverse=note.reverse,
        value=note.value,
    )
    await stores.proposals.add(row, rests_on=[one.id for one in below], sessions=note.sessions)
    before, after = (note.change.get(side, note.reverse.get(side)) for side in ("before", "after"))
    audit = AuditRow(row.id, str(row.status), note.who, note.reason, before, after, at)
    await stores.proposals.change(row.id, audit, status=ProposalState.PROMOTED)
