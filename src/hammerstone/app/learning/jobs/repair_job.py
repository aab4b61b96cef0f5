"""Mends tools that failed in several sessions and whose failure nobody looked into."""

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.learning_job import RequestJob
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.learn.feedback.correction import Corrections
from hammerstone.learn.ledger.ledger import Ledger
from hammerstone.learn.policies import MiningPolicy, RepairPolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.learn.repair.tool_repairer import RepairOutcome, RepairResult, ToolRepairer
from hammerstone.run.services import Services
from hammerstone.storage import Execution

_SETTLING = (
    RepairOutcome.REPAIRED,
    RepairOutcome.QUARANTINED,
    RepairOutcome.ROLLED_BACK,
    ProposalState.WAITING,
)
"""Outcomes after which the other failures of a tool need no look."""
_USES = "uses_of_mended_tools"
_CALLS = 5  # of a tool's failures, one a session


class RepairJob(RequestJob):
    name = "repair"
    about = "mends tools that failed in several sessions"

    def __init__(
        self, services: Services, gate: ChangeGate, repairer: ToolRepairer, stated: Corrections
    ) -> None:
        super().__init__(services.records.db, services.guards.policies)
        self._clock = services.records.clock
        self._registry = services.catalogue.registry
        self._gate = gate
        self._repairer = repairer
        self._stated = stated

    async def run(self, *, dry_run: bool) -> JobReport:
        policy = self._policies.get(LearningPolicy)
        found = await self._repairs(policy, dry_run)
        changes = tuple(
            JobChange(f"{one['tool']}: {one['outcome']}", str(one.get("reason", "")))
            for one in found
        )
        uses = await self._uses_so_far()
        more = await self._more(_USES, uses)
        details: JsonObject = {"repairs": [*found], _USES: uses}
        return JobReport(changes, saved_s=more * policy.mended_use_s, details=details)

    async def mend(self, name: str, failures: list[Execution]) -> RepairResult:
        """Look into failed calls of a tool, one of each session, so that the same failure in
        several is seen as such."""
        tool = await self._registry.get(name)
        by_session = {row.session_id: row for row in reversed(failures)}
        result = RepairResult(RepairOutcome.NOTHING_TO_DO, "")
        for row in list(by_session.values())[:_CALLS]:
            failed = FailedCall(
                tool=tool,
                arguments=row.arguments if isinstance(row.arguments, dict) else {},
                failure=row.failure,
                error=row.error,
                request="",
                session_id=row.session_id,
                user="",
                run_id=row.run_id,
            )
            result = await self._repairer.look_into(failed)
            if result.outcome in _SETTLING:
                break
        return result

    async def _repairs(self, policy: LearningPolicy, dry_run: bool) -> list[JsonObject]:
        needed = self._policies.get(RepairPolicy).sessions
        found: list[JsonObject] = []
        for tool in await self._registry.list():
            if not dry_run and await self._stated.has_fallen(tool):
                stated = await self._stated.repair_open(tool.name)
                if stated is not None:
                    found.append(_told(tool.name, stated))
                continue
            failures = await self._failures(tool.name, tool.version.id)
            sessions = len({row.session_id for row in failures})
            if sessions < needed or len(found) >= policy.repairs:
                continue
            if dry_run:
                why = f"it failed in {sessions} sessions"
                found.append({"tool": tool.name, "outcome": "would be checked", "reason": why})
                continue
            found.append(_told(tool.name, await self.mend(tool.name, failures)))
        return found

    async def _failures(self, name: str, version_id: str) -> list[Execution]:
        """Recorded failures of a version that were not analysed in their session yet."""
        db = self._db
        known = {
            (row.session_id, row.version_id) for row in await db.analyses.list(name, limit=1000)
        }
        rows = await db.executions.list(name, limit=200)
        return [
            row
            for row in rows
            if not row.ok
            and row.version_id == version_id
            and (row.session_id, row.version_id) not in known
        ]

    async def _uses_so_far(self) -> int:
        """How often versions were used well that a repair made."""
        db = self._db
        ledger = Ledger(db, self._gate, self._policies.get(MiningPolicy), self._clock)
        rows = await db.proposals.list(kind=ProposalKind.REPAIR, statuses=IN_FORCE, limit=10_000)
        return sum([(await ledger.entry(row)).worth.uses for row in rows])


def _told(tool: str, result: RepairResult) -> JsonObject:
    told: dict[str, Json] = {"tool": tool, "outcome": str(result.outcome)}
    return {**told, "reason": result.reason}
