"""Makes tools of patterns, watches what is on probation, and proposes to retire what is idle."""

from hammerstone.app.learning.jobs.learning_job import RequestJob
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.composites.composer import CompositeBuilder
from hammerstone.learn.feedback.reader import FeedbackReader, note_undone
from hammerstone.learn.ledger.ledger import Ledger
from hammerstone.learn.policies import MiningPolicy, RepairPolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.probation import watch
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.run.services import Services

_SAVED = "saved_by_composites_s"


class PromotionJob(RequestJob):
    name = "promotion"
    about = "joins tools that follow each other, checks new versions, retires what is idle"

    def __init__(self, services: Services, gate: ChangeGate, reader: FeedbackReader) -> None:
        super().__init__(services.records.db, services.guards.policies)
        self._clock = services.records.clock
        self._registry = services.catalogue.registry
        self._sandbox = services.workshop.sandbox
        self._gate = gate
        self._reader = reader

    async def run(self, *, dry_run: bool) -> JobReport:
        db, details = self._db, dict[str, Json]()
        changes: list[JobChange] = []
        mining = self._policies.get(MiningPolicy)
        if mining.enabled:
            sandbox = await self._sandbox()
            composer = CompositeBuilder(db, self._registry, self._gate, sandbox, mining)
            back = [one.to_json() for one in await composer.step_back(dry_run=dry_run)]
            made = [one.to_json() for one in await composer.run(dry_run=dry_run)]
            details |= {"stepped_back": [*back], "composites": [*made]}
            changes += [_composite(one) for one in (*back, *made)]
        watched = await watch(db, self._gate, self._policies.get(RepairPolicy), dry_run=dry_run)
        details["probation"] = [one.to_json() for one in watched]
        for one in watched:
            told = one.to_json()
            changes.append(JobChange(f"{told['outcome']}: {told['target']}", str(told["reason"])))
        if not dry_run:
            feedback = self._policies.get(FeedbackPolicy)
            details["undone"] = await note_undone(db, self._reader, feedback)
        ledger = Ledger(db, self._gate, mining, self._clock)
        idle = await ledger.retire_what_does_not_pay(dry_run=dry_run)
        details["does_not_pay"] = [entry.what for entry in idle]
        changes += [JobChange(f"retire {entry.target}", entry.value) for entry in idle]
        total = await self._saved_so_far(ledger)
        details[_SAVED] = total
        saved = await self._more(_SAVED, total)
        return JobReport(tuple(changes), saved_s=saved, details=details)

    async def _saved_so_far(self, ledger: Ledger) -> float:
        kind = ProposalKind.COMPOSITE
        rows = await self._db.proposals.list(kind=kind, statuses=IN_FORCE, limit=10_000)
        return sum([(await ledger.entry(row)).worth.saved_s for row in rows])


def _composite(told: JsonObject) -> JobChange:
    steps = told["steps"]
    chain = " > ".join(str(step) for step in steps) if isinstance(steps, list) else ""
    return JobChange(f"{told['outcome']}: {chain} {told['tool']}".strip(), str(told["reason"]))
