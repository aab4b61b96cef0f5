"""Mends a tool: from a failed call to a version that is proved, or to a kept analysis."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial

from hammerstone.core.calls import FailureKind
from hammerstone.core.clock import Clock
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.seams import Allowance, Model, Sandbox
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Effect, Status, Tool, Version
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.guard.scan import scan
from hammerstone.judging.cases import ANY_VALUE
from hammerstone.judging.rendering import show
from hammerstone.learn.feedback.confirmations import settled, stated_cases
from hammerstone.learn.ledger.changes import version_change
from hammerstone.learn.policies import RepairPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind, ProposalState
from hammerstone.learn.repair.author import FixAuthor
from hammerstone.learn.repair.choice import Choice
from hammerstone.learn.repair.complaint import Complaint, PastCall
from hammerstone.learn.repair.fix import FixFinder, Search
from hammerstone.learn.repair.reflection import (
    Reflection,
    call_of,
    limits_of,
    reflect,
    stated_otherwise,
    type_problem,
)
from hammerstone.learn.repair.regression_check import RegressionVerdict, stands
from hammerstone.learn.repair.shrink import shrink
from hammerstone.library.tools.registry import NewVersion, Registry
from hammerstone.library.tools.sharing import OPEN_CASES, open_places, with_people
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.analyses import AnalysisRow, Confirmation
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow
from hammerstone.synthesis.code.signature import stub
from hammerstone.tracing import span


@dataclass(frozen=True, slots=True)
class Workbench:
    """What mending works with. `coder` gives a model with a budget of its own, or none; what it
    costs counts for the request as well, if it is mended for one."""

    db: Database
    registry: Registry
    gate: ChangeGate
    sandbox: Callable[[], Awaitable[Sandbox]]
    coder: Callable[[RepairPolicy, Allowance | None], Model | None]
    policy: Callable[[], RepairPolicy]
    clock: Clock


class RepairOutcome(StrEnum):
    """What a look into a failure came to, where it is a bug and the gate did not say no."""

    OFF = "off"
    PARTS = "parts"  # a composite: its parts are used instead
    LEFT = "left"  # a tool that writes
    THIS_CALL_ONLY = "this call only"
    REPAIRED = "repaired"
    ROLLED_BACK = "rolled back"  # to the version before
    FAILED = "failed"
    QUARANTINED = "quarantined"
    NOTHING_TO_DO = "nothing to do"


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair: a word, why, and the tool to call again, if there is one.

    Of a failure that is no bug the outcome is its kind, of a fix that waits its proposal's state.
    """

    outcome: RepairOutcome | FailureKind | ProposalState
    reason: str
    tool: Tool | None = None
    reflection: Reflection | None = None
    proposal: str | None = None


class ToolRepairer:
    """Fills the seam `Repairer`."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def mend(self, failed: FailedCall, allowance: Allowance) -> Tool | None:
        return (await self.look_into(failed, allowance)).tool

    async def look_into(
        self, failed: FailedCall, allowance: Allowance | None = None
    ) -> RepairResult:
        """Find out why a call failed and mend what can be mended; every analysis is kept.

        The allowance is that of the request the call was made for; between requests none.
        """
        policy, began = self._bench.policy(), self._bench.clock.now()
        if not policy.enabled:
            return RepairResult(RepairOutcome.OFF, "the policy repair.enabled is false")
        with span(f"mend {failed.tool.name}", kind="step", input=failed.error) as traced:
            sandbox = await self._bench.sandbox()
            version = failed.tool.version
            found = await reflect(version, failed.arguments, sandbox)
            if failed.expected is not None:
                found = stated_otherwise(found, version, failed.expected)
            coder = partial(self._bench.coder, policy, allowance)
            mending = await self._handle(failed, found, sandbox, coder, began)
            traced.output = f"{mending.outcome}: {mending.reason}"
        await self._keep(failed, found, mending)
        return mending

    async def _handle(
        self,
        failed: FailedCall,
        found: Reflection,
        sandbox: Sandbox,
        coder: Callable[[], Model | None],
        began: datetime,
    ) -> RepairResult:
        policy = self._bench.policy()
        if found.kind is not FailureKind.BUG:
            return RepairResult(found.kind, found.cause, None, found)
        back = await self._on_probation(failed, sandbox)
        if back is not None:
            return back
        if "composite" in failed.tool.version.provenance:
            why = "one value does not fit; its parts are used instead"
            return RepairResult(RepairOutcome.PARTS, why, None, found)
        if failed.tool.version.spec.effect is Effect.WRITES:
            why = "a tool that changes something outside is not run again to try it"
            return RepairResult(RepairOutcome.LEFT, why, None, found)
        if await self._quarantined(failed.tool.version):
            why = "repairs have failed too often"
            return RepairResult(RepairOutcome.QUARANTINED, why, None, found)
        smallest = failed.arguments  # a stated value is that of this call and of no smaller one
        if failed.expected is None:
            smallest = await shrink(failed.tool.version, smallest, found.outcome, sandbox)
        complaint = await self._complaint(failed.tool.version, smallest, found, policy)
        model = coder()
        finder = FixFinder(sandbox, FixAuthor(model) if model else None, policy)
        search = await finder.find(complaint)
        if search.choice is None:
            return await self._failed(
                failed, found, "no version of the code passes every test", policy
            )
        code = search.choice.candidate.code
        blocked = [one for one in scan(code, failed.tool.version.spec.effect) if one.blocks]
        if blocked:
            return await self._failed(
                failed, found, f"the fix is not allowed: {blocked[0]}", policy
            )
        limits = limits_of(failed.tool.version.spec)
        verdict = await stands(complaint, code, sandbox, policy, limits)
        if not verdict.holds:
            return await self._failed(failed, found, f"the fix fails: {verdict.reason}", policy)
        cost_s = (self._bench.clock.now() - began).total_seconds()
        return await self._propose(
            failed, found, complaint, search, replace(verdict, took_s=cost_s)
        )

    async def _complaint(
        self, version: Version, arguments: JsonObject, found: Reflection, policy: RepairPolicy
    ) -> Complaint:
        """What is wrong, and all that has to stay: frozen cases, confirmations, past successes."""
        outcome = found.outcome
        instead = "returns nothing it promises" if outcome.ok else f"fails with {found.cause}"
        if outcome.ok and not type_problem(version.spec, outcome.value):
            instead = f"returns {show(outcome.value)}"
        said = await self._bench.db.analyses.confirmations(version.tool)
        confirmed, _ = settled(said)
        key = canonical(arguments)
        expected = next((c for c in confirmed if canonical(c.arguments) == key and c.right), None)
        call = call_of(arguments)
        if expected is not None:
            failing = Case(CaseKind.VALUE, call, expected.result, origin=CaseOrigin.USER)
        else:
            failing = Case(CaseKind.PROPERTY, call, check=ANY_VALUE, origin=CaseOrigin.FAILURE)
        truth = [*version.suite, *version.spec.examples]
        truth += [case for case, _ in stated_cases(said)]
        return Complaint(
            function=version.spec.name,
            code=version.code,
            description=stub(replace(version.spec, examples=())),
            failing=failing,
            error=instead,
            truth=tuple(truth),
            replays=tuple(await self._replays(version, confirmed, policy.replays)),
        )

    async def _replays(
        self, version: Version, confirmed: list[Confirmation], limit: int
    ) -> list[PastCall]:
        wrong = {canonical(said.arguments) for said in confirmed if not said.right}
        found: dict[str, PastCall] = {}
        for row in await self._bench.db.executions.list(version.tool, limit=limit * 3):
            if not row.ok or not isinstance(row.arguments, dict) or len(found) >= limit:
                continue
            key = canonical(row.arguments)
            if key not in wrong:
                found.setdefault(key, PastCall(call_of(row.arguments), row.result))
        return list(found.values())

    async def _propose(
        self,
        failed: FailedCall,
        found: Reflection,
        complaint: Complaint,
        search: Search,
        verdict: RegressionVerdict,
    ) -> RepairResult:
        choice = search.choice
        assert choice is not None
        new = _new_version(failed.tool, complaint, choice, verdict)
        free: list[Json] = [*open_places(failed.tool.version)]  # the failing call comes last
        about: JsonObject = {**new.provenance, OPEN_CASES: free}
        new = replace(new, provenance=with_people(about, await self._people(failed)))
        seen = await self._sessions(found.signature, failed.session_id)
        policy = self._bench.policy()
        # What a person states is evidence enough by itself.
        if len(seen) < policy.sessions and failed.expected is None:
            if search.confidence < policy.promote:
                reason = f"only {search.confidence:.0%} sure of a fix"
                return await self._failed(failed, found, reason, policy)
            tool = self._for_this_call(failed.tool, new)
            reason = f"seen in {len(seen)} session: mended for this call only"
            return RepairResult(RepairOutcome.THIS_CALL_ONLY, reason, tool, found)
        evidence = ProposalEvidence(
            search=verdict.pairs[:1],
            passes=verdict.pairs[1:],
            confidence=search.confidence,
            changed=verdict.changed,
            sources=len(seen),
        )
        proposal = Proposal(
            kind=ProposalKind.REPAIR,
            target=failed.tool.name,
            title=f"{failed.tool.name} repaired: {choice.candidate.change}",
            change=version_change(new, new_tool=False),
            evidence=evidence,
            sessions=seen,
            value={"cost_s": verdict.took_s, "mends": found.cause},
            probation=True,
        )
        decided = await self._bench.gate.propose(proposal)
        if not decided.in_force:
            if decided.standing is ProposalState.REFUSED:
                await self._failed(failed, found, decided.reason, policy)
            return RepairResult(decided.standing, decided.reason, None, found, decided.id)
        tool = await self._bench.registry.get(failed.tool.name)
        return RepairResult(RepairOutcome.REPAIRED, decided.reason, tool, found, decided.id)

    async def _people(self, failed: FailedCall) -> set[str]:
        """Whose values the failing call holds, which becomes a case."""
        session = await self._bench.db.sessions.find(failed.session_id)
        return {failed.user or (session.user if session else "")}

    def _for_this_call(self, tool: Tool, new: NewVersion) -> Tool:
        """The tool with a version that is not in the library: one session is no evidence."""
        version = replace(tool.version, id=new.id, code=new.code, suite=new.suite)
        return replace(tool, version=version, status=Status.EXPERIMENTAL, confidence=new.confidence)

    async def _sessions(self, signature: str, session_id: str) -> dict[str, str]:
        """Sessions with this failure, this one included, each with a run."""
        rows = [
            row
            for row in await self._bench.db.analyses.list(limit=1000)
            if row.signature == signature
        ]
        seen = {row.session_id: str(row.details.get("run", "")) for row in rows}
        return {**seen, session_id: seen.get(session_id, "")}

    async def _on_probation(self, failed: FailedCall, sandbox: Sandbox) -> RepairResult | None:
        """A version on probation that fails where the one before works goes back at once."""
        rows = await self._bench.db.proposals.list(
            kind=ProposalKind.REPAIR,
            target=failed.tool.name,
            statuses=[ProposalState.PROBATION],
            limit=1,
        )
        reverse = rows[0].reverse if rows else None
        if not reverse or reverse.get("after") != failed.tool.version.id:
            return None
        before = await self._bench.db.tools.get_version(str(reverse["before"]))
        again = await reflect(before, failed.arguments, sandbox)
        if not again.outcome.ok:
            return None
        why = f"{failed.tool.name} fails on probation where the version before works"
        await self._bench.gate.undo(
            rows[0].id, who="probation", why=why, cascade=True, to=ProposalState.ROLLED_BACK
        )
        tool = await self._bench.registry.get(failed.tool.name)
        if tool.version.id == failed.tool.version.id:
            return None  # a person has decided about it since
        return RepairResult(RepairOutcome.ROLLED_BACK, why, tool, again, rows[0].id)

    async def _failed(
        self, failed: FailedCall, found: Reflection, reason: str, policy: RepairPolicy
    ) -> RepairResult:
        """A repair that did not succeed; after the last allowed one the tool is left alone."""
        tries = await self._tries(failed.tool.version) + 1
        if tries < policy.attempts:
            return RepairResult(RepairOutcome.FAILED, reason, None, found)
        now = self._bench.clock.now()
        row = ProposalRow(
            id=digest("quarantine", failed.tool.version.id)[:12],
            kind=ProposalKind.REPAIR,
            target=failed.tool.name,
            title=f"{failed.tool.name} cannot be repaired: {found.cause}"[:300],
            status=ProposalState.QUARANTINED,
            change={},
            evidence=ProposalEvidence(sources=tries).to_json(),
            created_at=now,
            changed_at=now,
            decision={"finding": "quarantined", "reason": reason},
        )
        await self._bench.db.proposals.add(row, sessions={failed.session_id: failed.run_id})
        audit = AuditRow(row.id, "quarantined", "mender", reason, None, None, now)
        await self._bench.db.proposals.change(row.id, audit, status=ProposalState.QUARANTINED)
        return RepairResult(RepairOutcome.QUARANTINED, reason, None, found, row.id)

    async def _tries(self, version: Version) -> int:
        rows = await self._bench.db.analyses.list(version.tool, limit=1000)
        return sum(
            row.version_id == version.id and row.outcome == RepairOutcome.FAILED for row in rows
        )

    async def _quarantined(self, version: Version) -> bool:
        row = await self._bench.db.proposals.find(digest("quarantine", version.id)[:12])
        return row is not None and row.status == ProposalState.QUARANTINED

    async def _keep(self, failed: FailedCall, found: Reflection, mending: RepairResult) -> None:
        now = self._bench.clock.now()
        id = digest(failed.run_id, failed.session_id, canonical(failed.arguments), str(now))[:20]
        details: dict[str, Json] = {
            "reason": mending.reason,
            "run": failed.run_id,
            "error": failed.error[:500],
        }
        await self._bench.db.analyses.put(
            AnalysisRow(
                id=id,
                tool=failed.tool.name,
                version_id=failed.tool.version.id,
                execution_id="",
                session_id=failed.session_id,
                # A transient failure is no lesson: its signature matches nothing.
                signature="" if found.kind is FailureKind.TRANSIENT else found.signature,
                kind=str(found.kind),
                cause=found.cause,
                outcome=str(mending.outcome),
                proposal_id=mending.proposal,
                details=details,
                at=now,
            )
        )


def _new_version(
    tool: Tool, complaint: Complaint, choice: Choice, verdict: RegressionVerdict
) -> NewVersion:
    """The fixed version: same promise, old suite, the failing call as a new case."""
    old = tool.version
    stated = complaint.failing.origin_kind is CaseOrigin.USER
    suite = (
        *old.suite,
        replace(complaint.failing, origin=CaseOrigin.USER if stated else CaseOrigin.REPAIR),
    )
    spec = old.spec
    if spec.effect is Effect.PURE and depends_on_the_moment(choice.candidate.code):
        spec = replace(spec, effect=Effect.READS)
    status = tool.status if tool.status is not Status.TRUSTED else Status.VERIFIED
    return NewVersion(
        spec=spec,
        code=choice.candidate.code,
        suite=suite,
        rejected=old.rejected,
        status=status,
        confidence=choice.confidence,
        evidence={"repair": verdict.to_json(), "features": dict[str, Json](choice.features)},
        provenance={
            **old.provenance,
            "repaired_from": old.id,
            "change": choice.candidate.change,
            "by": choice.candidate.origin,
        },
    )
