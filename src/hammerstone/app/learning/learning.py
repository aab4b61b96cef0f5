"""Learning between requests, put together: mining, composites, repairs, the gate, the ledger."""

from collections.abc import Sequence

from hammerstone.app.learning.experiments import ExperimentDesk, ExperimentJob
from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.job_runner import JobBudget, JobRunner
from hammerstone.app.learning.jobs.mining_job import MiningJob
from hammerstone.app.learning.jobs.promotion_job import PromotionJob
from hammerstone.app.learning.jobs.repair_job import RepairJob
from hammerstone.app.learning.jobs.upkeep_job import UpkeepJob
from hammerstone.app.learning.tuning import TuningDesk, TuningJob
from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest, ModelError
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Allowance, Model
from hammerstone.guard.budget import Budget, JointAllowance
from hammerstone.learn.evolution.evolution_policy import EVOLUTION_POLICIES
from hammerstone.learn.feedback.correction import Corrections
from hammerstone.learn.feedback.reader import FeedbackReader
from hammerstone.learn.ledger.changes import GateParts, appliers
from hammerstone.learn.ledger.ledger import Ledger
from hammerstone.learn.mining.miner import MiningReport
from hammerstone.learn.mining.patterns import PatternBook
from hammerstone.learn.policies import (
    ExperimentPolicy,
    FineTuningPolicy,
    GatePolicy,
    HarnessPolicy,
    LabelPolicy,
    MiningPolicy,
    PromptTrackPolicy,
    RepairPolicy,
    SkillTrackPolicy,
    TuningPolicy,
)
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.repair.tool_repairer import (
    RepairOutcome,
    RepairResult,
    ToolRepairer,
    Workbench,
)
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.library.tools.upkeep import Upkeep
from hammerstone.run.services import RoleModels, Services
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import ProposalRow

LEARNING_POLICIES = (
    GatePolicy,
    MiningPolicy,
    RepairPolicy,
    LearningPolicy,
    FeedbackPolicy,
    ExperimentPolicy,
    LabelPolicy,
    TuningPolicy,
    *EVOLUTION_POLICIES,
    PromptTrackPolicy,
    FineTuningPolicy,
    HarnessPolicy,
    SkillTrackPolicy,
)


def open_gate(db: Database, registry: Registry, policies: Policies, parts: GateParts) -> ChangeGate:
    return ChangeGate(db, policies, appliers(registry, policies, db, parts), db.access.clock)


def open_repairer(
    services: Services, gate: ChangeGate, turn: JobBudget | None = None
) -> ToolRepairer:
    """Mends tools for a run, which knows it only as a `Repairer`, or in the `turn` of a job."""
    records, registry = services.records, services.catalogue.registry
    workshop, policies = services.workshop, services.guards.policies
    bench = Workbench(
        db=records.db,
        registry=registry,
        gate=gate,
        sandbox=workshop.sandbox,
        coder=lambda policy, request: _coder(workshop.models, policy, (request, turn)),
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


def _coder(
    models: RoleModels, policy: RepairPolicy, within: Sequence[Allowance | None]
) -> Model | None:
    """The coder with a budget of its own, within those of the request or job that it is mended
    for; without a model, edits alone have to do."""
    budget = Budget(
        tokens=policy.tokens,
        model_calls=policy.model_calls,
        steps=None,
        usd=policy.usd,
        name="repair",
    )
    try:
        both = JointAllowance((budget, *(one for one in within if one is not None)))
        return models.for_role(Role.CODER, allowance=both)
    except ModelError:
        return None


_NOTHING: JsonObject = {
    "mined": {**MiningReport(busy=True).to_json()},
    "probation": [],
    "repairs": [],
    "does_not_pay": [],
}
"""What a round says of jobs that another process is doing."""


class Learning:
    """`hammerstone learn`, `repair`, `ledger`, `undo` and `proposals`, and the jobs between
    requests (`jobs`)."""

    def __init__(self, services: Services, gate: ChangeGate) -> None:
        self._registry = services.catalogue.registry
        self._policies = services.guards.policies
        self._stop = services.guards.stop
        self._records = services.records
        self.gate = gate
        self.jobs = JobRunner(services.records, services.guards)
        self.repairer = open_repairer(services, gate, self.jobs.budget)
        self.reader = open_reader(services)
        self.corrections = Corrections(
            self._records.db,
            self._registry,
            services.catalogue.search,
            self.repairer,
            services.workshop.sandbox,
            self._records.clock,
        )
        experiments = ExperimentDesk(services, self.gate)
        self.tuning = TuningDesk(services, self.gate)
        self.tuning.use = experiments
        self._mending = RepairJob(services, self.gate, self.repairer, self.corrections)
        self.jobs.add(
            upkeep_job(services),
            MiningJob(services.records, services.guards, self.gate, services.catalogue.graph),
            PromotionJob(services, self.gate, self.reader),
            self._mending,
            TuningJob(self._records.db, self._policies, self.tuning),
            ExperimentJob(experiments),
        )

    @property
    def ledger(self) -> Ledger:
        policy = self._policies.get(MiningPolicy)
        return Ledger(self._records.db, self.gate, policy, self._records.clock)

    @property
    def patterns(self) -> PatternBook:
        return PatternBook(self._records.db, self._policies.get(MiningPolicy))

    async def run(self, *, dry_run: bool = False) -> JsonObject:
        """One turn of every job now: mine, compose, watch what is on probation, mend, tune.

        A dry run counts what happened, which changes no behaviour, and only says the rest.
        `jobs` tells what each job changed, or would, and why.
        """
        done = await self.jobs.run(dry_run=dry_run)
        report: JsonObject = {**_NOTHING}
        for turn in done:
            report |= {name: value for name, value in turn.report.items() if name != "changes"}
        told: list[Json] = [turn.to_json() for turn in done]
        return {**report, "jobs": told, "dry_run": dry_run}

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
            return await self._mending.mend(name, failures)

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


def upkeep_job(services: Services) -> UpkeepJob:
    """The job that keeps the library in order."""
    catalogue, db = services.catalogue, services.records.db
    upkeep = Upkeep(db, catalogue.registry, catalogue.lifecycle, catalogue.search)
    return UpkeepJob(db, upkeep, catalogue.graph, services.guards.policies)
