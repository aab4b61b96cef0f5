"""Learning between requests, put together: mining, composites, repairs, the gate, the ledger."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest, ModelError, Stopped
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.seams import Allowance, Model
from hammerstone.guard.budget import Budget, JointAllowance
from hammerstone.learn.changes import appliers
from hammerstone.learn.composites.composer import CompositeBuilder
from hammerstone.learn.evolution.skill_track import SkillTrackPolicy
from hammerstone.learn.feedback.correction import Corrections
from hammerstone.learn.feedback.reader import FeedbackReader
from hammerstone.learn.feedback.undone_changes import note_undone
from hammerstone.learn.finetuning.adapter_change import AdapterChange
from hammerstone.learn.finetuning.tuning_policy import FineTuningPolicy
from hammerstone.learn.gate import ChangeGate
from hammerstone.learn.gate_policy import GatePolicy
from hammerstone.learn.harness.harness_change import HarnessChange
from hammerstone.learn.harness.harness_policy import HarnessPolicy
from hammerstone.learn.ledger import Ledger
from hammerstone.learn.mining.miner import Miner
from hammerstone.learn.mining.mining_policy import MiningPolicy
from hammerstone.learn.mining.patterns import PatternBook
from hammerstone.learn.probation import watch
from hammerstone.learn.prompting.prompt_policy import PromptTrackPolicy
from hammerstone.learn.proposals import ProposalKind, ProposalState
from hammerstone.learn.repair.repair_policy import RepairPolicy
from hammerstone.learn.repair.tool_repairer import (
    RepairOutcome,
    RepairResult,
    ToolRepairer,
    Workbench,
)
from hammerstone.library.feedback_policy import FeedbackPolicy
from hammerstone.library.own_adapters import OwnAdapters
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.skills import Skills
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.run.services import RoleModels, Services
from hammerstone.storage import Database, Execution
from hammerstone.storage.work.proposals import ProposalRow

_SETTLING = (
    RepairOutcome.REPAIRED,
    RepairOutcome.QUARANTINED,
    RepairOutcome.ROLLED_BACK,
    ProposalState.WAITING,
)
"""Outcomes after which the other failures of a tool need no look."""

JOB = "learning"
LEASE_S = 3600.0


@dataclass(frozen=True, slots=True)
class LearningPolicy:
    """When learning happens by itself."""

    name: ClassVar[str] = "learning"
    enabled: bool = True
    every_hours: float = 24.0
    repairs: int = 5  # tools that one round tries to mend


LEARNING_POLICIES = (
    GatePolicy,
    MiningPolicy,
    RepairPolicy,
    LearningPolicy,
    FeedbackPolicy,
    PromptTrackPolicy,
    FineTuningPolicy,
    HarnessPolicy,
    SkillTrackPolicy,
)


def open_gate(
    db: Database, registry: Registry, policies: Policies, skills: Skills, search: ToolSearch,
    adapters: OwnAdapters | None = None,
) -> ChangeGate:  # fmt: skip
    made = appliers(registry, policies, db, skills=skills, search=search)
    made[ProposalKind.HARNESS] = HarnessChange()
    if adapters is not None:
        made[ProposalKind.ADAPTER] = AdapterChange(adapters)
    return ChangeGate(db, policies, made, db.access.clock)


def gate_of(services: Services) -> ChangeGate:
    """The gate of an engine."""
    catalogue = services.catalogue
    parts = (catalogue.registry, services.guards.policies, catalogue.skills, catalogue.search)
    return open_gate(services.records.db, *parts, adapters=catalogue.adapters)


def open_repairer(services: Services) -> ToolRepairer:
    """Mends tools for a run, which knows it only as a `Repairer`."""
    records, registry = services.records, services.catalogue.registry
    workshop, policies = services.workshop, services.guards.policies
    gate = gate_of(services)
    bench = Workbench(
        db=records.db,
        registry=registry,
        gate=gate,
        sandbox=workshop.sandbox,
        coder=lambda policy, request: _coder(workshop.models, policy, request),
        policy=lambda: policies.get(RepairPolicy),
        clock=records.clock,
    )
    return ToolRepairer(bench)


def open_reader(services: Services) -> FeedbackReader:
    """Learns from feedback for a run, which knows it only as a `Listener`."""
    records, catalogue = services.records, services.catalogue
    return FeedbackReader(
        records.db,
        catalogue.registry,
        catalogue.search,
        catalogue.lifecycle,
        services.guards.policies,
        records.clock,
    )


def _coder(models: RoleModels, policy: RepairPolicy, request: Allowance | None) -> Model | None:
    """The coder with a budget of its own, within the request's if it is mended for one; without
    a model, edits alone have to do."""
    budget = Budget(
        tokens=policy.tokens,
        model_calls=policy.model_calls,
        steps=None,
        usd=policy.usd,
        name="repair",
    )
    try:
        both = JointAllowance((budget, request)) if request is not None else budget
        return models.for_role(Role.CODER, allowance=both)
    except ModelError:
        return None


def _told(tool: str, result: RepairResult) -> JsonObject:
    return {"tool": tool, "outcome": str(result.outcome), "reason": result.reason}


class Learning:
    """`hammerstone learn`, `repair`, `ledger`, `undo` and `proposals`, and the daily job."""

    def __init__(self, services: Services) -> None:
        self._registry = services.catalogue.registry
        self._graph = services.catalogue.graph
        self._sandbox = services.workshop.sandbox
        self._policies = services.guards.policies
        self._stop = services.guards.stop
        self._records = services.records
        self.gate = gate_of(services)
        self.repairer = open_repairer(services)
        self._reader = open_reader(services)
        self.corrections = Corrections(
            self._records.db,
            self._registry,
            services.catalogue.search,
            self.repairer,
            self._sandbox,
            self._records.clock,
        )

    @property
    def ledger(self) -> Ledger:
        policy = self._policies.get(MiningPolicy)
        return Ledger(self._records.db, self.gate, policy, self._records.clock)

    @property
    def patterns(self) -> PatternBook:
        return PatternBook(self._records.db, self._policies.get(MiningPolicy))

    async def run(self, *, dry_run: bool = False) -> JsonObject:
        """One round: mine, compose, watch what is on probation, mend, look for what does not pay.

        A dry run counts what happened, which changes no behaviour, and only says the rest.
        """
        async with self._stop.calling():
            return await self._round(dry_run)

    async def _round(self, dry_run: bool) -> JsonObject:
        records, report = self._records, dict[str, Json]()
        await self._policies.load()
        await self.gate.recover()
        await self.ledger.entries.gather()
        mining = self._policies.get(MiningPolicy)
        miner = Miner(records.db, mining, records.clock, self._graph.observe)
        report["mined"] = (await miner.run()).to_json()
        if mining.enabled:
            composer = CompositeBuilder(
                records.db, self._registry, self.gate, await self._sandbox(), mining
            )
            report["stepped_back"] = [
                o.to_json() for o in await composer.step_back(dry_run=dry_run)
            ]
            report["composites"] = [o.to_json() for o in await composer.run(dry_run=dry_run)]
        repairs = self._policies.get(RepairPolicy)
        watched = await watch(records.db, self.gate, repairs, dry_run=dry_run)
        report["probation"] = [one.to_json() for one in watched]
        if not dry_run:
            policy = self._policies.get(FeedbackPolicy)
            report["undone"] = await note_undone(records.db, self._reader, policy)
        report["repairs"] = await self._repairs(dry_run)
        idle = await self.ledger.retire_what_does_not_pay(dry_run=dry_run)
        report["does_not_pay"] = [lesson.what for lesson in idle]
        report["dry_run"] = dry_run
        return report

    async def _repairs(self, dry_run: bool) -> list[Json]:
        """Tools that failed in several sessions and whose failure nobody looked into."""
        policy = self._policies.get(LearningPolicy)
        needed = self._policies.get(RepairPolicy).sessions
        found: list[Json] = []
        for tool in await self._registry.list():
            if not dry_run and await self.corrections.has_fallen(tool):
                stated = await self.corrections.repair_open(tool.name)
                if stated is not None:
                    found.append(_told(tool.name, stated))
                continue
            failures = await self._failures(tool.name, tool.version.id)
            if len({row.session_id for row in failures}) < needed or len(found) >= policy.repairs:
                continue
            if dry_run:
                found.append({"tool": tool.name, "outcome": "would be checked"})
                continue
            found.append(_told(tool.name, await self._mend_rows(tool.name, failures)))
        return found

    async def _failures(self, name: str, version_id: str) -> list[Execution]:
        """Recorded failures of a version that were not analysed in their session yet."""
        known = {
            (row.session_id, row.version_id)
            for row in await self._records.db.analyses.list(name, limit=1000)
        }
        rows = await self._records.db.executions.list(name, limit=200)
        return [
            row
            for row in rows
            if not row.ok
            and row.version_id == version_id
            and (row.session_id, row.version_id) not in known
        ]

    async def repair(self, name: str) -> RepairResult:
        """Look into a tool's recorded failures now and mend it if that can be proved."""
        tool = await self._registry.get(name)
        if tool.status in HIDDEN:
            raise BadRequest(f"{name} is {tool.status}", hint=f"hammerstone tools unretire {name}")
        async with self._stop.calling():
            stated = await self.corrections.repair_open(name)
        if stated is not None:
            return stated
        rows = await self._records.db.executions.list(name, limit=200)
        failures = [row for row in rows if not row.ok and row.version_id == tool.version.id]
        if not failures:
            return RepairResult(
                RepairOutcome.NOTHING_TO_DO,
                f"no call of {name}'s present version has failed, and it gives every value that "
                "people stated",
            )
        async with self._stop.calling():
            return await self._mend_rows(name, failures)

    async def _mend_rows(self, name: str, failures: list[Execution]) -> RepairResult:
        """One call of each session, so that the same failure in several is seen as such."""
        tool = await self._registry.get(name)
        by_session = {row.session_id: row for row in reversed(failures)}
        result = RepairResult(RepairOutcome.NOTHING_TO_DO, "")
        for row in list(by_session.values())[:5]:
            arguments = row.arguments if isinstance(row.arguments, dict) else {}
            failed = FailedCall(
                tool=tool,
                arguments=arguments,
                failure=row.failure,
                error=row.error,
                request="",
                session_id=row.session_id,
                user="",
                run_id=row.run_id,
            )
            result = await self.repairer.look_into(failed)
            if result.outcome in _SETTLING:
                break
        return result

    async def proposals(self, statuses: list[str]) -> list[ProposalRow]:
        return await self._records.db.proposals.list(statuses=statuses)

    async def proposal(self, id: str) -> JsonObject:
        """A proposal with its preview, everything decided about it, and what builds on it."""
        row = await self._records.db.proposals.get(id)
        preview = await self.gate.preview(id)
        audits: list[Json] = [
            f"{audit.at:%Y-%m-%d %H:%M} {audit.what} by {audit.who}: {audit.reason}"
            for audit in await self._records.db.proposals.audits(id)
        ]
        above = await self.gate.standing_on(id)
        return {
            "id": row.id,
            "kind": row.kind,
            "target": row.target,
            "title": row.title,
            "status": row.status,
            "preview": preview,
            "evidence": row.evidence,
            "decision": row.decision,
            "audits": audits,
            "dependents": [f"{other.id} {other.title}" for other in above],
        }

    async def daily(self) -> JsonObject | None:
        """The scheduled round, once a day whichever process comes first; None when not due."""
        policy = self._policies.get(LearningPolicy)
        if not policy.enabled:
            return None
        db, now = self._records.db, self._records.clock.now()
        mark = await db.leases.mark(JOB)
        due = timedelta(hours=policy.every_hours)
        if isinstance(mark, str) and now - datetime.fromisoformat(mark) < due:
            return None
        lease = await db.leases.take(JOB, f"daily {now.isoformat()}", LEASE_S)
        if lease is None:
            return None
        try:
            await db.leases.set_mark(lease, now.isoformat())
            # A library's first day is for gathering: there is nothing to learn from yet.
            return await self.run() if mark is not None else None
        except Stopped:
            await db.leases.set_mark(lease, mark)  # it is due as before
            raise
        finally:
            await db.leases.give_back(lease)
