"""From a spec to a verdict: live authors, cross-examined in the sandbox."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core import wire
from hammerstone.core.answers import EventKind
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.tools import Case, Spec
from hammerstone.synthesis.authors import CodeAuthor, TestAuthor, roles_for
from hammerstone.synthesis.examine.conclude import conclude
from hammerstone.synthesis.examine.escalate import Step, escalate
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.policy import ExaminePolicy
from hammerstone.synthesis.examine.render import call_source, show
from hammerstone.synthesis.examine.verdict import Question, Standing, Verdict
from hammerstone.synthesis.signature import def_line, docstring, stub
from hammerstone.synthesis.told import read_told
from hammerstone.synthesis.witnesses import Assignment, LiveWitnesses, Notify

AskUser = Callable[[str, tuple[str, ...]], Awaitable[int | None]]
"""Shows a question and results to choose from; the right one's position, or None."""

_SHOWN_CALL = 200  # characters of the first call that help a code author more than they cost


@dataclass(frozen=True, slots=True)
class Job:
    """A tool to be built: its spec, the request behind it, and that request's own call."""

    spec: Spec
    request: str
    first_call: JsonObject | None = None
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])


class Builder:
    def __init__(self, tester: Model, coder: Model, sandbox: Sandbox) -> None:
        self._tester = TestAuthor(tester)
        self._coder = CodeAuthor(coder)
        self._sandbox = sandbox

    async def build(
        self, job: Job, policy: ExaminePolicy, *, notify: Notify, ask: AskUser | None = None
    ) -> Verdict:
        """The verdict on the best function the authors could write for this job."""
        spec = job.spec
        truth = user_truth(job)
        examination = Examination(
            spec.name, self._sandbox, truth=truth, files=job.files or None, spec=spec
        )
        first = _first_call(job)
        if first is not None:
            examination.matrix.add_call(first)
        assignment = _assignment(job, first, truth)
        return await self.examine(examination, assignment, policy, notify=notify, ask=ask)

    async def examine(
        self,
        examination: Examination,
        assignment: Assignment,
        policy: ExaminePolicy,
        *,
        notify: Notify,
        ask: AskUser | None = None,
    ) -> Verdict:
        """Draw witnesses for the assignment until the verdict is clear."""
        witnesses = LiveWitnesses(self._tester, self._coder, assignment, notify)

        async def on_step(step: Step) -> None:
            text = (
                f"{step.candidates} candidates against {step.suites} suites: "
                f"{step.confidence:.0%} sure"
            )
            await notify(EventKind.VERIFYING, text, step.to_json())

        async def put(question: Question) -> int | None:
            assert ask is not None
            first, second = (show(result) for result in question.results)
            source = call_source(question.call, assignment.function) or assignment.function
            return await ask(f"What should {source} return?", (first, second))

        verdict = await escalate(
            examination, witnesses, policy, ask=put if ask else None, on_step=on_step
        )
        if verdict.standing is Standing.REJECTED and examination.draws:
            verdict = await self._repair(examination, assignment, policy, notify) or verdict
        return verdict

    async def _repair(
        self,
        examination: Examination,
        assignment: Assignment,
        policy: ExaminePolicy,
        notify: Notify,
    ) -> Verdict | None:
        """One more round in which the code author sees what its best code got wrong."""
        code = examination.matrix.codes[examination.draws[0]]
        wrong = await failures(examination, examination.draws[0])
        if not wrong:
            return None
        await notify(EventKind.REPAIRING, f"repairing: {wrong[0]}", {"failures": list(wrong)})
        fixed = await self._coder.repair(
            assignment.code_task, code, wrong, samples=policy.first_candidates
        )
        usable = assignment.usable(fixed)
        if not usable:
            return None
        await examination.hear(usable)
        verdict = await conclude(examination, policy)
        # Repaired code has seen what it is judged by, and has nobody else that agrees with it.
        if verdict.standing is Standing.VERIFIED and len(usable) < 2:
            verdict = replace(verdict, standing=Standing.EXPERIMENTAL)
        return verdict


def user_truth(job: Job) -> list[Case]:
    """What the person stated as fact: examples in the spec and in the request's own words."""
    told = [*job.spec.examples, *read_told(job.request, job.spec).cases]
    return list({case.call.source or repr(case.call): case for case in reversed(told)}.values())


def _assignment(job: Job, first: Call | None, truth: Sequence[Case]) -> Assignment:
    spec = job.spec
    context = f"It was first needed for this request: {job.request}"
    if first and first.source and len(first.source) <= _SHOWN_CALL:
        context += f"\nFor it, it is called like this: {first.source}"
    return Assignment(
        function=spec.name,
        stub=stub(spec),
        context=context,
        docstring=docstring(spec),
        task=f"Write `{def_line(spec)}`\n{docstring(spec)}\n\n{context}",
        head=def_line(spec),
        roles=roles_for(spec),
        examples=tuple(truth),
    )


async def failures(examination: Examination, row: int) -> list[str]:
    """The truths that a candidate misses, as sentences a code author understands."""
    told: list[str] = []
    for heard in examination.truth:
        outcome = examination.matrix.outcome(row, heard.column)
        accepted = await examination.matrix.accepted(heard.case, heard.column)
        if int(examination.matrix.labels[row, heard.column]) in accepted:
            continue
        source = call_source(heard.case.call, examination.function)
        got = show(outcome.value) if outcome.ok else f"{outcome.error_type}: {outcome.error}"
        told.append(f"{source} must be {show(heard.case.expected)} but is {got}"[:400])
    if not told:
        told = [
            f"{examination.matrix.calls[column].source} fails with {outcome.error_type}: "
            f"{outcome.error}"[:400]
            for column in range(len(examination.matrix.calls))
            if (outcome := examination.matrix.outcome(row, column)).failure is not None
        ][:3]
    return told


def _first_call(job: Job) -> Call | None:
    """The request's own call, as an expression so that it counts like an author's input."""
    if job.first_call is None:
        return None
    encoded: dict[str, Json] = {k: wire.encode(v) for k, v in job.first_call.items()}
    call = Call(kwargs=encoded)
    source = call_source(call, job.spec.name)
    return Call(source=source) if source else call
