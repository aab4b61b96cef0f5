"""From a spec to a verdict: live authors, cross-examined in the sandbox."""

import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hammerstone.core.answers import EventKind
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.tools import Case
from hammerstone.judging.rendering import call_source, show
from hammerstone.synthesis.examine.adjudicate import ModelAdjudicator
from hammerstone.synthesis.examine.belief.own_calibration import OwnCalibration
from hammerstone.synthesis.examine.conclude import conclude
from hammerstone.synthesis.examine.escalate import EscalationStep, escalate
from hammerstone.synthesis.examine.examination import ALL, Examination, Ingredients
from hammerstone.synthesis.examine.verdict import (
    BehaviourStanding,
    Choice,
    ExaminationVerdict,
    ExaminePolicy,
    ReadingQuestion,
)
from hammerstone.synthesis.files.given_files import SOUND, files_named, variants
from hammerstone.synthesis.files.produced_files import FileSeeingSandbox
from hammerstone.synthesis.jobs import (
    BuildJob,
    assignment,
    examined_spec,
    first_call,
    messy_calls,
    user_truth,
)
from hammerstone.synthesis.witnesses import (
    Assignment,
    CodeAuthor,
    LiveWitnesses,
    Notify,
    ProducingWitnesses,
    TestAuthor,
)

NO_INPUTS = Ingredients(varied=0, stretched=0)  # a changed path is no input, only no file
FEW_INPUTS = Ingredients(varied=6, stretched=0)  # each call is a process that may draw a chart
AskUser = Callable[[str, tuple[str, ...]], Awaitable[Choice]]
"""Shows a question and results to choose from; what the person said."""


class Builder:
    def __init__(
        self,
        tester: Model,
        coder: Model,
        sandbox: Sandbox,
        judge: Model | None = None,
        own: OwnCalibration | None = None,
    ) -> None:
        """`judge` is asked about the most telling disagreement before a person is; `own` is
        what the own library says of the confidence in tools of this coder."""
        self._own = own
        self._tester = TestAuthor(tester)
        self._coder = CodeAuthor(coder)
        self._judge_model = judge
        self.sandbox = sandbox

    async def build(
        self, job: BuildJob, policy: ExaminePolicy, *, notify: Notify
    ) -> ExaminationVerdict:
        """The verdict on the best function the authors could write for this job."""
        with tempfile.TemporaryDirectory(prefix="hammerstone-messy-") as folder:
            messy = variants(job.files, Path(folder))
            examination = examination_of(job, self.sandbox, user_truth(job), messy)
            first = first_call(job)
            for call in ([first] if first else []) + messy_calls(job, list(messy)):
                examination.matrix.add_call(call)
            verdict = await self.judge(job, examination, policy, notify=notify)
        return _without_messy(verdict, messy)

    async def judge(
        self,
        job: BuildJob,
        examination: Examination,
        policy: ExaminePolicy,
        *,
        notify: Notify,
        ask: AskUser | None = None,
    ) -> ExaminationVerdict:
        """The verdict on a job, with whatever its examination has heard already."""
        examination.own = self._own
        shown = assignment(job, [heard.case for heard in examination.truth])
        ready = shown.usable(job.candidates)
        if ready:  # all of them are heard before anything is concluded, and one more author
            policy = replace(
                policy,
                first_candidates=max(policy.first_candidates, len(ready)),
                first_suites=policy.first_suites + 1,
                max_suites=policy.max_suites + 1,
            )
        if not job.spec.produces:
            witnesses = LiveWitnesses(self._tester, self._coder, shown, notify, ready)
            return await self._judge(examination, witnesses, shown, policy, notify=notify, ask=ask)
        witnesses = ProducingWitnesses(self._tester, self._coder, shown, notify, ready)
        witnesses.declared(job.spec, first_call(job))
        # Mutants that each draw a chart for every input would take minutes.
        examination.freezes = False
        verdict = await self._judge(examination, witnesses, shown, policy, notify=notify, ask=ask)
        suite = await _kept(examination, verdict.code) if verdict.code else ()
        return replace(verdict, suite=suite)

    async def examine(
        self,
        examination: Examination,
        shown: Assignment,
        policy: ExaminePolicy,
        *,
        notify: Notify,
    ) -> ExaminationVerdict:
        """Draw witnesses for the assignment until the verdict is clear."""
        witnesses = LiveWitnesses(self._tester, self._coder, shown, notify)
        return await self._judge(examination, witnesses, shown, policy, notify=notify)

    async def _judge(
        self,
        examination: Examination,
        witnesses: LiveWitnesses,
        shown: Assignment,
        policy: ExaminePolicy,
        *,
        notify: Notify,
        ask: AskUser | None = None,
    ) -> ExaminationVerdict:
        async def on_step(step: EscalationStep) -> None:
            text = (
                f"{step.candidates} programs checked with {step.suites} sets of tests: "
                f"{step.confidence:.0%} sure"
            )
            await notify(EventKind.VERIFYING, text, step.to_json())

        async def put(question: ReadingQuestion) -> Choice:
            assert ask is not None
            first, second = (show(result) for result in question.results)
            source = call_source(question.call, shown.function) or shown.function
            shown_files = files_named(source, examination.matrix.files or {})
            return await ask(f"What should {source} give?{shown_files}", (first, second))

        judge = self._judge_model
        verdict = await escalate(
            examination,
            witnesses,
            policy,
            ask=put if ask else None,
            adjudicator=_Judge(judge, shown) if judge else None,
            on_step=on_step,
        )
        if verdict.standing is BehaviourStanding.REJECTED and examination.draws:
            verdict = await self._repair(examination, shown, policy, notify) or verdict
        return verdict

    async def _repair(
        self,
        examination: Examination,
        shown: Assignment,
        policy: ExaminePolicy,
        notify: Notify,
    ) -> ExaminationVerdict | None:
        """One more round in which the code author sees what its best code got wrong."""
        code = examination.matrix.codes[examination.draws[0]]
        wrong = await failures(examination, examination.draws[0])
        if not wrong:
            return None
        await notify(EventKind.REPAIRING, f"repairing: {wrong[0]}", {"failures": list(wrong)})
        try:
            fixed = await self._coder.repair(
                shown.code_task, code, wrong, samples=policy.first_candidates
            )
        except BudgetExceeded:
            return None  # the verdict stands as it is
        usable = shown.usable(fixed)
        if not usable:
            return None
        await examination.hear(usable)
        return await conclude(examination, policy)


class _Judge:
    """A model's word on a disagreement, but never on what the person said already."""

    def __init__(self, model: Model, shown: Assignment) -> None:
        self._adjudicator = ModelAdjudicator(model, shown.stub)
        self._said = {case.call.source for case in shown.examples}

    async def votes(self, question: ReadingQuestion) -> Sequence[int | None]:
        if question.call.source in self._said:
            return ()
        try:
            return await self._adjudicator.votes(question)
        except BudgetExceeded:
            return ()


def examination_of(
    job: BuildJob, sandbox: Sandbox, truth: Sequence[Case], messy: Mapping[str, Path] | None = None
) -> Examination:
    """An examination that is ready to hear witnesses for a job."""
    spec = job.spec
    return Examination(
        examined_spec(job, [name for name in messy or {} if name.startswith(SOUND)]),
        FileSeeingSandbox(sandbox) if spec.produces else sandbox,
        truth=truth,
        files={**job.files, **(messy or {})} or None,
        ingredients=NO_INPUTS if job.files else FEW_INPUTS if spec.produces else ALL,
    )


def _without_messy(verdict: ExaminationVerdict, messy: Mapping[str, Path]) -> ExaminationVerdict:
    """The verdict without cases on files that only the examination had."""
    gone = [f"/files/{name}" for name in messy]

    def stays(case: Case) -> bool:
        return not any(name in (case.call.source or "") for name in gone)

    return replace(verdict, suite=tuple(filter(stays, verdict.suite))) if messy else verdict


async def _kept(examination: Examination, code: str) -> tuple[Case, ...]:
    """The cases on files that the winner meets."""
    row = examination.matrix.add_code(code)
    kept: list[Case] = []
    for heard in examination.cases:
        accepted = await examination.matrix.accepted(heard.case, heard.column)
        if int(examination.matrix.labels[row, heard.column]) in accepted:
            kept.append(replace(heard.case, support=round(examination.confidence, 3)))
    return tuple(kept)


async def failures(examination: Examination, row: int) -> list[str]:
    """The truths that a candidate misses, as sentences a code author understands."""
    told: list[str] = []
    for heard in examination.truth:
        outcome = examination.matrix.outcome(row, heard.column)
        accepted = await examination.matrix.accepted(heard.case, heard.column)
        if int(examination.matrix.labels[row, heard.column]) in accepted:
            continue
        source = call_source(heard.case.call, examination.function)
        got = show(outcome.value) if outcome.ok else outcome.error_line
        check, expected = heard.case.check, show(heard.case.expected)
        wanted = f"give a result with {check}" if check else f"be {expected}"
        told.append(f"{source} must {wanted} but is {got}"[:400])
    if not told:
        told = [
            f"{examination.matrix.calls[column].source} fails with {outcome.error_line}"[:400]
            for column in range(len(examination.matrix.calls))
            if (outcome := examination.matrix.outcome(row, column)).failure is not None
        ][:3]
    return told
