"""Requests answered: traced, budgeted, recorded and remembered around their stages."""

import asyncio
import uuid
from collections import OrderedDict
from dataclasses import replace

from hammerstone.core.answers import Answer, AnswerStatus, EventKind
from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.guard.budget import Budget
from hammerstone.guard.loops import LoopDetector
from hammerstone.library.policies import ExecutionPolicy, RequestBudgetPolicy
from hammerstone.run.answer.lessons import learn
from hammerstone.run.answer.memo import anticipate, remember, remembered, repeat
from hammerstone.run.answer.record import abandon, finish, start
from hammerstone.run.answer.wording import with_remarks
from hammerstone.run.background import Background
from hammerstone.run.context import Contacts, Run
from hammerstone.run.events import Emitter
from hammerstone.run.ledger import CallLedger
from hammerstone.run.parts import Parts
from hammerstone.run.request import Request
from hammerstone.run.stages import Work, answer_of
from hammerstone.storage import Glance

_MOST_SESSIONS = 1_000  # whose loop detectors are kept at hand


class Answerer:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._background = Background()
        self._unrecorded: set[tuple[str, str]] = set()
        self._loops: OrderedDict[str, tuple[str, LoopDetector]] = OrderedDict()

    async def answer(self, request: Request, doors: Contacts | None = None) -> Answer:
        """Answer a request. What cannot be answered is an answer too, with status failed."""
        return await self._traced(request, doors or Contacts(), None)

    async def run_tool(
        self, request: Request, name: str, arguments: JsonObject, doors: Contacts | None = None
    ) -> Answer:
        """Call one tool with given arguments, recorded like any request."""
        given = replace(request, given_tool=name)
        return await self._traced(given, doors or Contacts(), arguments)

    async def settle(self) -> None:
        """Wait until everything that was answered is recorded."""
        await self._background.settle()
        await self._parts.calls.settle()
        await self._parts.tracer.settle()

    async def _traced(self, request: Request, doors: Contacts, given: JsonObject | None) -> Answer:
        parts = self._parts
        began_s = parts.clock.elapsed_s()
        run_id = request.run_id or uuid.uuid4().hex
        seen = await self._glance(request)
        await parts.policies.load(seen.policies)
        if given is None:
            await anticipate(parts, request, seen)
        trace = parts.tracer.trace(
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
                parts=parts,
                emitter=Emitter(run_id, request.session_id, parts, doors.on_event),
                budget=doors.budget or self._budget(),
                began_s=began_s,
                seen=seen,
                on_question=doors.on_question,
                on_approval=doors.on_approval,
                ledger=CallLedger(loops=self._loops_of(request)),
            )
            try:
                async with parts.stop.watching(run_id, request.session_id):
                    await parts.stop.check(run_id, request.session_id)
                    answer = await self._decide(run, given)
            except (Exception, asyncio.CancelledError) as error:
                await abandon(run, error)
                raise
            root.output = answer.to_json()
            if answer.status is AnswerStatus.FAILED:
                root.fail(answer.text)
        if self._background.idle:
            await parts.tracer.settle()
        return answer

    async def _glance(self, request: Request) -> Glance:
        """The database as the request finds it; raises `NotFound` for another one's session."""
        if (request.user, request.text) in self._unrecorded or request.reading.refers_back:
            await self._background.settle()  # what it repeats or refers to may not be there yet
        seen = await self._parts.db.glances.take(request.session_id)
        if seen.owner not in (None, request.user):
            raise NotFound("there is no such session", hint="leave --session out")
        return seen

    def _budget(self) -> Budget:
        limits = self._parts.policies.get(RequestBudgetPolicy)
        return Budget(
            tokens=limits.tokens,
            model_calls=limits.model_calls,
            steps=limits.steps,
            usd=limits.usd,
        )

    def _loops_of(self, request: Request) -> LoopDetector:
        """The session's detector. A person may ask for the same again; a request that is only
        repeated after it led nowhere goes on counting."""
        limit = self._parts.policies.get(ExecutionPolicy).repeat_limit
        before, detector = self._loops.pop(request.session_id, ("", LoopDetector(limit)))
        if before != request.text:
            detector.new_request()
        self._loops[request.session_id] = (request.text, detector)
        while len(self._loops) > _MOST_SESSIONS:
            self._loops.popitem(last=False)
        return detector

    async def _decide(self, run: Run, given: JsonObject | None) -> Answer:
        known = await remembered(run) if given is None else None
        if known is not None:
            await run.say(EventKind.CACHE_HIT, "the same request was answered before")
            await run.say(EventKind.DONE, known.text)
            await self._background.add(repeat(run, known), "recording a repeated answer")
            return known
        fresh = run.seen.owner is None
        run.starting = asyncio.create_task(start(run))
        answer = with_remarks(run, await answer_of(Work(run, fresh, given)))
        well = answer.status is not AnswerStatus.FAILED
        await run.say(
            EventKind.DONE if well else EventKind.FAILED, answer.text, status=str(answer.status)
        )
        await run.ready()
        if answer.status is AnswerStatus.DONE:
            run.ledger.loops.new_request()
        memo = given is None
        if well and not (answer.cost.model_calls or answer.files or run.ledger.wrote):
            # Nothing was paid for and nothing changed: the person does not wait for the record.
            self._unrecorded.add((run.request.user, run.request.text))
            recording = self._record_and_learn(run, answer, memo=memo)
            await self._background.add(recording, "recording an answer")
        else:
            await self._record(run, answer, memo=memo)
            await self._background.add(learn(run), "learning from an answer")
        return answer

    async def _record(self, run: Run, answer: Answer, *, memo: bool) -> None:
        try:
            await finish(run, answer)
            if run.parts.proofs is not None:
                for task in run.ledger.proofs:
                    await run.parts.proofs.put(task)
            if memo:
                await remember(run, answer)
        finally:
            self._unrecorded.discard((run.request.user, run.request.text))

    async def _record_and_learn(self, run: Run, answer: Answer, *, memo: bool) -> None:
        await self._record(run, answer, memo=memo)
        await learn(run)
