"""A request's way: a list of stages, each of which gives the answer or leaves it to the next."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hammerstone.core.answers import Answer, EventKind
from hammerstone.core.json_types import JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.tools import Status, Tool
from hammerstone.judging.arguments import find_mismatch
from hammerstone.run.act.carry_out import PlanOutcome, carry_out
from hammerstone.run.act.clarify import ask, resumed, rival_question
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.act.stepping import StepRunner
from hammerstone.run.answer.look_up import looked_up
from hammerstone.run.answer.prose import chat
from hammerstone.run.answer.wording import failed, plain_answer, questioned, unfinished, worded
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.find.planning import plan_for, specs_of
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.understand.enrich import enrich
from hammerstone.run.understand.follow_ups import FollowUp, follow_up
from hammerstone.run.understand.session_files import keep_given, with_session_files
from hammerstone.storage import SessionValue

_MOST_QUESTIONS = 2
_REFUSALS = {
    RequestKind.LIVE_DATA: (
        "I cannot answer that: it needs live data from outside, and no connector is configured."
    ),
    RequestKind.HARMFUL: "I will not do that: it would harm someone.",
}


@dataclass(slots=True)
class Work:
    """A request on its way: what each stage leaves for those after it.

    `given` are arguments for the tool that the person named; `until_end` holds what has to be
    there until the answer is.
    """

    run: Run
    fresh: bool  # its session has no past
    given: JsonObject | None = None
    runner: StepRunner = field(default_factory=StepRunner)
    follow: FollowUp | None = None
    plan: Plan | None = None
    outcome: PlanOutcome | None = None
    questions: int = 0
    until_end: AsyncExitStack = field(default_factory=AsyncExitStack)


Stage: TypeAlias = Callable[[Work], Awaitable[Answer | None]]


async def understand(work: Work) -> Answer | None:
    """What the words mean in this session: an answered question, memory, files, earlier values."""
    if work.given is not None:
        return None
    if not work.fresh:
        work.run = await resumed(work.run)
    run = work.run
    context = await enrich(run)
    if context.told:
        return plain_answer(run, context.told)
    await keep_given(run)
    if work.fresh or not run.request.memory:
        return None
    work.run = await work.until_end.enter_async_context(with_session_files(run))
    values = await _values(work.run)
    work.follow = follow = await follow_up(work.run)
    if follow is not None or values or work.run is not run:
        run.ledger.alone = False
    known, data = (follow.known, follow.data) if follow else (None, None)
    work.runner = StepRunner(values, known, data)
    return None


async def _values(run: Run) -> list[SessionValue]:
    """What the session has produced, if the words may mean any of it."""
    if not run.reading.refers_back:
        return []
    most = run.parts.policies.get(SessionPolicy).offered_values
    return await run.parts.db.values.recent(run.request.session_id, most)


async def find(work: Work) -> Answer | None:
    """Which tools answer it, in which steps; a step without one is solved in its turn."""
    run, follow = work.run, work.follow
    if work.given is not None:
        name = run.given_tool or ""
        tool = await run.parts.registry.get(name)
        if mismatch := find_mismatch(tool.version.spec, work.given):
            return failed(run, f"{name} cannot be called like that: {mismatch}", tool)
        work.plan = Plan(Strategy.SINGLE, (PlanStep("1", run.words, name),))
        work.runner = StepRunner(known=work.given, closed=True)
    elif follow is not None and follow.tool is not None:
        work.run = run = run.about(follow.text) if follow.text else run
        work.plan = Plan(Strategy.SINGLE, (PlanStep("1", run.words, follow.tool.name),))
    elif run.given_tool:
        work.plan = Plan(Strategy.SINGLE, (PlanStep("1", run.words, run.given_tool),))
    else:
        read = work.runner.understood(run, run.words)
        if read.problem:
            return failed(run, f"I do not know what you mean: {read.problem}.")
        work.plan = await plan_for(run, run.words, read.words)
    plan = work.plan
    if len(plan.steps) > 1:
        if problem := plan.problem(await specs_of(run, plan)):
            return failed(run, f"I could not make a plan: {problem}")
        await run.say(EventKind.PLANNING, plan.in_words(), **plan.to_json())
    return None


async def act(work: Work) -> Answer | None:
    """The steps carried out: a tool is bound and called, what no tool does is solved."""
    assert work.plan is not None
    work.run.ledger.together = len(work.plan.steps) == 1
    work.outcome = await carry_out(work.run, work.plan, work.runner)
    return None


async def respond(work: Work) -> Answer | None:
    """The answer in words; where one value is missing, the question for it."""
    run, plan, outcome = work.run, work.plan, work.outcome
    assert plan is not None and outcome is not None
    if outcome.stopped is not None:
        return await _stopped(work, plan, outcome, outcome.stopped)
    last = outcome.done[plan.last.id]
    question = await rival_question(run, plan, last)
    if question is not None:
        said = await ask(run, question)
        if said is None:
            return questioned(run, question)
        if said.choice == 1 and plan.rival:
            chosen = Plan(plan.strategy, (replace(plan.last, tool=plan.rival),))
            outcome = await carry_out(run, chosen, work.runner)
    answer = await worded(run, plan, outcome)
    run.ledger.lessons += [
        (node.step.text, step.tool)
        for node, step in outcome.pairs()
        if step.tool is not None and (step.agrees or _is_proved(step.tool))
    ]
    return answer


def _is_proved(tool: Tool) -> bool:
    return tool.status in (Status.VERIFIED, Status.TRUSTED)


STAGES: tuple[Stage, ...] = (understand, find, act, respond)


async def answer_of(work: Work, stages: tuple[Stage, ...] = STAGES) -> Answer:
    """The answer of the first stage that has one."""
    async with work.until_end:
        for stage in stages:
            answer = await stage(work)
            if answer is not None:
                return answer
    raise AssertionError("the last stage always has an answer")


async def _stopped(work: Work, plan: Plan, outcome: PlanOutcome, stopped: StepOutcome) -> Answer:
    """The answer when a step could not be done: a question, a refusal, or an honest no."""
    run = work.run
    if stopped.question is not None:
        said = await ask(run, stopped.question)
        if said is None:
            return questioned(run, stopped.question)
        run.ledger.alone = False
        work.questions += 1
        if work.questions <= _MOST_QUESTIONS:
            work.run = run.about(f"{run.words}\n({stopped.question.text} {said.text})")
            work.follow = None
            return await answer_of(replace(work, until_end=AsyncExitStack()), STAGES[1:])
    kind = stopped.solved.kind if stopped.solved else RequestKind.CALCULATION
    if kind is RequestKind.CONVERSATION:
        return plain_answer(run, await chat(run))
    if kind is RequestKind.LIVE_DATA and (found := await looked_up(run)) is not None:
        return found
    if kind is not RequestKind.CALCULATION:
        return failed(run, _REFUSALS[kind])
    if len(plan.steps) == 1 and stopped.solved is not None:
        return failed(run, f"I found no answer: {stopped.error}.")
    return replace(
        failed(run, unfinished(run, plan, outcome), stopped.tool),
        strategy=str(plan.strategy),
        steps=tuple(node.to_json() for node in outcome.nodes) if len(plan.steps) > 1 else (),
    )
