"""Everything that was learned: what, when, from what, what it is worth, and how to undo it."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from hammerstone.core.changes import AUTOMATIC, TOOL_KINDS
from hammerstone.core.clock import Clock
from hammerstone.core.formatting import count, duration
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.ledger.lesson_entries import LessonEntries, requests_of, tools_of
from hammerstone.learn.policies import MiningPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate, GateDecision
from hammerstone.learn.promotion.proposals import IN_FORCE, Proposal, ProposalKind
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import ProposalRow


@dataclass(frozen=True, slots=True)
class EntryWorth:
    """What a change was worth so far, in its uses since, and what making it took."""

    uses: int
    saved_calls: float
    saved_s: float
    cost_s: float
    cost_tokens: float

    @property
    def saved(self) -> str:
        """What was saved, in words."""
        if not self.uses:
            return "not used since"
        used = f"used {count(self.uses, 'time')} since"
        saved = [count(self.saved_calls, "call")] if self.saved_calls else []
        saved += [duration(self.saved_s)] if self.saved_s else []
        return f"{used}, saved {' and '.join(saved)}" if saved else used

    @property
    def cost(self) -> str:
        """What it took, in words; empty when that is nothing to speak of."""
        told = [duration(self.cost_s)] if self.cost_s else []
        told += [count(self.cost_tokens, "token")] if self.cost_tokens else []
        return " and ".join(told)

    @property
    def pays(self) -> bool:
        return self.saved_s > self.cost_s or self.saved_calls > 0


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One entry. `against` is what speaks against it, `undo` the command."""

    id: str
    kind: str
    target: str
    what: str
    status: str
    at: datetime
    evidence: int
    traces: tuple[str, ...]
    worth: EntryWorth
    why: str
    who: str
    against: tuple[str, ...]
    undo: str

    @property
    def value(self) -> str:
        """What it was worth so far, in words."""
        measured = self.kind in (*TOOL_KINDS, ProposalKind.LESSON)
        return self.worth.saved if measured else "not measured"

    @property
    def because(self) -> str:
        """The reason; with the name of who decided, where that was a person."""
        return self.why if self.who in AUTOMATIC else f"{self.who}: {self.why}"

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "kind": self.kind,
            "target": self.target,
            "what": self.what,
            "status": self.status,
            "at": self.at.isoformat(),
            "evidence": self.evidence,
            "traces": list(self.traces),
            **asdict(self.worth),
            "why": self.why,
            "who": self.who,
            "against": list(self.against),
            "undo": self.undo,
            "pays": self.worth.pays,
            "worth": self.value,
            "because": self.because,
            "cost": self.worth.cost,
        }


class Ledger:
    def __init__(self, db: Database, gate: ChangeGate, policy: MiningPolicy, clock: Clock) -> None:
        self._db = db
        self._gate = gate
        self._policy = policy
        self._clock = clock
        self.entries = LessonEntries(db, clock)

    async def lessons(self, *, every: bool = False, limit: int = 500) -> list[LedgerEntry]:
        """What is in force, newest first; with `every`, also what was refused or taken back."""
        await self.entries.gather()
        statuses = () if every else IN_FORCE
        rows = await self._db.proposals.list(statuses=statuses, limit=limit)
        return [await self.entry(row) for row in rows]

    async def entry(self, row: ProposalRow) -> LedgerEntry:
        evidence = ProposalEvidence.from_json(row.evidence)
        sessions = await self._db.proposals.sessions(row.id)
        uses = await self._uses(row)
        decision = row.decision or {}
        in_force = row.status in IN_FORCE
        return LedgerEntry(
            id=row.id,
            kind=row.kind,
            target=row.target,
            what=row.title,
            status=row.status,
            at=row.changed_at,
            evidence=max(evidence.sources, len(sessions)),
            traces=tuple(run for run in sessions.values() if run),
            worth=EntryWorth(
                uses=uses,
                saved_calls=uses * _number(row, "saved_calls"),
                saved_s=uses * _number(row, "saved_s"),
                cost_s=_number(row, "cost_s"),
                cost_tokens=_number(row, "cost_tokens"),
            ),
            why=str(decision.get("reason", "")),
            who=str(decision.get("by", "learning")),
            against=evidence.against,
            undo=f"hammerstone undo {row.id}" if in_force else "",
        )

    async def _uses(self, row: ProposalRow) -> int:
        """Good calls since then of the version that is in force through it, or, of what search
        learned, of the tools that it leads to."""
        reverse = row.reverse or {}
        after = reverse.get("after")
        if row.kind in TOOL_KINDS and isinstance(after, str):
            new = reverse.get("before") != after
            since = None if new else row.created_at
            return (await self._db.executions.of_version(after, since)).good
        if row.kind == ProposalKind.LESSON:
            added, _ = requests_of(reverse)
            found = [await self._db.tools.pointer(tool) for tool in tools_of(added)]
            uses = [
                (await self._db.executions.of_version(version, row.created_at)).good
                for version in found
                if version
            ]
            return sum(uses)
        return 0

    async def retire_what_does_not_pay(self, *, dry_run: bool = False) -> list[LedgerEntry]:
        """Composites that nobody used for long are proposed for retirement; a person decides."""
        oldest = self._clock.now() - timedelta(days=self._policy.retire_after_days)
        found: list[LedgerEntry] = []
        rows = await self._db.proposals.list(
            kind=ProposalKind.COMPOSITE, statuses=IN_FORCE, limit=10_000
        )
        for row in rows:
            lesson = await self.entry(row)
            if row.changed_at > oldest or lesson.worth.pays:
                continue
            found.append(lesson)
            if not dry_run:
                await self._propose(row, lesson)
        return found

    async def _propose(self, row: ProposalRow, lesson: LedgerEntry) -> GateDecision:
        target = str((row.reverse or {}).get("tool", row.target))
        reason = f"used {lesson.worth.uses} times since {row.changed_at:%Y-%m-%d}: it does not pay"
        proposal = Proposal(
            kind=ProposalKind.RETIREMENT,
            target=target,
            title=f"retire {target}",
            change={"reason": reason, "proposal": row.id},
            evidence=ProposalEvidence(sources=lesson.evidence),
        )
        return await self._gate.ask(proposal, why=reason)

    async def forget_session(self, session_id: str, *, lessons: bool = True) -> list[str]:
        """Take a session out of what was learned; what was done, in words.

        Its share in patterns and its analyses go. With `lessons`, so do the changes in force
        that came from it and not from enough others.
        """
        done: list[str] = []
        for row in await self._db.proposals.of_session(session_id):
            others = [s for s in await self._db.proposals.sessions(row.id) if s != session_id]
            stays = row.kind not in (ProposalKind.REPAIR, ProposalKind.COMPOSITE)
            if stays:
                continue  # a tool that was built or examined holds nothing of it but its request
            if lessons and row.status in IN_FORCE and len(others) < self._policy.sessions:
                why = "the session it came from was deleted"
                done += await self._gate.undo(row.id, who="person", why=why, cascade=True)
        await self._db.proposals.forget_session(session_id)
        patterns = await self._db.patterns.forget_session(session_id)
        analyses = await self._db.analyses.forget_session(session_id)
        return [*done, f"{patterns} patterns and {analyses} analyses without it"]


def _number(row: ProposalRow, name: str) -> float:
    value = row.value.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
