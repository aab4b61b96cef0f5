"""The desk where people are asked: what waits, what was decided, and by whom (R8.2)."""

import asyncio
import json
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import ClassVar

from hammerstone.core.approvals import Action, Approval, ApprovalScope, ApprovalStatus
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.guard.data import visible
from hammerstone.storage import Database
from hammerstone.storage.requests.runs import RUNNING

SHOWN_CHARS = 2_000
"""Of arguments and previews in the text of an approval; what is longer says so."""
_ID_CHARS = 8  # as many as are shown; fewer could mean another approval than the one that was read

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
        if found is None and len(id) >= _ID_CHARS:
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
                hint="ask again; you are asked anew then",
            )
        if not found.outlives_run:
            run = await self._db.runs.find(found.run_id)
            if run is not None and run.status != RUNNING:
                await self.expire(found)
                raise BadRequest(
                    f"the run that asked for approval {found.id[:8]} has ended ({run.status})",
                    hint="ask again; you are asked anew then",
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


def approval_text(action: Action, why: str, id: str) -> str:
    """What a person reads before they decide. Nothing in it is hidden: what is too long says how
    much more there is and where, and characters that nobody sees are written out."""
    version = f" v{action.version}" if action.version is not None else ""
    why = visible(f"{why[:1].upper()}{why[1:]}")
    lines = [f"May {visible(action.tool)}{version} run? {why}."]
    if not action.reversible:
        lines.append("It cannot be undone.")
    arguments = json.dumps(dict(action.arguments), ensure_ascii=False, default=str)
    lines.append(f"With: {_shortened(visible(arguments), id)}")
    if action.preview:
        lines.append("In its own words:")  # so that they cannot pass for ours
        own = _shortened(visible(action.preview, kept="\n"), id)
        lines += [f"  {line}" for line in own.split("\n")]
    return "\n".join(lines)


def whole_action(approval: Approval) -> str:
    """All that an action is given, and what it says of itself, uncut; empty for a question."""
    if approval.action is None:
        return ""
    action = approval.action
    text = json.dumps(action.get("arguments"), ensure_ascii=False, indent=1, default=str)
    preview = str(action.get("preview") or "")
    return visible(f"{text}\n{preview}".rstrip(), kept="\n")


def _shortened(text: str, id: str) -> str:
    more = len(text) - SHOWN_CHARS
    if more <= 0:
        return text
    whole = f"hammerstone approvals show {id[:_ID_CHARS]}"
    return f"{text[:SHOWN_CHARS]} … {more:,} more characters (all of them: {whole})"
