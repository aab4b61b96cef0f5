"""Requests answered: traced, budgeted, recorded and remembered around their stages."""

import asyncio
import uuid
from collections import OrderedDict
from dataclasses import replace

from hammerstone.core.answers import Answer, AnswerStatus, EventKind
from hammerstone.core.clock import Timer
from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.guard.budget import Budget
from hammerstone.guard.loops import LoopDetector
from hammerstone.library.policies import ExecutionPolicy, RequestBudgetPolicy
from hammerstone.prompts import note_sent
from hammerstone.run.aftermath import Aftermath
from hammerstone.run.answer.earlier_feedback import TOLD, not_refused
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.answer.run_notes import first_record
from hammerstone.run.answer.wording import with_remarks
from hammerstone.run.context import Contacts, Run
from hammerstone.run.events import Emitter
from hammerstone.run.ledger import CallLedger
from hammerstone.run.request import Request
from hammerstone.run.services import Guards, Records
from hammerstone.run.stages import Stages, Work
from hammerstone.storage import RevisionSnapshot

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
        return await self._traced(request, contacts or Contacts(), None)

    async def run_tool(
        self, request: Request, name: str, arguments: JsonObject, contacts: Contacts | None = None
    ) -> Answer:
        """Call one tool with given arguments, recorded like any request."""
        given = replace(request, given_tool=name)
        return await self._traced(given, contacts or Contacts(), arguments)

    async def settle(self) -> None:
        """Wait until everything that was answered is recorded."""
        await self._aftermath.settle()
        await self._records.tracer.settle()

    async def _traced(
        self, request: Request, contacts: Contacts, given: JsonObject | None
    ) -> Answer:
        guards, records = self._guards, self._records
        timer = Timer.started(records.clock)
        run_id = request.run_id or uuid.uuid4().hex
        seen = await self._revisions(request)
        await guards.policies.load(seen.policies)
        if given is None:
            await self._memo.anticipate(request, seen)
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
                timer=timer,
                budget=contacts.budget or self._budget(),
                contacts=contacts,
                emitter=Emitter(run_id, request.session_id, records, contacts.on_event),
                ledger=CallLedger(loops=self._loops_of(request)),
                record=first_record(guards.policies),
            )
            note_sent(run.ledger.prompts)
            try:
                async with guards.stop.watching(run_id, request.session_id):
                    await guards.stop.check(run_id, request.session_id)
                    answer = await self._decide(run, given)
            except (Exception, asyncio.CancelledError) as error:
                await self._recorder.abandon(run, error)
                raise
            root.output = answer.to_json()
            if answer.status is AnswerStatus.FAILED:
                root.fail(answer.text)
        if self._aftermath.idle:
            await records.tracer.settle()
        return answer

    async def _revisions(self, request: Request) -> RevisionSnapshot:
        """The database as the request finds it; raises `NotFound` for another one's session."""
        if request.reading.refers_back or self._aftermath.is_recording(request):
            await self._aftermath.recorded()  # what it repeats or refers to may not be there yet
        seen = await self._records.db.revisions.take(request.session_id)
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

    async def _decide(self, run: Run, given: JsonObject | None) -> Answer:
        known = await self._memo.remembered(run) if given is None else None
        if known is not None:
            told = known.strategy == TOLD
            about = known.why if told else "the same request was answered before: same answer"
            await run.say(EventKind.CACHE_HIT, about)
            await run.say(EventKind.DONE, known.text)
            await self._aftermath.repeat(run, known)
            return known
        run.ledger.starting = asyncio.create_task(self._recorder.start(run))
        answer = not_refused(run, await self._stages.answer_of(Work(run, given)))
        answer = with_remarks(run, answer)
        well = answer.status is not AnswerStatus.FAILED
        await run.say(
            EventKind.DONE if well else EventKind.FAILED, answer.text, status=str(answer.status)
        )
        await run.ready()
        if answer.status is AnswerStatus.DONE:
            run.ledger.loops.new_request()
        await self._aftermath.follow(run, answer, memo=given is None)
        return answer
