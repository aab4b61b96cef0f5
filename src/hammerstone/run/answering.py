"""Requests answered: traced, budgeted, recorded and remembered around their stages; and what comes
after an answer, which nobody waits for."""

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

from hammerstone.core.answers import Answer, AnswerStatus, EventKind
from hammerstone.core.errors import NotFound, StorageError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.pending import Pending
from hammerstone.core.run_record import RunRecord
from hammerstone.core.seams import Listener, Proofs
from hammerstone.guard.budget import Budget
from hammerstone.guard.loops import LoopDetector
from hammerstone.library.policies import ExecutionPolicy, RequestBudgetPolicy
from hammerstone.library.policies.trials import TRIAL
from hammerstone.prompts import note_sent
from hammerstone.run.act.execute import ToolCalls
from hammerstone.run.answer.earlier_feedback import TOLD, not_refused
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.answer.wording import with_remarks
from hammerstone.run.context import CallLedger, Contacts, Emitter, Run, RunStart
from hammerstone.run.request import Request
from hammerstone.run.services import Guards, Records
from hammerstone.run.stages import Stages, Work
from hammerstone.run.understand.reading import read
from hammerstone.storage import RevisionSnapshot
from hammerstone.tracing.warn import warn

_RECORDED_AFTER_S = 0.1  # from then on others see that the run is there
_PAID_AGAIN = (
    "This request was broken off and continued. Some of its work was paid for twice: it held "
    "private data, which is not stored."
)
_MOST_WAITING = 64  # answers that are still to be recorded
_MOST_SESSIONS = 1_000  # whose loop detectors are kept at hand


class Background:
    """Work that nobody waits for: it is finished before the engine closes, and never piles up."""

    def __init__(self) -> None:
        self._pending = Pending()
        self._room = asyncio.Semaphore(_MOST_WAITING)  # those who wait for room take turns

    @property
    def idle(self) -> bool:
        return not len(self._pending)

    async def add(self, work: Coroutine[Any, Any, None], about: str) -> None:
        """Do it soon; waits only while too much is waiting already."""
        try:
            await self._room.acquire()
        except asyncio.CancelledError:
            work.close()
            raise
        task = self._pending.start(work)
        task.add_done_callback(lambda done: self._ended(done, about))

    async def settle(self) -> None:
        """Wait until what was added by now is done."""
        await self._pending.settle()

    def _ended(self, task: "asyncio.Task[None]", about: str) -> None:
        self._room.release()
        _tell(task, about)


class Aftermath:
    """The work after an answer: at once what must not be lost, later what nobody waits for."""

    def __init__(
        self,
        recorder: RunRecorder,
        memo: AnswerMemo,
        listener: Listener,
        proofs: Proofs,
        calls: ToolCalls,
    ) -> None:
        self._recorder = recorder
        self._memo = memo
        self._listener = listener
        self._proofs = proofs
        self._calls = calls
        self._background = Background()
        self._unrecorded: set[tuple[str, str]] = set()

    @property
    def idle(self) -> bool:
        return self._background.idle

    def is_recording(self, request: Request) -> bool:
        """Whether the answer to the same request is still to be recorded."""
        return (request.user, request.text) in self._unrecorded

    async def recorded(self) -> None:
        """Wait until what was answered by now is recorded."""
        await self._background.settle()

    async def settle(self) -> None:
        """Wait until what was answered by now is recorded, and results are in the cache."""
        await self._background.settle()
        await self._calls.settle()

    async def repeat(self, run: Run, answer: Answer) -> None:
        """Record an answer that was given before."""
        await self._background.add(self._repeat(run, answer), "recording a repeated answer")

    async def _repeat(self, run: Run, answer: Answer) -> None:
        await self._recorder.repeat(run, answer)
        await self._listen(run)

    async def follow(self, run: Run, answer: Answer, *, memo: bool) -> None:
        """Record an answer and learn from it; `memo`: it may be given again word for word."""
        well = answer.status is not AnswerStatus.FAILED
        if well and not (answer.cost.model_calls or answer.files or run.ledger.wrote):
            # Nothing was paid for and nothing changed: the person does not wait for the record.
            self._unrecorded.add((run.request.user, run.request.text))
            recording = self._record_and_learn(run, answer, memo=memo)
            await self._background.add(recording, "recording an answer")
        else:
            await self._record(run, answer, memo=memo)
            await self._background.add(self._listen(run), "learning from an answer")

    async def _record(self, run: Run, answer: Answer, *, memo: bool) -> None:
        try:
            await self._recorder.finish(run, answer)
            if run.ledger.proofs:
                self._proofs.wake()
            if memo:
                await self._memo.remember(run, answer)
        finally:
            self._unrecorded.discard((run.request.user, run.request.text))

    async def _record_and_learn(self, run: Run, answer: Answer, *, memo: bool) -> None:
        await self._record(run, answer, memo=memo)
        await self._listen(run)

    async def _listen(self, run: Run) -> None:
        """Let learning look at what the run appended; the run itself changes nothing else."""
        await self._listener.heard(run.request.user, run.id)


def _tell(task: "asyncio.Task[None]", about: str) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        warn(f"{about} failed", error=str(error))


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
        if read(request.text).refers_back or self._aftermath.is_recording(request):
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
