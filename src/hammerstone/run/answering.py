"""A request's whole way: memo, discovery, building, arguments, execution, answer, record."""

import asyncio
import uuid

from hammerstone.core.answers import Answer, AnswerStatus, EventKind, OnEvent
from hammerstone.core.chat import Message, Prompt, Role
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Status, Tool
from hammerstone.guard.budget import Budget
from hammerstone.library.policies import ExecutionPolicy, RequestBudgetPolicy
from hammerstone.library.search import Lesson
from hammerstone.run.arguments import ArgumentReader, find_mismatch
from hammerstone.run.building import build
from hammerstone.run.context import OnQuestion, Run
from hammerstone.run.discover import discover
from hammerstone.run.events import Emitter
from hammerstone.run.execute import execute
from hammerstone.run.memory import remember, remembered
from hammerstone.run.parts import Parts
from hammerstone.run.record import finish, start
from hammerstone.run.request import Request
from hammerstone.run.respond import in_words, plain
from hammerstone.synthesis.spec_author import RequestKind
from hammerstone.tracing.warn import warn

_MOST_WAITING = 64  # repeated answers whose record has not been written yet
_CHAT_SYSTEM = (
    "You are Hammerstone, an assistant that answers by building and running small tools. Reply "
    "in one or two friendly sentences. You cannot look things up."
)
_REFUSALS = {
    RequestKind.LIVE_DATA: (
        "I cannot answer that: it needs live data from outside, and no connector is configured."
    ),
    RequestKind.HARMFUL: "I will not build that: it would harm someone.",
}


class Answerer:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._recording: set[asyncio.Task[None]] = set()

    async def answer(
        self,
        request: Request,
        *,
        on_event: OnEvent | None = None,
        on_question: OnQuestion | None = None,
    ) -> Answer:
        """Answer a request. What cannot be answered is an answer too, with status failed."""
        return await self._traced(request, on_event, on_question, None)

    async def run_tool(self, request: Request, name: str, arguments: JsonObject) -> Answer:
        """Call one tool with given arguments, recorded like any request."""
        return await self._traced(request, None, None, (name, arguments))

    async def _traced(
        self,
        request: Request,
        on_event: OnEvent | None,
        on_question: OnQuestion | None,
        given: tuple[str, JsonObject] | None,
    ) -> Answer:
        parts = self._parts
        began_s = parts.clock.elapsed_s()
        run_id = request.run_id or uuid.uuid4().hex
        await parts.policies.load()
        limits = parts.policies.get(RequestBudgetPolicy)
        budget = Budget(
            tokens=limits.tokens,
            model_calls=limits.model_calls,
            steps=limits.steps,
            usd=limits.usd,
        )
        trace = parts.tracer.trace(
            "ask",
            user=request.user,
            session_id=request.session_id,
            run_id=run_id,
            input=request.text,
        )
        with trace as root:
            emitter = Emitter(run_id, request.session_id, parts, on_event)
            run = Run(run_id, request, root.trace_id, parts, emitter, budget, began_s, on_question)
            try:
                answer = await self._decide(run, given)
            except (Exception, asyncio.CancelledError) as error:
                await _abandon(run, error)
                raise
            root.output = {k: v for k, v in answer.to_json().items() if k != "session_id"}
            if answer.status is AnswerStatus.FAILED:
                root.fail(answer.text)
        if not self._recording:
            await parts.tracer.settle()
        return answer

    async def settle(self) -> None:
        """Wait until everything that was answered is recorded."""
        while self._recording:
            await asyncio.gather(*self._recording, return_exceptions=True)
        await self._parts.tracer.settle()

    async def _record_soon(self, run: Run, answer: Answer) -> None:
        """Record a repeated answer without keeping the person waiting: it cost nothing, and
        what it repeats is recorded already."""
        if len(self._recording) >= _MOST_WAITING:
            await self.settle()
        task = asyncio.create_task(finish(run, answer))
        self._recording.add(task)
        task.add_done_callback(self._recorded)

    def _recorded(self, task: "asyncio.Task[None]") -> None:
        self._recording.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            warn("a repeated answer was not recorded", error=str(error))

    async def _decide(self, run: Run, given: tuple[str, JsonObject] | None) -> Answer:
        if given is not None:
            await start(run)
            answer = await self._given(run, *given)
        else:
            known = await remembered(run)
            if known is not None:
                await run.say(EventKind.CACHE_HIT, "the same request was answered before")
                await run.say(EventKind.DONE, known.text)
                await self._record_soon(run, known)
                return known
            await start(run)
            answer = await self._work(run)
        done = answer.status is AnswerStatus.DONE
        await run.say(EventKind.DONE if done else EventKind.FAILED, answer.text)
        await finish(run, answer)
        if given is None:
            await remember(run, answer)
        return answer

    async def _given(self, run: Run, name: str, arguments: JsonObject) -> Answer:
        tool = await run.parts.registry.get(name)
        mismatch = find_mismatch(tool.version.spec, arguments)
        if mismatch:
            return _failed(run, f"{name} cannot be called like that: {mismatch}", tool)
        return await self._call(run, tool, arguments)

    async def _work(self, run: Run) -> Answer:
        tool = None
        if not run.request.forces_building:
            tool = (await discover(run)).tool
        if tool is not None:
            arguments = await self._arguments(run, tool)
            if isinstance(arguments, Answer):
                return arguments
            return await self._call(run, tool, arguments, learn=True)
        built = await build(run)
        if built.kind is RequestKind.CONVERSATION:
            return await self._chat(run)
        if built.kind is not RequestKind.CALCULATION:
            return _failed(run, _REFUSALS[built.kind])
        if built.tool is None:
            return _failed(run, f"I could not build a tool that I trust: {built.reason}.")
        if built.arguments is None:
            text = f"The tool {built.tool.name} is ready: {built.tool.version.spec.description}"
            return _answer(run, text, built.tool)
        return await self._call(run, built.tool, built.arguments, learn=True)

    async def _arguments(self, run: Run, tool: Tool) -> JsonObject | Answer:
        attempts = run.parts.policies.get(ExecutionPolicy).extraction_attempts
        reader = ArgumentReader(run.model(Role.PLANNER))
        read = await reader.read(tool.version.spec, run.request.for_models, attempts=attempts)
        if read.problem:
            text = f"{tool.name} fits, but I could not read its arguments: {read.problem}."
            return _failed(run, text, tool)
        return read.values

    async def _call(
        self, run: Run, tool: Tool, arguments: JsonObject, *, learn: bool = False
    ) -> Answer:
        if tool.status is Status.EXPERIMENTAL and tool.version.spec.effect is Effect.WRITES:
            return _failed(run, f"{tool.name} is unverified and writes: it is not run.", tool)
        parts = run.parts
        executed = await execute(run, tool, arguments)
        if executed.failure is not None:
            return _failed(run, f"{tool.name} failed: {executed.error}", tool)
        if learn and tool.status in (Status.VERIFIED, Status.TRUSTED):
            text = parts.clean_text(run.request.text)
            await parts.search.learn(text, tool.name, Lesson.ANSWERED, run.request.user)
        result = plain(executed.value)
        text = in_words(result)
        if tool.status is Status.EXPERIMENTAL:
            text += (
                f"\n(unverified: {tool.name} is only {tool.confidence or 0:.0%} sure to be right)"
            )
        return Answer(
            text=text,
            result=result,
            tool=tool.name,
            version=tool.version.number,
            confidence=tool.confidence,
            cached=executed.cached,
            cost=run.cost(),
            trace_id=run.trace_id,
            session_id=run.request.session_id,
            run_id=run.id,
        )

    async def _chat(self, run: Run) -> Answer:
        await run.say(EventKind.SYNTHESIZING_RESPONSE, "answering without a tool")
        prompt = Prompt(
            messages=(Message("system", _CHAT_SYSTEM), Message("user", run.request.text)),
            max_tokens=120,
            purpose="response",
        )
        reply = await run.model(Role.RESPONDER).complete(prompt)
        return _answer(run, reply.text.strip())


def _answer(run: Run, text: str, tool: Tool | None = None) -> Answer:
    return Answer(
        text=text,
        tool=tool.name if tool else None,
        version=tool.version.number if tool else None,
        confidence=tool.confidence if tool else None,
        cost=run.cost(),
        trace_id=run.trace_id,
        session_id=run.request.session_id,
        run_id=run.id,
    )


def _failed(run: Run, text: str, tool: Tool | None = None) -> Answer:
    from dataclasses import replace

    return replace(_answer(run, text, tool), status=AnswerStatus.FAILED)


async def _abandon(run: Run, error: BaseException) -> None:
    """Keep what is known of a run that ends by an error; it must not hide the error."""
    stopped = isinstance(error, asyncio.CancelledError)
    status = "cancelled" if stopped else "failed"
    text = "stopped" if stopped else str(error)
    if isinstance(error, Exception) and not isinstance(error, HammerstoneError):
        text = f"something went wrong inside ({type(error).__name__})"

    async def write() -> None:
        await run.say(EventKind.FAILED, text)
        await run.emitter.flush()
        try:
            said: JsonObject = {"text": run.parts.clean_text(text)}
            await run.parts.db.runs.finish(run.id, status, said, run.parts.clock.now())
        except NotFound:
            return

    try:
        await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(write())), 5.0)
    except (Exception, asyncio.CancelledError):
        return
