"""Proposals: changes that were suggested, what was decided, and how to take them back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import audits, proposal_links, proposal_sessions, proposals

_GET = select(proposals).where(proposals.c.id == bindparam("which"))
_AUDITS = select(audits).where(audits.c.proposal_id == bindparam("which")).order_by(audits.c.id)
_SESSIONS = (
    select(proposal_sessions.c.session_id, proposal_sessions.c.run_id)
    .where(proposal_sessions.c.proposal_id == bindparam("which"))
    .order_by(proposal_sessions.c.session_id)
)


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """`change` says what to do, `reverse` how to take it back once it was done."""

    id: str
    kind: str
    target: str
    title: str
    status: str
    change: JsonObject
    evidence: JsonObject
    created_at: datetime
    changed_at: datetime
    decision: JsonObject | None = None
    reverse: JsonObject | None = None
    value: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class AuditRow:
    proposal_id: str
    what: str
    who: str
    reason: str
    before: Json
    after: Json
    at: datetime


class Proposals(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert = access.dialect.insert(proposals).on_conflict_do_nothing()
        self._link = access.dialect.insert(proposal_links).on_conflict_do_nothing()
        self._from = access.dialect.insert(proposal_sessions).on_conflict_do_nothing()

    async def add(
        self,
        row: ProposalRow,
        *,
        rests_on: Iterable[str] = (),
        sessions: Mapping[str, str] | None = None,
    ) -> ProposalRow:
        """Store a proposal; one with the same id stays as it is and is returned.

        `sessions` maps each session the lesson came from to one of its runs.
        """
        async with self._access.writing() as connection:
            await connection.execute(self._insert, columns_of(row))
            links = [{"proposal_id": row.id, "rests_on": other} for other in rests_on]
            if links:
                await connection.execute(self._link, links)
            origins = [
                {"proposal_id": row.id, "session_id": session, "run_id": run}
                for session, run in (sessions or {}).items()
            ]
            if origins:
                await connection.execute(self._from, origins)
            stored = await _find(connection, row.id)
        assert stored is not None
        return stored

    async def find(self, id: str) -> ProposalRow | None:
        async with self._access.reading() as connection:
            return await _find(connection, id)

    async def get(self, id: str) -> ProposalRow:
        row = await self.find(id)
        if row is None:
            raise NotFound(f"there is no proposal {id}", hint="hammerstone proposals list")
        return row

    async def list(
        self,
        *,
        kind: str | None = None,
        kinds: Sequence[str] = (),
        target: str | None = None,
        statuses: Sequence[str] = (),
        limit: int = 200,
    ) -> list[ProposalRow]:
        """Proposals, newest first."""
        statement = select(proposals)
        if kind is not None:
            statement = statement.where(proposals.c.kind == kind)
        if kinds:
            statement = statement.where(proposals.c.kind.in_(list(kinds)))
        if target is not None:
            statement = statement.where(proposals.c.target == target)
        if statuses:
            statement = statement.where(proposals.c.status.in_(list(statuses)))
        statement = statement.order_by(proposals.c.created_at.desc(), proposals.c.id).limit(limit)
        rows = await self._mappings(statement)
        return [_row(row) for row in rows]

    async def change(
        self,
        id: str,
        audit: AuditRow,
        *,
        expected: Sequence[str] = (),
        **values: Any,
    ) -> bool:
        """Set columns and keep the audit event, together.

        With `expected`, only while the status is one of these: False means that somebody else
        was faster, and nothing was changed.
        """
        statement = update(proposals).where(proposals.c.id == id)
        if expected:
            statement = statement.where(proposals.c.status.in_(list(expected)))
        async with self._access.writing() as connection:
            done = await connection.execute(statement.values(**values, changed_at=audit.at))
            if done.rowcount == 0:
                return False
            await connection.execute(insert(audits), columns_of(audit))
        return True

    async def link(self, id: str, rests_on: Iterable[str]) -> None:
        """Say on which changes one stands."""
        links = [{"proposal_id": id, "rests_on": other} for other in rests_on if other != id]
        if links:
            await self._write(self._link, links)

    async def set_reverse(self, id: str, reverse: JsonObject) -> None:
        """Keep how a change is taken back, in the transaction that makes it."""
        await self._write(update(proposals).where(proposals.c.id == id).values(reverse=reverse))

    async def audits(self, id: str) -> "list[AuditRow]":
        """Everything that was decided about a proposal, oldest first."""
        rows = await self._mappings(_AUDITS, {"which": id})
        return [value_of(AuditRow, row) for row in rows]

    async def dependents(self, id: str) -> "list[str]":
        """The changes that stand on this one."""
        statement = select(proposal_links.c.proposal_id).where(proposal_links.c.rests_on == id)
        return sorted(await self._values(statement))

    async def sessions(self, id: str) -> dict[str, str]:
        """The sessions a lesson came from, each with one of its runs."""
        rows = await self._rows(_SESSIONS, {"which": id})
        return {row.session_id: row.run_id for row in rows}

    async def of_session(self, session_id: str) -> "list[ProposalRow]":
        """The lessons that came, wholly or in part, from a session."""
        ids = select(proposal_sessions.c.proposal_id).where(
            proposal_sessions.c.session_id == session_id
        )
        statement = select(proposals).where(proposals.c.id.in_(ids)).order_by(proposals.c.id)
        rows = await self._mappings(statement)
        return [_row(row) for row in rows]

    async def forget_session(self, session_id: str) -> None:
        """Remove the trace to a session from what was learned."""
        gone = proposal_sessions.delete().where(proposal_sessions.c.session_id == session_id)
        await self._write(gone)


async def _find(connection: AsyncConnection, id: str) -> ProposalRow | None:
    row = (await connection.execute(_GET, {"which": id})).mappings().first()
    return _row(row) if row else None


def _row(row: RowMapping) -> ProposalRow:
    return value_of(ProposalRow, row)
