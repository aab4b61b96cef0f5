"""Approvals and questions: asked once, decided once, used once."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import RowMapping, bindparam, select, update

from hammerstone.core.approvals import QUESTION, Approval, ApprovalScope, ApprovalStatus
from hammerstone.storage.access import Access, Store, value_of
from hammerstone.storage.schema import approvals

_GET = select(approvals).where(approvals.c.id == bindparam("which"))
_DECIDE = (
    update(approvals)
    .where(
        approvals.c.id == bindparam("which"),
        approvals.c.status == str(ApprovalStatus.PENDING),
    )
    .values(
        status=bindparam("new_status"),
        scope=bindparam("new_scope"),
        answer=bindparam("new_answer"),
        decided_at=bindparam("when"),
        decided_by=bindparam("who"),
    )
)
_GIVEN = (
    select(approvals)
    .where(
        approvals.c.fingerprint == bindparam("what"),
        approvals.c.user == bindparam("whose"),
        approvals.c.status == str(ApprovalStatus.GIVEN),
        approvals.c.used_at.is_(None),
        approvals.c.expires_at > bindparam("now"),
    )
    .order_by(approvals.c.decided_at)
)
_USE = (
    update(approvals)
    .where(approvals.c.id == bindparam("which"), approvals.c.used_at.is_(None))
    .values(used_at=bindparam("when"))
)
_STANDING = (
    select(approvals)
    .where(
        approvals.c.session_id == bindparam("session"),
        approvals.c.user == bindparam("whose"),
        approvals.c.status == str(ApprovalStatus.GIVEN),
        approvals.c.scope == str(ApprovalScope.SESSION),
    )
    .order_by(approvals.c.decided_at)
)
_OPEN_QUESTION = (
    select(approvals)
    .where(
        approvals.c.session_id == bindparam("session"),
        approvals.c.user == bindparam("whose"),
        approvals.c.kind == QUESTION,
        approvals.c.status == str(ApprovalStatus.PENDING),
        approvals.c.expires_at > bindparam("now"),
    )
    .order_by(approvals.c.asked_at.desc(), approvals.c.id)
    .limit(1)
)


class Approvals(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert = access.dialect.insert(approvals).on_conflict_do_nothing()

    async def add(self, approval: Approval) -> None:
        row = {column.name: getattr(approval, column.name) for column in approvals.columns}
        row |= {
            "status": str(approval.status),
            "scope": str(approval.scope),
            "choices": list(approval.choices),
        }
        await self._write(self._insert, row)

    async def find(self, id: str) -> Approval | None:
        row = await self._mapping(_GET, {"which": id})
        return _approval(row) if row else None

    async def list(
        self, user: str | None = None, status: str | None = None, limit: int = 50
    ) -> "list[Approval]":
        """The newest first."""
        statement = select(approvals).order_by(approvals.c.asked_at.desc(), approvals.c.id)
        if user is not None:
            statement = statement.where(approvals.c.user == user)
        if status is not None:
            statement = statement.where(approvals.c.status == status)
        rows = await self._mappings(statement.limit(limit))
        return [_approval(row) for row in rows]

    async def decide(self, decided: Approval) -> bool:
        """Store a decision; False when somebody decided before, whose word stays."""
        values = {
            "which": decided.id,
            "new_status": str(decided.status),
            "new_scope": str(decided.scope),
            "new_answer": decided.answer,
            "when": decided.decided_at or self._access.clock.now(),
            "who": decided.decided_by,
        }
        return await self._write(_DECIDE, values) > 0

    async def expire(self, now: datetime) -> int:
        """Close what nobody has decided in its time; how many that were. A run that waited for it
        can go on without it."""
        late = update(approvals).where(
            approvals.c.status == str(ApprovalStatus.PENDING), approvals.c.expires_at <= now
        )
        expired = late.values(status=str(ApprovalStatus.EXPIRED), decided_at=now)
        return await self._write(expired)

    async def use(self, fingerprint: str, user: str, now: datetime) -> Approval | None:
        """Take a given approval for this very action; each can be taken once."""
        values = {"what": fingerprint, "whose": user, "now": now}
        async with self._access.writing() as connection:
            for row in (await connection.execute(_GIVEN, values)).mappings().all():
                taken = await connection.execute(_USE, {"which": row["id"], "when": now})
                if taken.rowcount:
                    return replace(_approval(row), used_at=now)
        return None

    async def mark_used(self, id: str, now: datetime) -> None:
        await self._write(_USE, {"which": id, "when": now})

    async def of_run(self, run_id: str, fingerprint: str) -> Approval | None:
        """What a run has asked last about this, decided or not, and not used."""
        asked = (
            select(approvals)
            .where(
                approvals.c.run_id == run_id,
                approvals.c.fingerprint == fingerprint,
                approvals.c.used_at.is_(None),
            )
            .order_by(approvals.c.asked_at.desc(), approvals.c.id)
            .limit(1)
        )
        row = await self._mapping(asked)
        return _approval(row) if row else None

    async def outlive(self, id: str) -> None:
        """Nobody waits for it any more: once decided it counts for the next run."""
        statement = update(approvals).where(approvals.c.id == id).values(outlives_run=True)
        await self._write(statement)

    async def standing(self, session_id: str, user: str) -> "list[Approval]":
        """What the user allowed for the rest of a session."""
        values = {"session": session_id, "whose": user}
        rows = await self._mappings(_STANDING, values)
        return [_approval(row) for row in rows]

    async def open_question(self, session_id: str, user: str, now: datetime) -> Approval | None:
        """The newest question of a session that nobody has answered."""
        values = {"session": session_id, "whose": user, "now": now}
        row = await self._mapping(_OPEN_QUESTION, values)
        return _approval(row) if row else None


def _approval(row: RowMapping) -> Approval:
    return value_of(
        Approval,
        row,
        status=ApprovalStatus(row["status"]),
        scope=ApprovalScope(row["scope"]),
        choices=tuple(row["choices"]),
    )
