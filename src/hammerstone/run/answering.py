"""Requests answered: traced, budgeted, recorded and remembered around their stages."""

import asyncio
import uuid
from collections import OrderedDict
from dataclasses import replace
from functools import partial

from hammerstone.core.answers import Answer, AnswerStatus, EventKind
from hammerstone.core.errors import NotFound, StorageError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.run_record import RunRecord
from hammerstone.guard.budget import Budget
from hammerstone.guard.loops import LoopDetector
from hammerstone.library.policies import ExecutionPolicy, RequestBudgetPolicy
from hammerstone.library.policies.trials import TRIAL
from hammerstone.prompts import note_sent
from hammerstone.run.aftermath import Aftermath
from hammerstone.run.answer.earlier_feedback import TOLD, not_refused
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.answer.wording import with_remarks
from hammerstone.run.context import CallLedger, Contacts, Run, RunStart
from hammerstone.run.events import Emitter
from hammerstone.run.request import Request
from hammerstone.run.services import Guards, Records
from hammerstone.run.stages import Stages, Work
from hammerstone.storage import RevisionSnapshot

_RECORDED_AFTER_S = 0.1  # from then on others see that the run is there
_PAID_AGAIN = (
    "This request was broken off and continued. Some of its work was paid for twice: it held "
    "private data, which is not stored."
)
_MOST_SESSIONS = 1_000  # whose loop detectors are kept at hand


class Answerer:
    """Answers requests; what comes after an answer is left to its aftermath."""

    def __init__(
        self,
        guards: Guards,
        records: Records,
        memo: AnswerMemo,
        stages: Stages,
        recorder: RunRecorder,
        aftermath: Aftermath,
    ) -> None:
        self._guards = guards
        self._records = records
        self._memo = memo
        self._stages = stages
        self._recorder = recorder
        self._aftermath = aftermath
        self._loops: OrderedDict[str, tuple[str, LoopDetector]] = OrderedDict()

    async def answer(self, request: Request, contacts: Contacts | None = None) -> Answer:
        """Answer a request. What cannot be answered is an answer too, with status failed."""
        return await self._patient(request, contacts or Contacts())

    async def run_tool(
        self, request: Request, name: str, arguments: JsonObject, contacts: Contacts | None = None
    ) -> Answer:
        """Call one tool with given arguments, recorded like any request."""
        given = replace(request, given_tool=name, given_arguments=arguments)
        return await self._patient(given, contacts or Contacts())

    async def settle(self) -> None:
        """Wait until everything that was answered is recorded."""
        await self._aftermath.settle()
        await self._records.tracer.settle()

    async def _patient(self, request: Request, contacts: Contacts) -> Answer:
        """The answer. A run that has paid for something waits for a database that is away, and
        goes on where it stopped."""
        request = replace(request, run_id=request.run_id or uuid.uuid4().hex)
        while True:
            try:
                return await self._traced(request, contacts)
            except StorageError as error:
                job = await self._recorder.take_back(request.run_id, contacts.job, error)
                if job is None:
                    raise
                request, contacts = replace(request, again=True), replace(contacts, job=job)

    async def _traced(self, request: Request, contacts: Contacts) -> Answer:
        began_s = self._records.clock.elapsed_s()
        seen = await self._revisions(request)
        policies = self._guards.policies
        await policies.load(seen.policies)
        with policies.trying(request.session_id):
            if request.given_arguments is None:
                await self._memo.anticipate(request, seen)
            return await self._run(request, contacts, seen, began_s)

    async def _run(
        self, request: Request, contacts: Contacts, seen: RevisionSnapshot, began_s: float
    ) -> Answer:
        guards, records = self._guards, self._records
        run_id = request.run_id
        trace = records.tracer.trace(
            "ask",
            user=request.user,
            session_id=request.session_id,
            run_id=run_id,
            input=request.text,
        )
        with trace as root:
            run = Run(
                id=run_id,
                request=request,
                trace_id=root.trace_id,
                seen=seen,
                clock=records.clock,
                began_s=began_s,
                budget=contacts.budget or self._budget(),
                contacts=contacts,
                emitter=Emitter(run_id, request.session_id, records, contacts.on_event),
                ledger=CallLedger(loops=self._loops_of(request), task=asyncio.current_task()),
                record=RunRecord(policies=guards.policies.versions, variants=TRIAL.get().variants),
            )
            note_sent(run.ledger.prompts)
            try:
                async with guards.stop.watching(run_id, request.session_id):
                    await guards.stop.check(run_id, request.session_id)
                    if request.again:
                        await self._recorder.resume(run)
                    answer = await self._decide(run)
            except (Exception, asyncio.CancelledError) as error:
                await self._recorder.abandon(run, error)
                if (taken := self._recorder.loss(run)) is not None:
                    raise taken from None
                raise
            finally:
                run.ledger.task = None  # whoever asked has other things to do now
            root.output = answer
            if answer.status is AnswerStatus.FAILED:
                root.fail(answer.text)
        if self._aftermath.idle:
            await records.tracer.settle()
        return answer

    async def _revisions(self, request: Request) -> RevisionSnapshot:
        """The database as the request finds it; raises `NotFound` for another one's session."""
        if request.reading.refers_back or self._aftermath.is_recording(request):
            await self._aftermath.recorded()  # what it repeats or refers to may not be there yet
        began_s = self._records.clock.elapsed_s()
        seen = await self._records.db.revisions.take(request.session_id)
        if not seen.stops:
            self._guards.stop.know_none(began_s)
        if seen.owner not in (None, request.user):
            raise NotFound(
                "there is no such session", hint="leave out --session to begin a new one"
            )
        return seen

    def _budget(self) -> Budget:
        limits = self._guards.policies.get(RequestBudgetPolicy)
        return Budget(
            tokens=limits.tokens,
            model_calls=limits.model_calls,
            steps=limits.steps,
            usd=limits.usd,
        )

    def _loops_of(self, request: Request) -> LoopDetector:
        """The session's detector. A person may ask for the same again; a request that is only
        repeated after it led nowhere goes on counting."""
        limit = self._guards.policies.get(ExecutionPolicy).repeat_limit
        before, detector = self._loops.pop(request.session_id, ("", LoopDetector(limit)))
        if before != request.text:
            detector.new_request()
        self._loops[request.session_id] = (request.text, detector)
        while len(self._loops) > _MOST_SESSIONS:
            self._loops.popitem(last=False)
        return detector

    async def _decide(self, run: Run) -> Answer:
        given = run.request.given_arguments
        known = await self._memo.remembered(run) if given is None else None
        if known is not None:
            told = known.strategy == TOLD
            about = known.why if told else "the same request was answered before: same answer"
            await run.say(EventKind.CACHE_HIT, about)
            await run.say(EventKind.DONE, known.text)
            await self._aftermath.repeat(run, known)
            return known
        # Whoever comes second to a session's name is told before it is answered.
        claim = partial(self._recorder.claim_session, run) if run.seen.owner is None else None
        record = partial(self._recorder.start, run)
        run.ledger.start = start = RunStart(record, _RECORDED_AFTER_S, claim)
        answer = await self._stages.answer_of(Work(run, given))
        if run.ledger.said.refused:
            answer = not_refused(run, answer)
        answer = with_remarks(run, _with_all_costs(run, answer))
        well = answer.status is not AnswerStatus.FAILED
        await run.say(
            EventKind.DONE if well else EventKind.FAILED, answer.text, status=str(answer.status)
        )
        await start.leave_to_the_end()
        if answer.status is AnswerStatus.DONE:
            run.ledger.loops.new_request()
        await self._aftermath.follow(run, answer, memo=given is None)
        return answer


def _with_all_costs(run: Run, answer: Answer) -> Answer:
    """The answer with what an earlier process paid for in this run, and this one did not need."""
    journal = run.ledger.hold.journal if run.ledger.hold is not None else None
    if journal is None or not run.request.again:
        return answer
    run.budget.spend(journal.unused())
    if journal.paid_again:
        run.ledger.remarks.append(_PAID_AGAIN)
    return replace(answer, cost=run.cost())
