"""A request's whole way: memo, memory, references, plan, steps, answer, record."""

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
from hammerstone.run.act.carry_out import Carried, carry_out
from hammerstone.run.act.clarify import ask, resumed, rival_question
from hammerstone.run.act.stepping import Stepped, StepRunner
from hammerstone.run.answer.lessons import learn
from hammerstone.run.answer.look_up import looked_up
from hammerstone.run.answer.memo import anticipate, remember, remembered, repeat
from hammerstone.run.answer.prose import chat
from hammerstone.run.answer.record import abandon, finish, start
from hammerstone.run.answer.wording import failed, plain_answer, questioned, unfinished, worded
from hammerstone.run.background import Background
from hammerstone.run.bind.arguments import find_mismatch
from hammerstone.run.context import Doors, Run
from hammerstone.run.events import Emitter
from hammerstone.run.find.plan import Plan, Step, Strategy
from hammerstone.run.find.planning import plan_for, specs_of
from hammerstone.run.ledger import Ledger
from hammerstone.run.parts import Parts
from hammerstone.run.policy import SessionPolicy
from hammerstone.run.request import Request
from hammerstone.run.understand.enrich import enrich
from hammerstone.run.understand.follow_ups import FollowUp, follow_up
from hammerstone.run.understand.session_files import keep_given, with_session_files
from hammerstone.storage import Glance, SessionValue
from hammerstone.synthesis.spec_author import RequestKind

_MOST_SESSIONS = 1_000  # whose loop detectors are kept at hand
_REFUSALS = {
    RequestKind.LIVE_DATA: (
        "I cannot answer that: it needs live data from outside, and no connector is configured."
    ),
    RequestKind.HARMFUL: "I will not build that: it would harm someone.",
}


class Answerer:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._background = Background()
        self._unrecorded: set[tuple[str, str]] = set()
        self._loops: OrderedDict[str, tuple[str, LoopDetector]] = OrderedDict()

    async def answer(self, request: Request, doors: Doors | None = None) -> Answer:
        """Answer a request. What cannot be answered is an answer too, with status failed."""
        return await self._traced(request, doors or Doors(), None)

    async def run_tool(
        self, request: Request, name: str, arguments: JsonObject, doors: Doors | None = None
    ) -> Answer:
        """Call one tool with given arguments, recorded like any request."""
        given = replace(request, given_tool=name)
        return await self._traced(given, doors or Doors(), arguments)

    async def settle(self) -> None:
        """Wait until everything that was answered is recorded."""
        await self._background.settle()
        await self._parts.calls.settle()
        await self._parts.tracer.settle()

    async def _traced(self, request: Request, doors: Doors, given: JsonObject | None) -> Answer:
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
                ledger=Ledger(loops=self._loops_of(request)),
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
        if given is not None:
            answer = await self._given(run, given)
        else:
            answer = await self._work(run, fresh=fresh)
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
            if memo:
                await remember(run, answer)
        finally:
            self._unrecorded.discard((run.request.user, run.request.text))

    async def _record_and_learn(self, run: Run, answer: Answer, *, memo: bool) -> None:
        await self._record(run, answer, memo=memo)
        await learn(run)

    async def _given(self, run: Run, arguments: JsonObject) -> Answer:
        name = run.given_tool or ""
        tool = await run.parts.registry.get(name)
        mismatch = find_mismatch(tool.version.spec, arguments)
        if mismatch:
            return failed(run, f"{name} cannot be called like that: {mismatch}", tool)
        plan = Plan(Strategy.SINGLE, (Step("1", run.request.text, name),))
        return await self._answered(run, plan, StepRunner(known=arguments, closed=True))

    async def _work(self, run: Run, *, fresh: bool) -> Answer:
        """Everything between the request's record and its answer; a fresh session has no past."""
        if not fresh:
            run = await resumed(run)
        context = await enrich(run)
        if context.told:
            return plain_answer(run, context.told)
        await keep_given(run)
        if fresh or not run.request.memory:
            return await self._planned(run, StepRunner(), None)
        async with with_session_files(run) as work:
            values = await self._values(work)
            follow = await follow_up(work)
            if follow is not None or values or work is not run:
                run.ledger.alone = False
            data = follow.data if follow else None
            runner = StepRunner(values, follow.known if follow else None, data)
            return await self._planned(work, runner, follow)

    async def _values(self, run: Run) -> list[SessionValue]:
        """What the session has produced, if the words may mean any of it."""
        if not run.request.reading.refers_back:
            return []
        most = run.parts.policies.get(SessionPolicy).offered_values
        return await run.parts.db.values.recent(run.request.session_id, most)

    async def _planned(self, run: Run, runner: StepRunner, follow: FollowUp | None) -> Answer:
        text = run.request.text
        if follow is not None and follow.tool is not None:
            if follow.text:
                run = run.about(follow.text)
            plan = Plan(Strategy.SINGLE, (Step("1", run.request.text, follow.tool.name),))
        elif run.given_tool:
            plan = Plan(Strategy.SINGLE, (Step("1", text, run.given_tool),))
        else:
            read = runner.understood(run, text)
            if read.problem:
                return failed(run, f"I do not know what you mean: {read.problem}.")
            plan = await plan_for(run, text, read.words, read.told)
        if len(plan.steps) > 1:
            if problem := plan.problem(await specs_of(run, plan)):
                return failed(run, f"I could not make a plan: {problem}")
            await run.say(EventKind.PLANNING, plan.in_words(), **plan.to_json())
        return await self._answered(run, plan, runner)

    async def _answered(self, run: Run, plan: Plan, runner: StepRunner) -> Answer:
        run.ledger.together = len(plan.steps) == 1
        carried = await carry_out(run, plan, runner)
        stopped = carried.stopped
        if stopped is not None:
            return await self._stopped(run, plan, runner, carried, stopped)
        last = carried.done[plan.last.id]
        if last.executed is None and last.tool is not None:
            text = f"The tool {last.tool.name} is ready: {last.tool.version.spec.description}"
            return replace(plain_answer(run, text, last.tool), strategy=str(plan.strategy))
        question = await rival_question(run, plan, last)
        if question is not None:
            said = await ask(run, question)
            if said is None:
                return questioned(run, question)
            if said.choice == 1 and plan.rival:
                chosen = Plan(plan.strategy, (replace(plan.last, tool=plan.rival),))
                carried = await carry_out(run, chosen, runner)
        answer = await worded(run, plan, carried)
        run.ledger.lessons += [(n.step.text, s.tool) for n, s in carried.pairs() if s.tool]
        return answer

    async def _stopped(
        self, run: Run, plan: Plan, runner: StepRunner, carried: Carried, stopped: Stepped
    ) -> Answer:
        """The answer when a step could not be done: a question, a refusal, or an honest no."""
        if stopped.question is not None:
            said = await ask(run, stopped.question)
            if said is None:
                return questioned(run, stopped.question)
            run.ledger.alone = False
            again = run.about(f"{run.request.text}\n({stopped.question.text} {said.text})")
            if again.request.text.count("\n(") < 3:
                return await self._planned(again, runner, None)
        built = stopped.built
        if built is not None and built.kind is RequestKind.CONVERSATION:
            return plain_answer(run, await chat(run))
        if built is not None and built.kind is RequestKind.LIVE_DATA:
            found = await looked_up(run)
            if found is not None:
                return found
        if built is not None and built.kind is not RequestKind.CALCULATION:
            return failed(run, _REFUSALS[built.kind])
        if built is not None and built.tool is None:
            return failed(run, f"I could not build a tool that I trust: {built.reason}.")
        return replace(
            failed(run, unfinished(run, plan, carried), stopped.tool),
            strategy=str(plan.strategy),
            steps=tuple(node.to_json() for node in carried.nodes) if len(plan.steps) > 1 else (),
        )
