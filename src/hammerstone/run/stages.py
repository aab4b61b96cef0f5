"""A request's way: a list of stages, each of which gives the answer or leaves it to the next."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hammerstone.core.answers import Answer, EventKind
from hammerstone.core.clock import Clock
from hammerstone.core.json_types import JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.library.policies import Policies
from hammerstone.library.skills import Skills
from hammerstone.run.act.carry_out import PlanOutcome, PlanRunner, StepInputs
from hammerstone.run.act.clarify import Clarification, picked_uses
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.answer.look_up import WebLookup
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.prose import Prose
from hammerstone.run.answer.wording import (
    Wording,
    failed,
    plain_answer,
    question_answer,
    unfinished_text,
)
from hammerstone.run.context import Run, ToolUse
from hammerstone.run.find.discover import Finder
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.find.planning import Planner
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.understand.enrich import Enrichment
from hammerstone.run.understand.follow_ups import FollowUp, FollowUps
from hammerstone.run.understand.reading import skill_command
from hammerstone.run.understand.session_files import SessionFiles
from hammerstone.storage import SessionValue
from hammerstone.storage.stores.requests.values import SessionValues

_MOST_QUESTIONS = 2
_REFUSALS = {
    RequestKind.LIVE_DATA: (
        "I cannot answer that: it needs current data from outside, and no connector is set up. "
        "How to set one up: docs/connectors.md"
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
    given: JsonObject | None = None
    inputs: StepInputs = field(default_factory=StepInputs)
    follow: FollowUp | None = None
    plan: Plan | None = None
    outcome: PlanOutcome | None = None
    questions: int = 0
    until_end: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def fresh(self) -> bool:
        """Whether its session has no past."""
        return self.run.seen.owner is None

    @property
    def may_consult(self) -> bool:
        """Whether documents can have a part in it: there are some, or the person names a skill,
        which may be the one that looks into them."""
        named = self.plan is not None and self.plan.last.skill is not None
        return self.run.seen.documents or named


Stage: TypeAlias = Callable[[Work], Awaitable[Answer | None]]


class UnderstandStage:
    """What the words mean in this session: an answered question, memory, files, earlier values."""

    def __init__(
        self,
        clarification: Clarification,
        enrichment: Enrichment,
        files: SessionFiles,
        follow_ups: FollowUps,
        values: SessionValues,
        policies: Policies,
    ) -> None:
        self._clarification = clarification
        self._enrichment = enrichment
        self._files = files
        self._follow_ups = follow_ups
        self._values = values
        self._policies = policies

    async def __call__(self, work: Work) -> Answer | None:
        if work.given is not None:
            return None
        if not work.fresh and work.run.reading.may_answer:
            work.run = await self._clarification.resume(work.run)
        run = work.run
        context = await self._enrichment.enrich(run)
        if context.told:
            return plain_answer(run, context.told)
        if run.files:
            await self._files.keep_given(run)
        if work.fresh or not run.request.memory:
            return None
        if run.reading.about_files and not run.files:
            opened = self._files.with_session_files(run)
            work.run = await work.until_end.enter_async_context(opened)
        values = await self._offered(work.run)
        varies = work.run.reading.varies
        work.follow = follow = await self._follow_ups.follow_up(work.run) if varies else None
        if follow is not None or values or work.run is not run:
            run.ledger.alone = False
        known, data = (follow.known, follow.data) if follow else ({}, {})
        work.inputs = StepInputs(values, known, data)
        return None

    async def _offered(self, run: Run) -> list[SessionValue]:
        """What the session has produced, if the words may mean any of it."""
        if not run.reading.refers_back:
            return []
        most = self._policies.get(SessionPolicy).offered_values
        asked_by = run.ledger.asked_at
        return await self._values.recent(run.request.session_id, most, asked_by=asked_by)


class FindStage:
    """Which tools answer it, in which steps; a step without one is solved in its turn."""

    def __init__(
        self, planner: Planner, finder: Finder, skills: Skills, memo: AnswerMemo, clock: Clock
    ) -> None:
        self._planner = planner
        self._skills = skills
        self._finder = finder
        self._memo = memo
        self._clock = clock

    async def __call__(self, work: Work) -> Answer | None:
        run, follow = work.run, work.follow
        if work.given is not None:
            name = run.given_tool or ""
            tool = await self._finder.get(name)
            if mismatch := tool.version.spec.takes.mismatch(work.given):
                return failed(run, f"{name} cannot be called with these values: {mismatch}", tool)
            work.plan = Plan(Strategy.SINGLE, (PlanStep("1", run.words, name),))
            work.inputs = StepInputs(known=work.given, closed=True)
        elif follow is not None and follow.tool is not None:
            work.run = run = run.about(follow.text) if follow.text else run
            work.plan = Plan(Strategy.SINGLE, (PlanStep("1", run.words, follow.tool.name),))
        elif run.given_tool:
            work.plan = Plan(Strategy.SINGLE, (PlanStep("1", run.words, run.given_tool),))
        elif command := await self._skill_command(run):
            name, rest = command
            work.run = run = run.about(rest or run.words)
            work.plan = Plan(Strategy.SKILL, (PlanStep("1", run.words, skill=name),))
        else:
            read = work.inputs.read_words(run, run.words, self._clock.now())
            if read.problem:
                return failed(run, f"I do not understand the request: {read.problem}.")
            work.plan = await self._planner.plan_for(run, run.words, read.words)
            if work.plan.named:
                work.run = run = replace(run, given_tool=work.plan.last.tool)
            elif (solved := await self._solved(run, work.plan)) is not None:
                return solved
        return await self._told(run, work.plan)

    async def _solved(self, run: Run, plan: Plan) -> Answer | None:
        """What solutions gave to the same words before, where no tool is sure to do better."""
        step = plan.last
        if len(plan.steps) > 1:
            return None
        answer = await self._memo.solved(run, None if step.beside_solution else step.tool)
        if answer is not None:
            await run.say(EventKind.CACHE_HIT, "the same request was solved before: same answer")
        return answer

    async def _skill_command(self, run: Run) -> tuple[str, str] | None:
        """The skill that the request starts by its name, and what it is to do."""
        command = skill_command(run.words)
        known = command and await self._skills.knows(command[0], run.request.user)
        return command if known else None

    async def _told(self, run: Run, plan: Plan) -> Answer | None:
        """What keeps a plan of several steps from being carried out; else it is shown."""
        if len(plan.steps) > 1:
            if problem := plan.problem(await self._planner.specs_of(plan)):
                return failed(run, f"I could not plan the steps: {problem}")
            await run.say(EventKind.PLANNING, plan.in_words(), **plan.to_json())
        return None


class ActStage:
    """The steps carried out: a tool is bound and called, what no tool does is solved."""

    def __init__(self, plans: PlanRunner) -> None:
        self._plans = plans

    async def __call__(self, work: Work) -> Answer | None:
        assert work.plan is not None
        work.run.ledger.together = len(work.plan.steps) == 1
        work.outcome = await self._plans.carry_out(work.run, work.plan, work.inputs)
        return None


class RespondStage:
    """The answer in words; where one value is missing, the question for it.

    Without an answer the person has said what was missing, and the request goes its way again.
    """

    def __init__(
        self,
        clarification: Clarification,
        plans: PlanRunner,
        wording: Wording,
        prose: Prose,
        web: WebLookup,
    ) -> None:
        self._clarification = clarification
        self._plans = plans
        self._wording = wording
        self._prose = prose
        self._web = web

    async def __call__(self, work: Work) -> Answer | None:
        run, plan, outcome = work.run, work.plan, work.outcome
        assert plan is not None and outcome is not None
        if outcome.stopped is not None:
            return await self._stopped(work, plan, outcome, outcome.stopped)
        last = outcome.done[plan.last.id]
        rival, asks = plan.rival, self._clarification.rival_question
        question = await asks(run, rival, last) if rival is not None else None
        if question is not None:
            said = await self._clarification.ask(run, question)
            if said is None:
                return question_answer(run, question)
            run.ledger.uses += picked_uses(run.words, question.tools, said.choice)
            if said.choice == 1:
                chosen = Plan(plan.strategy, (replace(plan.last, tool=rival),))
                outcome = await self._plans.carry_out(run, chosen, work.inputs)
        answer = await self._wording.answer_in_words(run, plan, outcome)
        run.ledger.uses += [
            ToolUse(node.step.text, step.tool.name, step.tool.version.id, step.agrees)
            for node, step in outcome.pairs()
            if step.tool is not None
        ]
        return answer

    async def _stopped(
        self, work: Work, plan: Plan, outcome: PlanOutcome, stopped: StepOutcome
    ) -> Answer | None:
        """The answer when a step could not be done: a question, a refusal, or an honest no."""
        run = work.run
        if stopped.question is not None:
            said = await self._clarification.ask(run, stopped.question)
            if said is None:
                return question_answer(run, stopped.question)
            run.ledger.alone = False
            work.questions += 1
            if work.questions <= _MOST_QUESTIONS:
                work.run = run.about(f"{run.words}\n({stopped.question.text} {said.text})")
                work.follow = None
                return None
        kind = run.ledger.kind = stopped.solved.kind if stopped.solved else RequestKind.CALCULATION
        if kind is RequestKind.CONVERSATION:
            return plain_answer(run, await self._prose.chat(run))
        if kind is RequestKind.LIVE_DATA and (found := await self._web.look_up(run)) is not None:
            return found
        if kind is not RequestKind.CALCULATION:
            return failed(run, _REFUSALS[kind])
        if len(plan.steps) == 1 and stopped.solved is not None:
            return failed(run, f"I found no answer: {stopped.error}.")
        return replace(
            failed(run, unfinished_text(run, plan, outcome), stopped.tool),
            strategy=str(plan.strategy),
            steps=tuple(node.to_json() for node in outcome.nodes) if len(plan.steps) > 1 else (),
        )


@dataclass(frozen=True, slots=True)
class Stages:
    """The whole way, in its order."""

    understand: Stage
    find: Stage
    consult: Stage
    act: Stage
    respond: Stage

    async def answer_of(self, work: Work) -> Answer:
        """The answer of the first stage that has one; what the last one leaves open is found
        anew, with what the person said meanwhile."""
        again = (self.find, self.consult, self.act, self.respond)
        stages: tuple[Stage, ...] = (self.understand, *again)
        async with work.until_end:
            while True:
                for stage in stages:
                    if stage is self.consult and not work.may_consult:
                        continue
                    answer = await stage(work)
                    if answer is not None:
                        return answer
                stages = again
