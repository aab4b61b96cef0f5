"""The standing of tools follows from their use: trusted after enough, retired when they fail.

    experimental ── proved again, or use ─► verified ── 20 good uses in 5 sessions ──► trusted
         │       ◄─ under 0.95 by use ──────┘  ◄──── a failure of its own ──────────── │
         └──── success under 0.4 in 3 uses or more ────► retired ◄─────────────────────┘
    deprecated: a better one exists; by a person or by merging, never by use

Verified is one mark on one number: the chance that the next answer is right, which the proof
began and use moves (upkeep/trust.py). A use counts as good only where feedback says so
(library/policies/feedback_policy.py), and as wrong where a person said it was;
the rest is neutral. Of failures only the tool's own count. Every change is an assessment appended
to the version, with the numbers behind it. `Upkeep` is one pass over the library: standings that
use has changed, and halves without the other.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Protocol

from hammerstone.core.changes import ProposalKind
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Status, Tool
from hammerstone.core.trust import EarnedTrust
from hammerstone.library.policies import LifecyclePolicy, Policies
from hammerstone.library.search.index.loaded_index import TOOL
from hammerstone.library.tools.registry import HIDDEN, Registry, ToolIndex
from hammerstone.library.tools.upkeep.trust import TrustBook
from hammerstone.storage import Database
from hammerstone.storage.stores.requests.feedback import UseTally

WHO = "upkeep"
VERIFIED_AT = 0.95  # where nobody says otherwise
_ABOVE = (Status.VERIFIED, Status.TRUSTED)


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
        mark: Callable[[], float] = lambda: VERIFIED_AT,
    ) -> None:
        """`mark` is the chance from which on a tool is verified."""
        self._db = db
        self._registry = registry
        self._policies = policies
        self._judge = judge
        self._mark = mark
        self.trust = TrustBook(db, policies)

    async def after_use(self, tool: Tool, *, ok: bool) -> Tool | None:
        """Look at a tool right after a call that has been recorded; the changed tool, or None.

        `tool` is as it was before the call. Its earned trust follows every judged use; its
        standing is looked at after a bad one, and after good ones now and then.
        """
        policy = self._policies.get(LifecyclePolicy)
        if tool.status in HIDDEN:
            return None
        trust = await self.trust.renew(tool, await self._revived(tool))
        if ok:
            uses = tool.uses + 1
            ripe = tool.status is Status.VERIFIED and uses >= policy.trusted_uses
            rises = (
                trust is not None
                and tool.status is Status.EXPERIMENTAL
                and self.trust.crosses(trust, self._mark(), marked=False)
            )
            if not rises and (not ripe or uses % policy.look_every):
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
        own, others = await self.trust.failures(tool, since)
        # What one person calls wrong takes trust; it takes several to put a tool out of use.
        judged = use.good + own + (use.wrong if use.people > 1 else 0)
        rate = use.good / judged if judged else 1.0
        trust = await self.trust.of(tool, since)
        evidence: JsonObject = {
            "who": WHO,
            "good": use.good,
            "wrong": use.wrong,
            "own_failures": own,
            "other_failures": others,
            "sessions": use.sessions,
            "success": round(rate, 4),
            "earned": trust.to_json() if trust else None,
        }
        after, reason = tool.status, ""
        if judged >= policy.retired_uses and rate < policy.retired_success:
            after, reason = Status.RETIRED, f"{use.good} of {judged} uses went well"
        elif trust is not None and (moved := await self._marked(tool, trust)) is not None:
            after, reason = moved, _told(trust, self._mark())
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

    async def towards_trusted(self, tool: Tool) -> UseTally | None:
        """The judged uses of a verified tool, on its way to trusted; None for any other."""
        if tool.status is not Status.VERIFIED:
            return None
        return await self._db.feedback.tally(tool.version.id, await self._revived(tool))

    async def _marked(self, tool: Tool, trust: EarnedTrust) -> Status | None:
        """The standing to which use moves a tool over the mark; None where it stays.

        What only a proof can say is left alone: a tool rises that was proved and for which use
        speaks, and not while a value that a person stated is open.
        """
        marked = tool.status in _ABOVE
        if not self.trust.crosses(trust, self._mark(), marked=marked):
            return None
        if marked:
            return Status.EXPERIMENTAL
        known = await self._registry.assessments(tool.version.id)
        stated = bool(known) and "from" in known[-1].evidence
        return None if stated else Status.VERIFIED

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


def _told(trust: EarnedTrust, mark: float) -> str:
    """Why a tool crosses the mark, for people."""
    way = "below" if trust.chance < mark else "at least"
    return (
        f"{trust.chance:.1%} likely right by now, {way} {mark:.0%}: proved {trust.proved:.1%}, "
        f"then {trust.uses} judged uses"
    )


@dataclass(slots=True)
class UpkeepReport:
    """What was changed, or with a dry run would be."""

    dry_run: bool
    standings: list[Change] = field(default_factory=list[Change])
    not_indexed: list[str] = field(default_factory=list[str])  # tools that search did not know
    without_tool: list[str] = field(default_factory=list[str])  # index entries of no tool
    empty: list[str] = field(default_factory=list[str])  # names with nothing behind them

    @property
    def changes(self) -> int:
        return sum(map(len, (self.standings, self.not_indexed, self.without_tool, self.empty)))

    def to_json(self) -> JsonObject:
        return {
            "dry_run": self.dry_run,
            "standings": [
                {
                    "tool": each.tool,
                    "before": str(each.before),
                    "after": str(each.after),
                    "reason": each.reason,
                }
                for each in self.standings
            ],
            "not_indexed": list(self.not_indexed),
            "without_tool": list(self.without_tool),
            "empty": list(self.empty),
        }


class Upkeep:
    """The regular care for the library: retirement, merging and what use asks for."""

    def __init__(
        self, db: Database, registry: Registry, lifecycle: Lifecycle, index: ToolIndex
    ) -> None:
        self._db = db
        self._registry = registry
        self._lifecycle = lifecycle
        self._index = index

    async def run(self, *, dry_run: bool = False) -> UpkeepReport:
        """Bring the library in order; with `dry_run` only say what would change."""
        report = UpkeepReport(dry_run, standings=await self._lifecycle.due())
        if not dry_run:
            for change in report.standings:
                await self._lifecycle.apply(change)
        await self._orphans(report)
        return report

    async def _orphans(self, report: UpkeepReport) -> None:
        # In this order: a tool that is registered meanwhile is in the second, never a ghost.
        indexed = {key.removeprefix(TOOL) for key in await self._db.index.keys(TOOL)}
        statuses = await self._db.tools.statuses()
        visible = {name for name, status in statuses.items() if status not in HIDDEN}
        report.not_indexed = sorted(visible - indexed)
        report.without_tool = sorted(indexed - visible)
        report.empty = await self._db.tools.empty_names()
        if report.dry_run:
            return
        for name in report.not_indexed:
            tool = await self._registry.find(name)
            if tool is not None:
                await self._index.index(tool)
        for name in report.without_tool:
            await self._index.remove(name)
        await self._db.tools.drop_empty_names()
