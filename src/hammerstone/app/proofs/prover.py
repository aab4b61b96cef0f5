"""One proof: from the solutions of an answer to a tool in the library, or to none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hammerstone.app.books.outcomebook import calibration_for
from hammerstone.app.proofs.repeated_call import named_rows, session_files
from hammerstone.app.proofs.result import ProofResult
from hammerstone.app.queue.traffic import Traffic, YieldingModel
from hammerstone.core.answers import EventKind, Proof
from hammerstone.core.calls import Call
from hammerstone.core.chat import Role
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.hashing import digest
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.solutions import ProofTask
from hammerstone.core.tools import Case, CaseKind, Effect, Spec, Status, Tool
from hammerstone.guard.budget import Budget
from hammerstone.guard.journal import JournaledModel, StepJournal
from hammerstone.guard.stop import StoppableModel
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.library.policies import BuildBudgetPolicy
from hammerstone.run.services import Services
from hammerstone.synthesis.build import Builder
from hammerstone.synthesis.examine.verdict import ExaminePolicy
from hammerstone.synthesis.files.given_files import preview
from hammerstone.synthesis.jobs import BuildJob
from hammerstone.synthesis.registering import Origin, Registrar, Registration
from hammerstone.synthesis.request_examples import fit_spec, read_request_examples
from hammerstone.synthesis.solutions.choice import Basis, basis_of
from hammerstone.synthesis.solutions.description import describe
from hammerstone.synthesis.solutions.plain import PlainFunction
from hammerstone.synthesis.solutions.rivals import adapted
from hammerstone.synthesis.solutions.specification import specification
from hammerstone.synthesis.witnesses import Notify

SURE = (Status.VERIFIED, Status.TRUSTED)


@dataclass(frozen=True, slots=True)
class ToolClaim:
    """What is to be proved: a solution's function as a tool, and the request's own call of it."""

    spec: Spec
    basis: Basis

    @property
    def function(self) -> PlainFunction:
        return self.basis.kept.function

    @property
    def source(self) -> str:
        """Names the solution that it was made of, in any task that has it."""
        return digest(self.basis.solution.code)


@dataclass(frozen=True, slots=True)
class ProofRequest:
    """A task, the runs that wait for it, and the journal of what it pays for."""

    task: ProofTask
    runs: frozenset[str]
    journal: StepJournal | None


class Prover:
    """Proves the tool behind an answer, within the budget for building one."""

    def __init__(self, services: Services, traffic: Traffic) -> None:
        self._catalogue = services.catalogue
        self._workshop = services.workshop
        self._guards = services.guards
        self._records = services.records
        self._traffic = traffic

    async def prove(
        self,
        task: ProofTask,
        notify: Notify,
        asked_by: frozenset[str] = frozenset(),
        journal: StepJournal | None = None,
    ) -> ProofResult:
        """The library after the examination of a task's solutions, in one result.

        `asked_by` are the runs that wait for it: a tool that one of them left is this proof's
        own, from an attempt that was broken off. With a `journal`, what that attempt paid for is
        not paid for again.
        """
        records = self._records
        await self._guards.policies.load()
        rows = await named_rows(records.db, records.clock, task.session_id, task.files)
        if len(rows) < len(task.files):
            return ProofResult(Proof.NONE, "a file that its call reads is not there any more")
        trace = records.tracer.trace(
            "prove",
            user=task.user,
            session_id=task.session_id,
            run_id=task.run_id,
            input=task.winner.function,
        )
        watched = self._guards.stop.watching(task.run_id, task.session_id)
        async with watched, session_files(records.db, rows) as files:
            with trace as root:
                asked = ProofRequest(task, asked_by | {task.run_id}, journal)
                result = await self._prove(asked, files, notify, root.trace_id)
                root.output = result.to_json()
        return result

    async def _prove(
        self,
        asked: ProofRequest,
        files: Mapping[str, Path],
        notify: Notify,
        trace_id: str,
    ) -> ProofResult:
        task = asked.task
        sandbox = await self._workshop.sandbox()
        limits = self._guards.policies.get(BuildBudgetPolicy)
        budget = Budget(
            tokens=limits.tokens, model_calls=limits.model_calls, usd=limits.usd, name="building"
        )
        claim = await self._claim(task, files, sandbox)
        if isinstance(claim, str):
            return ProofResult(Proof.NONE, claim)
        await notify(EventKind.PROOF, f"proving {claim.spec.name}", {"step": "specified"})
        known = await self._known(claim, asked.runs, sandbox)
        if known is not None:
            return known
        model = self._model(Role.CODER, asked, budget)
        described = await describe(claim.function, task.request, model, sandbox)
        claim = _claim_of(claim.basis.with_function(described), task)
        if isinstance(claim, str):
            return ProofResult(Proof.NONE, claim)
        spec = claim.spec
        others = [one for one in (task.winner, *task.rivals) if one is not claim.basis.solution]
        moved = claim.basis.kept.moved
        rivals = await adapted(others, claim.function, sandbox, files or None, moved)
        begins = await preview(files, sandbox) if files else ""
        candidates = (claim.function.code, *rivals.codes)
        job = BuildJob(spec, task.request, claim.function.arguments, files, begins, candidates)
        policy = self._guards.policies.get(ExaminePolicy)
        try:
            builder = await self._builder(asked, budget, sandbox)
            verdict = await builder.build(job, policy, notify=notify)
        except BudgetExceeded as error:
            return ProofResult(Proof.UNPROVED, error.message, left_out=rivals.left_out)
        left_out = list(rivals.left_out)
        verdict = replace(verdict, evidence={**verdict.evidence, "rivals_left_out": [*left_out]})
        await notify(EventKind.PROOF, f"{spec.name}: all checks are done", {"step": "examined"})
        origin = Origin(
            request=self._records.clean_text(task.request),
            run_id=task.run_id,
            trace_id=trace_id,
            model=self._workshop.models.for_role(Role.CODER).name,
            tokens=budget.spent.tokens,
            user=task.user,
            given=None if files else f"{task.request} {claim.function.arguments}",
            arguments=None if files else self._records.clean(dict(claim.function.arguments)),
        )
        registry, duplicates = self._catalogue.registry, self._catalogue.duplicates
        registrar = Registrar(registry, duplicates, self._workshop.sandbox, notify)
        kept = await registrar.follow(spec, verdict, origin)
        await notify(EventKind.PROOF, f"{spec.name}: the result is saved", {"step": "registered"})
        return _result(kept, verdict.reason, claim, rivals.left_out)

    async def _claim(
        self, task: ProofTask, files: Mapping[str, Path], sandbox: Sandbox
    ) -> ToolClaim | str:
        """The specification that the winner, or one that agrees with it, is; or why none is."""
        value = decoded(task.value)
        agreeing = [
            one for one in task.rivals if one.ran and same_answer(decoded(one.value), value)
        ]
        basis = await basis_of(task.winner, agreeing, task.request, sandbox, files or None)
        return basis if isinstance(basis, str) else _claim_of(basis, task)

    async def _known(
        self, claim: ToolClaim, asked_by: frozenset[str], sandbox: Sandbox
    ) -> ProofResult | None:
        """A tool that does the same already, so that nothing has to be examined.

        One that nobody is sure of counts only if an earlier attempt of this proof left it.
        """
        if claim.spec.effect is not Effect.PURE or claim.spec.produces:
            return None
        own = Case(CaseKind.VALUE, Call(kwargs=claim.function.arguments), claim.basis.own.returned)
        duplicates = self._catalogue.duplicates
        match = await duplicates.find_match(claim.spec, claim.function.code, [own], sandbox)
        if match is None:
            return None
        tool = match.tool
        if tool.status not in SURE and tool.version.provenance.get("run") not in asked_by:
            return None
        return _result(
            Registration(tool, match.parameters), f"{tool.name} already does this", claim
        )

    async def _builder(self, asked: ProofRequest, budget: Budget, sandbox: Sandbox) -> Builder:
        tester, coder, judge = (
            self._model(role, asked, budget) for role in (Role.TESTER, Role.CODER, Role.JUDGE)
        )
        own = await calibration_for(self._records.db, coder.name)
        return Builder(tester, coder, sandbox, judge=judge, own=own)

    def _model(self, role: Role, asked: ProofRequest, budget: Budget) -> Model:
        inner, task = self._workshop.models.for_role(role, allowance=budget), asked.task
        stoppable = StoppableModel(inner, self._guards.stop, task.run_id, task.session_id)
        yielding = YieldingModel(stoppable, self._traffic)
        journal = asked.journal
        return yielding if journal is None else JournaledModel(yielding, journal, budget)


def _claim_of(basis: Basis, task: ProofTask) -> ToolClaim | str:
    """The specification of a basis with the person's examples; or why it cannot be met."""
    spec = fit_spec(task.request, specification(basis.kept, basis.own))
    told = read_request_examples(task.request, spec).settled_by(
        read_request_examples("\n".join(task.settled), spec)
    )
    if told.contradictions:
        return f"the examples contradict each other: {told.contradictions[0]}"
    return ToolClaim(replace(spec, examples=told.cases), basis)


def _result(
    kept: Registration, reason: str, claim: ToolClaim, left_out: tuple[str, ...] = ()
) -> ProofResult:
    tool: Tool | None = kept.tool
    if tool is None:
        return ProofResult(Proof.UNPROVED, kept.reason, left_out=left_out)
    return ProofResult(
        proof=Proof.PROVED if tool.status in SURE else Proof.UNPROVED,
        reason=reason,
        tool=tool.name,
        version=tool.version.number,
        confidence=tool.confidence,
        parameters=dict(kept.parameters or {}),
        source=claim.source,
        left_out=left_out,
    )
