"""A plan carried out: steps that can run at once do; each is done by a tool of the library, by a
connector, or solved anew, and is checked before the next."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from hammerstone.connectors import Offer
from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Usage
from hammerstone.core.clock import Clock
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Tool
from hammerstone.run.act.execute import ToolReuse, named_values
from hammerstone.run.act.outside import OutsideServices, as_tool
from hammerstone.run.act.second_look import SecondLook
from hammerstone.run.act.skill_work import FittingSkill, SkillWork
from hammerstone.run.act.solving import StepSolver
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.bind.binding import ArgumentSources, Binder, BoundArguments
from hammerstone.run.bind.grounding import has_another_rule
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Finder, tell_found
from hammerstone.run.find.plan import Plan, PlanStep
from hammerstone.run.services import Records
from hammerstone.run.understand.mentions import Mention, find_mentions, with_values
from hammerstone.run.understand.reading import read
from hammerstone.storage import SessionValue, StepRow


@dataclass(slots=True)
class TaskNode:
    """One step of the task tree: how far it came and what it cost."""

    step: PlanStep
    status: str = "waiting"
    tool: str = ""
    error: str = ""
    result: Json = None
    spent: Usage = field(default_factory=Usage)
    seconds: float = 0.0

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.step.id,
            "text": self.step.text,
            "after": [*sorted(self.step.needs)],
            "tool": self.tool or None,
            "status": self.status,
            "error": self.error or None,
            "tokens": self.spent.tokens,
            "model_calls": self.spent.calls,
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True)
class PlanOutcome:
    """The result of a plan. `stopped` is the step that ended it early, if one did."""

    done: dict[str, StepOutcome] = field(default_factory=dict[str, StepOutcome])
    nodes: list[TaskNode] = field(default_factory=list[TaskNode])
    stopped: StepOutcome | None = None

    @property
    def last(self) -> StepOutcome:
        return next(reversed(self.done.values()))

    def pairs(self) -> list[tuple[TaskNode, StepOutcome]]:
        """The steps that were done, with what they came to."""
        return [(n, self.done[n.step.id]) for n in self.nodes if n.step.id in self.done]

    def checks(self) -> dict[str, Json]:
        """What is confirmed, contradicted, or cannot be verified, step by step.

        A proved tool confirms nothing by itself: what is confirmed is this value, by a solution
        or a case that came to the same.
        """
        told: dict[str, list[Json]] = {"confirmed": [], "contradicted": [], "unverified": []}
        for node in self.nodes:
            kind, why = _check(self.done.get(node.step.id), node.error)
            told[kind].append(f"{node.step.text}: {why}")
        return {name: list(each) for name, each in told.items()}


def _check(step: StepOutcome | None, error: str) -> tuple[str, str]:
    """In which list a step's result belongs, and why."""
    if step is None:
        return "unverified", error or "not done"
    if step.doubt:
        return "contradicted", step.doubt
    if step.agrees:
        return "confirmed", "a second, independent solution gave the same result"
    if step.confirmed:
        return "confirmed", step.confirmed
    if step.tool is not None:
        return (
            "unverified",
            f"{step.tool.name} is {step.tool.status}; nothing else checked it",
        )
    tally = step.solved.tally if step.solved else None
    if tally is not None and tally.agree > 1 and tally.agree * 2 > tally.total:
        return "confirmed", f"{tally.agree} of {tally.total} solutions gave the same result"
    return "unverified", step.solved.why if step.solved else "not proved"


@dataclass(frozen=True, slots=True)
class StepWords:
    """`words` are for search; `problem` is what refers to nothing."""

    words: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class StepInputs:
    """What the steps of one request may take beside its words. `values` are the session's,
    newest first.

    `known` is settled for a request of one step; `data` is what the last call was about.
    `closed`: `known` is all there is, nothing is read from the words.
    """

    values: Sequence[SessionValue] = ()
    known: Mapping[str, Json] = field(default_factory=dict[str, Json])
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    closed: bool = False

    def read_words(self, run: Run, text: str, now: datetime) -> StepWords:
        """A request of one step, read with what it refers to."""
        if len(run.reading.parts) > 1 or not read(text).may_mention:
            return StepWords(text)  # of several parts "the result" may be that of the one before
        mentions = find_mentions(text, self.values, now)
        problem = next((each.problem for each in mentions if each.problem), "")
        return StepWords(with_values(text, mentions), problem)


@dataclass(frozen=True, slots=True)
class StepServices:
    """The services for a step that no tool of the library is sure to do."""

    outside: OutsideServices
    skills: SkillWork
    second_look: SecondLook


class StepRunner:
    """The runner of a plan's steps."""

    def __init__(
        self,
        finder: Finder,
        binder: Binder,
        reuse: ToolReuse,
        solver: StepSolver,
        services: StepServices,
        clock: Clock,
    ) -> None:
        self._finder = finder
        self._binder = binder
        self._reuse = reuse
        self._solver = solver
        self._outside = services.outside
        self._skills = services.skills
        self._second_look = services.second_look
        self._clock = clock

    async def run_step(
        self,
        run: Run,
        step: PlanStep,
        done: Mapping[str, StepOutcome],
        inputs: StepInputs,
    ) -> StepOutcome:
        if inputs.closed and step.tool is not None:
            tool = await self._finder.get(step.tool)
            given = ArgumentSources(step, (), (), done, inputs.known)
            bound = named_values(inputs.known)
            return await self._reuse.call_tool(run, tool, bound, given, closed=True)
        earlier = [done[id] for id in sorted(step.needs, reverse=True)]
        made = [outcome.value for outcome in earlier if outcome.value is not None]
        mentions: Sequence[Mention] = ()
        if read(step.referring).may_mention:
            mentions = find_mentions(step.referring, [*made, *inputs.values], self._clock.now())
        if problem := next((each.problem for each in mentions if each.problem), ""):
            return StepOutcome(False, error=problem)
        given = ArgumentSources(step, mentions, made, done, inputs.known, inputs.data)
        work = run.about(with_values(step.text, mentions) if mentions else step.text)
        tool, step = await self._tool(work, step)
        if isinstance(tool, Offer):
            return await self._by_offer(work, tool, given)
        words = run.about(step.text)
        if isinstance(tool, FittingSkill):
            outcome = await self._skills.carry_out(work, tool, given, self._clock)
            if outcome.ok or tool.by_person or outcome.question or outcome.refused:
                return outcome
            tool = None  # a solution may still answer
        outcome = None
        if tool is not None:
            outcome = await self._by_tool(work, tool, replace(given, step=step))
            if outcome is not None and not _is_open(outcome):
                return outcome
        near = await self._second_look.near(words, step.text)
        if outcome is None and not near:
            return await self._solver.solve_step(words, mentions, made if not mentions else ())
        return await self._second_look.take(words, outcome, near, given)

    async def _tool(
        self, run: Run, step: PlanStep
    ) -> tuple[Tool | Offer | FittingSkill | None, PlanStep]:
        if step.skill is not None:
            return await self._skills.named(run, step.skill), step
        if step.tool is not None:
            if step.beside_solution and (one := await self._skill(run, step, step.fit)):
                return one, step
            return await self._finder.named(run, step.tool), step
        forced = run.reading.forces_building
        if not forced and not step.unfit:
            found = await self._finder.look(run, step.text)
            if found.tool is not None and found.usable:
                await tell_found(run, found)
                beside = self._solver.needs_second_look(found)
                if beside and (one := await self._skill(run, step, found.probability)):
                    return one, step
                return found.tool, replace(step, fit=found.probability, beside_solution=beside)
        if not forced and (one := await self._skill(run, step)):
            return one, step
        if not forced:
            offer = await self._outside.fitting_offer(run, step.text)
            if offer is not None:
                return offer, step
        return None, step

    async def _skill(self, run: Run, step: PlanStep, above: float = 0.0) -> FittingSkill | None:
        """A skill for the step, where no tool is certain and none is likelier."""
        return await self._skills.fitting(run, step.text, above)

    async def _by_tool(self, run: Run, tool: Tool, given: ArgumentSources) -> StepOutcome | None:
        """The outcome of a tool that was found or named; None when it is not the right one
        after all, so that the request is solved anew."""
        named = run.given_tool is not None
        step = given.step
        stated = run.reading.may_state_examples and not named
        if stated and await self._solver.contradiction(run, tool):
            text = f"{tool.name} does not give what your example says; writing solutions instead"
            await run.say(EventKind.SYNTHESIZING, text, tool=tool.name)
            return None
        bound = await self._binder.bind(run, tool, given)
        if not named and _is_another(run, tool, bound, step):
            text = f"{tool.name} cannot take these values; writing solutions instead"
            await run.say(EventKind.SYNTHESIZING, text, tool=tool.name)
            return None
        unclear = bound.question is not None or bool(bound.problem)
        if unclear and not named and run.reading.literals:
            return None  # the values it wants are not those of the request
        outcome = await self._reuse.call_tool(run, tool, bound, given)
        failed = not outcome.ok and outcome.question is None and not outcome.refused
        if failed and not named:
            return None  # its remedies are used up: a solution may still answer
        beside = step.beside_solution or (bool(bound.unused) and not named)
        return replace(outcome, fit=step.fit, only_may_fit=beside)

    async def _by_offer(self, run: Run, offer: Offer, given: ArgumentSources) -> StepOutcome:
        """A step that a connector does."""
        tool = as_tool(offer)
        bound = await self._binder.bind(run, tool, given)
        if bound.question is not None or bound.problem:
            return StepOutcome(False, tool, error=bound.problem, question=bound.question)
        reached = await self._outside.reach(run, offer, bound.values)
        if isinstance(reached, str):
            return StepOutcome(False, tool, bound.values, error=reached)
        return self._reuse.kept_outcome(run, tool, bound, reached, given.step.text)


def _is_open(outcome: StepOutcome) -> bool:
    """Whether a solution has to be held against a tool's result."""
    return outcome.ok and outcome.only_may_fit and outcome.executed is not None


def _is_another(run: Run, tool: Tool, bound: BoundArguments, step: PlanStep) -> bool:
    """Whether the request states a rule of its own in place of the tool's."""
    if not bound.values or not tool.version.spec.constants:
        return False  # it will be asked for what is missing, or it has no rule of its own
    text = run.words if run.ledger.together else step.text
    return has_another_rule(tool.version.spec, text, bound.values)


class PlanRunner:
    """The runner of plans; it keeps the task tree of those with several steps."""

    def __init__(self, steps: StepRunner, records: Records) -> None:
        self._steps = steps
        self._records = records

    async def carry_out(self, run: Run, plan: Plan, inputs: StepInputs) -> PlanOutcome:
        """Run the steps in their order; the first that fails stops those that wait for it."""
        outcome = PlanOutcome(nodes=[TaskNode(step) for step in plan.steps])
        nodes: Mapping[str, TaskNode] = {node.step.id: node for node in outcome.nodes}
        for wave in plan.waves():
            ready = [step for step in wave if step.needs <= outcome.done.keys()]
            results = await asyncio.gather(
                *(self._one(run, nodes[step.id], outcome.done, inputs) for step in ready),
                return_exceptions=True,
            )
            for step, result in zip(ready, results, strict=True):
                if isinstance(result, BaseException):
                    await self._write(run, outcome.nodes)
                    raise result
                if result.ok:
                    outcome.done[step.id] = result
                elif outcome.stopped is None:
                    outcome.stopped = result
            await self._write(run, outcome.nodes)
        if any(node.status == "waiting" for node in outcome.nodes):
            for node in outcome.nodes:
                node.status = "skipped" if node.status == "waiting" else node.status
            await self._write(run, outcome.nodes)
        return outcome

    async def _one(
        self, run: Run, node: TaskNode, done: Mapping[str, StepOutcome], inputs: StepInputs
    ) -> StepOutcome:
        if len(done) or node.step.needs:
            text = f"step {node.step.id}: {node.step.text}"
            await run.say(EventKind.PLANNING, text, step=node.step.id)
        node.status = "running"
        began_s, before = self._records.clock.elapsed_s(), run.budget.spent
        try:
            one = await self._steps.run_step(run, node.step, done, inputs)
        except BaseException as error:
            node.status, node.error = "failed", str(error)
            raise
        finally:
            node.seconds = self._records.clock.elapsed_s() - began_s
            node.spent = _difference(run.budget.spent, before)
        node.status = "done" if one.ok else "failed"
        node.tool = one.tool.name if one.tool else ""
        node.error, node.result = one.error, one.result
        return one

    async def _write(self, run: Run, nodes: list[TaskNode]) -> None:
        """Store the task tree as it is now; a plan of one step is its own record."""
        if len(nodes) < 2:
            return
        await run.ready()
        records, now = self._records, self._records.clock.now()
        rows = [
            StepRow(
                run_id=run.id,
                id=node.step.id,
                place=place,
                text=records.clean_text(node.step.text),
                status=node.status,
                at=now,
                tool=node.tool,
                result=records.scrub(node.result),
                error=records.clean_text(node.error),
                tokens=node.spent.tokens,
                model_calls=node.spent.calls,
                usd=node.spent.usd,
                seconds=node.seconds,
            )
            for place, node in enumerate(nodes, 1)
        ]
        await records.db.steps.put(rows)


def _difference(now: Usage, before: Usage) -> Usage:
    return Usage(
        now.prompt_tokens - before.prompt_tokens,
        now.cached_tokens - before.cached_tokens,
        now.output_tokens - before.output_tokens,
        now.usd - before.usd,
        now.seconds - before.seconds,
        now.calls - before.calls,
    )
