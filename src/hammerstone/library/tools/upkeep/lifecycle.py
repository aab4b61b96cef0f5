"""The standing of tools follows from their use: trusted after enough, retired when they fail.

    experimental ──── proved again ────► verified ── 20 good uses in 5 sessions ──► trusted
         │                                  │  ◄──── a failure of its own ──────────── │
         └──── success under 0.4 in 3 uses or more ────► retired ◄─────────────────────┘
    deprecated: a better one exists; by a person or by merging, never by use

A use counts as good only where feedback says so (library/feedback_policy.py), and as wrong
where a person said it was; the rest is neutral. Of failures only the tool's own count. Every
change is an assessment appended to the version, with the numbers behind it.
"""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Protocol

from hammerstone.core.changes import ProposalKind
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Status, Tool
from hammerstone.library.policies import LifecyclePolicy, Policies
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.library.tools.upkeep.blame import own_fault
from hammerstone.storage import Database

WHO = "upkeep"


@dataclass(frozen=True, slots=True)
class Change:
    """A tool whose use asks for another standing."""

    tool: str
    version: str
    before: Status
    after: Status
    reason: str
    evidence: JsonObject
    since: str | None = None  # when somebody brought it back: use counts from then on

    @property
    def kind(self) -> ProposalKind:
        retires = self.after is Status.RETIRED
        return ProposalKind.RETIREMENT if retires else ProposalKind.TRUST


class StandingJudge(Protocol):
    """The judge of what use asks for."""

    async def decide(self, change: Change) -> Tool | None:
        """The tool as it stands now, or None when it stands as before."""
        ...


class Lifecycle:
    """Without a judge, what use asks for happens."""

    def __init__(
        self,
        db: Database,
        registry: Registry,
        policies: Policies,
        judge: StandingJudge | None = None,
    ) -> None:
        self._db = db
        self._registry = registry
        self._policies = policies
        self._judge = judge

    async def after_use(self, tool: Tool, *, ok: bool) -> Tool | None:
        """Look at a tool right after a call that has been recorded; the changed tool, or None.

        `tool` is as it was before the call. A good call costs nothing but now and then, so
        this may stand on the path of every request.
        """
        policy = self._policies.get(LifecyclePolicy)
        if tool.status in HIDDEN:
            return None
        if ok:
            uses = tool.uses + 1
            ripe = tool.status is Status.VERIFIED and uses >= policy.trusted_uses
            if not ripe or uses % policy.look_every:
                return None
        change = await self.review(tool)
        return await self.apply(change) if change else None

    async def review(self, tool: Tool) -> Change | None:
        """What use says about a tool's active version, if it says anything new."""
        if tool.status in HIDDEN:
            return None
        policy = self._policies.get(LifecyclePolicy)
        since = await self._revived(tool)
        use = await self._db.feedback.tally(tool.version.id, since)
        failures = await self._db.executions.failures(tool.version.id, since=since)
        own = sum(own_fault(tool.version.code, kind, error) for kind, error in failures)
        # What one person calls wrong takes trust; it takes several to put a tool out of use.
        judged = use.good + own + (use.wrong if use.people > 1 else 0)
        rate = use.good / judged if judged else 1.0
        evidence: JsonObject = {
            "who": WHO,
            "good": use.good,
            "wrong": use.wrong,
            "own_failures": own,
            "other_failures": len(failures) - own,
            "sessions": use.sessions,
            "success": round(rate, 4),
        }
        after, reason = tool.status, ""
        if judged >= policy.retired_uses and rate < policy.retired_success:
            after, reason = Status.RETIRED, f"{use.good} of {judged} uses went well"
        elif (own or use.wrong) and tool.status is Status.TRUSTED:
            after, reason = Status.VERIFIED, f"{own} failures of its own, {use.wrong} wrong results"
        elif (
            tool.status is Status.VERIFIED
            and not (own or use.wrong)
            and use.good >= policy.trusted_uses
            and use.sessions >= policy.trusted_sessions
        ):
            after = Status.TRUSTED
            reason = f"{use.good} good uses in {use.sessions} sessions"
        if after is tool.status:
            return None
        evidence["reason"] = reason
        revived = since.isoformat() if since else None
        return Change(tool.name, tool.version.id, tool.status, after, reason, evidence, revived)

    async def apply(self, change: Change) -> Tool | None:
        """The changed tool, or None when whoever decides has left it as it is."""
        if self._judge is not None:
            return await self._judge.decide(change)
        tool = await self._registry.get(change.tool)
        assessment = Assessment(change.version, change.after, tool.confidence, change.evidence)
        return await self._registry.assess(change.tool, assessment, change.kind)

    async def due(self) -> list[Change]:
        """Every tool whose use asks for another standing now."""
        policy = self._policies.get(LifecyclePolicy)
        changes: list[Change] = []
        doubted = await self._db.feedback.doubted()
        for tally in await self._db.executions.tallies():
            failed = tally.uses > tally.good or tally.version_id in doubted
            # Cheaply ruled out: neither failures to fall for nor uses enough to rise.
            if not failed and tally.good < policy.trusted_uses:
                continue
            tool = await self._registry.find(tally.tool)
            if tool is None or tool.version.id != tally.version_id:
                continue
            change = await self.review(tool)
            if change:
                changes.append(change)
        return changes

    async def _revived(self, tool: Tool) -> datetime | None:
        """Since when use counts: a tool that somebody brought back starts anew."""
        known = await self._registry.assessments(tool.version.id)
        steps = pairwise(known)
        back = [new.at for old, new in steps if old.status in HIDDEN and new.status not in HIDDEN]
        return back[-1] if back else None
