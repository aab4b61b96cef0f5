"""The desk where people are asked: what waits, what was decided, and by whom."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import ClassVar

from hammerstone.core.approvals import Approval, ApprovalScope, ApprovalStatus
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.guard.action_words import ID_CHARS
from hammerstone.storage import Database
from hammerstone.storage.stores.runs.runs import RUNNING

# An approval asked in the future was asked before the clock was set back: it is not trusted.
_CLOCK_SLACK = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """How long a person is waited for, and how long an unanswered question is kept."""

    name: ClassVar[str] = "approvals"
    wait_s: float = 300.0
    keep_s: float = 86_400.0
    look_every_s: float = 0.5


class ApprovalDesk:
    """Every decision is made here, once; a second one is told that it comes too late."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def list(
        self, user: str | None = None, *, pending: bool = True, limit: int = 50
    ) -> list[Approval]:
        """What waits for a person (or everything that was asked), newest first."""
        status = str(ApprovalStatus.PENDING) if pending else None
        rows = await self._db.approvals.list(user, status, limit)
        return [row for row in rows if not self._expired(row)] if pending else rows

    async def get(self, id: str, *, user: str | None = None) -> Approval:
        """An approval by its id or its first 8 characters; only the user's own, if one is named."""
        found = await self._db.approvals.find(id)
        if found is None and len(id) >= ID_CHARS:
            rows = await self._db.approvals.list(user, limit=1000)
            matching = [row for row in rows if row.id.startswith(id)]
            if len(matching) > 1:
                raise BadRequest(f"{len(matching)} approvals begin with {id}")
            found = matching[0] if matching else None
        if found is None or (user is not None and found.user != user):
            raise NotFound(f"there is no approval {id}", hint="hammerstone approvals list")
        return found

    async def give(
        self,
        id: str,
        *,
        who: str,
        user: str | None = None,
        scope: ApprovalScope = ApprovalScope.ONCE,
    ) -> Approval:
        """Say yes. Raises `BadRequest` when it is too late for that, and says why."""
        waiting = await self._open(id, user)
        return await self._decide(replace(waiting, status=ApprovalStatus.GIVEN, scope=scope), who)

    async def refuse(self, id: str, *, who: str, user: str | None = None) -> Approval:
        waiting = await self._open(id, user)
        return await self._decide(replace(waiting, status=ApprovalStatus.REFUSED), who)

    async def answer(self, id: str, text: str, *, who: str, user: str | None = None) -> Approval:
        """What the person says to a question."""
        waiting = await self._open(id, user)
        given = replace(waiting, status=ApprovalStatus.GIVEN, answer=text)
        return await self._decide(given, who)

    async def expire(self, approval: Approval) -> Approval:
        """Nobody decided in time; a decision made in this very moment counts all the same."""
        late = replace(approval, status=ApprovalStatus.EXPIRED, decided_at=self._clock.now())
        if await self._db.approvals.decide(late):
            return late
        return await self.get(approval.id)

    async def decided(self, approval: Approval, every_s: float) -> Approval:
        """Waits until somebody, in whatever process, has decided."""
        while True:
            found = await self._db.approvals.find(approval.id)
            if found is None or found.status is not ApprovalStatus.PENDING:
                return found or replace(approval, status=ApprovalStatus.REFUSED)
            await asyncio.sleep(every_s)

    async def _open(self, id: str, user: str | None) -> Approval:
        found = await self.get(id, user=user)
        if found.status is not ApprovalStatus.PENDING:
            raise BadRequest(f"approval {found.id[:8]} is already {found.status}")
        if self._expired(found):
            await self.expire(found)
            raise BadRequest(
                f"approval {found.id[:8]} has expired: nobody decided in time",
                hint="ask for it once more; then you can decide again",
            )
        if not found.outlives_run:
            run = await self._db.runs.find(found.run_id)
            if run is not None and run.status != RUNNING:
                await self.expire(found)
                raise BadRequest(
                    f"the run that asked for approval {found.id[:8]} has ended ({run.status})",
                    hint="ask for it once more; then you can decide again",
                    run=found.run_id,
                )
        return found

    async def _decide(self, decided: Approval, who: str) -> Approval:
        decided = replace(decided, decided_by=who, decided_at=self._clock.now())
        if not await self._db.approvals.decide(decided):
            before = await self.get(decided.id)
            raise BadRequest(f"approval {decided.id[:8]} is already {before.status}")
        return decided

    def _expired(self, approval: Approval) -> bool:
        now = self._clock.now()
        return now >= approval.expires_at or approval.asked_at > now + _CLOCK_SLACK
