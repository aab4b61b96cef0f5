"""What search learned, as entries of the ledger: many small lessons in one entry a person.

Learning a request writes the request and nothing else, so that a plain reuse stays cheap. Who
reads the ledger, and each round, first gathers what has come and gone since the last time.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import unquote

from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.clock import Clock
from hammerstone.core.formatting import count, listing
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.promotion.proposals import ProposalState, UndoReason
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.library.search.index.loaded_index import PAST
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow

WHO = "search"


@dataclass(slots=True)
class _Difference:
    """Requests of one person that search has learned or lost, by key."""

    added: dict[str, str] = field(default_factory=dict[str, str])
    dropped: dict[str, str] = field(default_factory=dict[str, str])
    below: set[str] = field(default_factory=set[str])  # entries that speak of the same requests


class LessonEntries:
    """The ledger's entries of what search learned."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def gather(self) -> int:
        """Make an entry for each person about whose requests something is new; how many."""
        rows = await self._db.proposals.list(kind=ProposalKind.LESSON, limit=100_000)
        believed: dict[str, tuple[str, set[str]]] = {}  # the request, and the entries about it
        spoken: dict[str, set[str]] = {}
        for row in sorted(rows, key=lambda row: (row.created_at, row.id)):
            if row.status not in IN_FORCE:
                continue
            added, dropped = requests_of(row.reverse or {})
            for key in (*added, *dropped):
                spoken.setdefault(key, set()).add(row.id)
            for key, text in added.items():
                believed[key] = (text, spoken[key])
            for key in dropped:
                believed.pop(key, None)
        present = await self._db.index.texts(PAST)
        found: dict[str, _Difference] = {}
        for key in sorted(present.keys() - believed.keys()):
            one = found.setdefault(tenant_of(key), _Difference())
            one.added[key] = present[key]
            one.below |= spoken.get(key, set())
        for key in sorted(believed.keys() - present.keys()):
            one = found.setdefault(tenant_of(key), _Difference())
            one.dropped[key] = believed[key][0]
            one.below |= believed[key][1]
        for tenant, one in sorted(found.items()):
            await self._write(tenant, one, len(rows))
        return len(found)

    async def _write(self, tenant: str, one: _Difference, number: int) -> None:
        now = self._clock.now()
        keys = sorted((*one.added, *one.dropped))
        row = ProposalRow(
            id=digest(ProposalKind.LESSON, tenant, str(number), *keys)[:12],
            kind=ProposalKind.LESSON,
            target=tenant or "everybody",
            title=_title(one),
            status=ProposalState.PROMOTED,
            change={"learned": _counted(one.added), "lost": _counted(one.dropped)},
            evidence={"sources": len(one.added)},
            created_at=now,
            changed_at=now,
            decision={"finding": "by use", "reason": _reason(one), "by": WHO},
            reverse={"tenant": tenant, "added": {**one.added}, "dropped": {**one.dropped}},
        )
        if await self._db.proposals.find(row.id) is None:
            await self._db.proposals.add(row, rests_on=one.below)
            await self._db.proposals.change(row.id, _audit(row, now))


class LessonChange:
    """Requests that search learned; taking them back unlearns them and brings back the others."""

    def __init__(self, db: Database, search: ToolSearch) -> None:
        self._db = db
        self._search = search

    async def preview(self, target: str, change: JsonObject) -> str:
        return f"search learns {change.get('learned')} and loses {change.get('lost')}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        """Learn the requests in `added`, keyed as search keys them, and forget those in
        `dropped`."""
        added, dropped = requests_of(change)
        await self._set(added, dropped)
        return {"tenant": target, "added": {**added}, "dropped": {**dropped}}

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        added, dropped = requests_of(how)
        await self._set(dropped, added)
        back = f", and {count(len(dropped), 'older one')} learned again" if dropped else ""
        return f"{count(len(added), 'request')} of {target} forgotten by search{back}"

    async def _set(self, there: Mapping[str, str], gone: Iterable[str]) -> None:
        keys = list(gone)
        if keys:
            await self._db.index.remove(*keys)
        for key, text in there.items():
            await self._db.index.upsert(key, "", None, text, tenant_of(key))
        await self._search.catch_up()


def requests_of(how: Mapping[str, Json]) -> tuple[dict[str, str], dict[str, str]]:
    """What an entry says was learned and lost, by key."""
    added, dropped = how.get("added"), how.get("dropped")
    return (
        {key: str(text) for key, text in added.items()} if isinstance(added, dict) else {},
        {key: str(text) for key, text in dropped.items()} if isinstance(dropped, dict) else {},
    )


def tenant_of(key: str) -> str:
    return unquote(key.removeprefix(PAST).split("/")[0])


def tools_of(keys: Iterable[str]) -> Counter[str]:
    """How many requests speak about each tool."""
    return Counter(unquote(key.removeprefix(PAST).split("/")[1]) for key in keys)


def _counted(requests: Mapping[str, str]) -> JsonObject:
    return dict(sorted(tools_of(requests).items()))


def _title(one: _Difference) -> str:
    if not one.added:
        return f"search forgot {_listed(one.dropped)}"
    wrong = [key for key in one.added if f"/{PastOutcome.WRONG}/" in key]
    good = [key for key in one.added if key not in wrong]
    told = [f"which tool answers {_listed(good)}"] if good else []
    told += [f"which tool is wrong for {_listed(wrong)}"] if wrong else []
    return f"search learned {' and '.join(told)}"


def _listed(keys: Iterable[str]) -> str:
    tools = tools_of(keys)
    shown = [f"{tool} ({often})" if often > 1 else tool for tool, often in tools.most_common(5)]
    shown += ["others"] if len(tools) > 5 else []
    return f"{count(tools.total(), 'request')}: {listing(shown)}"


def _reason(one: _Difference) -> str:
    lost = (
        f", and {count(len(one.dropped), 'older one')} made room"
        if one.added and one.dropped
        else ""
    )
    many = count(len(one.added), "request")
    return f"{many} showed which tool is right or wrong for such words{lost}"


def _audit(row: ProposalRow, at: datetime) -> AuditRow:
    reason = str((row.decision or {})["reason"])
    return AuditRow(row.id, str(row.status), WHO, reason, None, None, at)
