"""Running a composed skill: steps in order, fanned out over parts, within bounds.

Tools of the library can be its steps: only those that need nobody's permission.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import HEAVY, STANDARD, Artifact, Call, Program
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, BudgetExceeded, HammerstoneError, NotFound, Refused
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Effect, Status
from hammerstone.guard.maturity import (
    Action,
    ActionContext,
    MaturityLevel,
    MaturityRuling,
    as_level,
    decide,
)
from hammerstone.library.skills.running.plan import SkillPlan, SkillStep, filled, read_plan
from hammerstone.library.skills.running.scripts import ScriptCall, main_script, run_script
from hammerstone.library.skills.skill import Skill
from hammerstone.library.skills.skills import Skills
from hammerstone.library.tools.registry import Registry
from hammerstone.tracing import span

CallTool = Callable[[str, JsonObject], Awaitable["StepResult"]]


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step's value, or why there is none."""

    value: Json = None
    error: str = ""
    artifacts: tuple[Artifact, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.error


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One call of a step, for the record."""

    skill: str
    step: str
    what: str
    ok: bool
    error: str
    seconds: float

    def to_json(self) -> JsonObject:
        return {**asdict(self), "seconds": round(self.seconds, 4)}


@dataclass(frozen=True, slots=True)
class ComposedResult:
    """What a skill came to, with every call that was made on the way."""

    value: Json
    error: str
    steps: tuple[StepRecord, ...]
    artifacts: tuple[Artifact, ...]

    @property
    def ok(self) -> bool:
        return not self.error

    def to_json(self) -> JsonObject:
        return {
            "ok": self.ok,
            "value": self.value,
            "error": self.error,
            "steps": [step.to_json() for step in self.steps],
            "artifacts": [{"name": a.name, "bytes": len(a.content)} for a in self.artifacts],
        }


@dataclass(slots=True)
class _SkillProgress:
    steps: int = 0
    done: list[StepRecord] = field(default_factory=list[StepRecord])
    artifacts: list[Artifact] = field(default_factory=list[Artifact])


class SkillRunner:
    """Runs skills for one caller. `call_tool` decides which tools it may have."""

    def __init__(
        self,
        skills: Skills,
        sandbox: Callable[[], Awaitable[Sandbox]],
        call_tool: CallTool | None,
        clock: Clock,
        *,
        by_agent: bool = False,
    ) -> None:
        self._by_agent = by_agent  # nobody named the skill: only what agents may start runs
        self._skills = skills
        self._sandbox = sandbox
        self._call_tool = call_tool
        self._clock = clock

    async def run(self, skill: Skill, inputs: Json) -> ComposedResult:
        """Run a skill by its plan, or by its one script with the input as JSON on stdin.

        A failed step is a result with an error. Bounds of the policy `skills` hold for the
        whole run with everything it calls; what goes over them ends it with an error as well.
        """
        policy = self._skills.policy
        spent = _SkillProgress()
        with span(f"skill {skill.name}", kind="tool", input=inputs) as traced:
            with suppress(TimeoutError):
                async with asyncio.timeout(policy.seconds):
                    found = await self._skill(skill, inputs, (), spent)
                    traced.output = found.value
                    return self._finished(found, spent)
            error = f"it took longer than {policy.seconds:.0f} seconds"
            return self._finished(StepResult(error=error), spent)

    def _finished(self, found: StepResult, spent: _SkillProgress) -> ComposedResult:
        return ComposedResult(found.value, found.error, tuple(spent.done), tuple(spent.artifacts))

    async def _skill(
        self, skill: Skill, inputs: Json, callers: tuple[str, ...], spent: _SkillProgress
    ) -> StepResult:
        policy = self._skills.policy
        if skill.name in callers:
            circle = " > ".join((*callers, skill.name))
            return StepResult(error=f"skills call each other in a circle: {circle}")
        if len(callers) >= policy.max_depth:
            return StepResult(error=f"skills call skills more than {policy.max_depth} deep")
        try:
            if not skill.plan_path:
                return await self._script(skill, main_script(skill), inputs)
            plan = read_plan(await self._skills.text(skill, skill.plan_path))
            return await self._plan(skill, plan, inputs, (*callers, skill.name), spent)
        except (BadRequest, NotFound, Refused, BudgetExceeded) as error:
            return StepResult(error=f"{skill.name}: {error.message}")

    async def _plan(
        self,
        skill: Skill,
        plan: SkillPlan,
        inputs: Json,
        callers: tuple[str, ...],
        spent: _SkillProgress,
    ) -> StepResult:
        _must_fit(plan, inputs)
        known: dict[str, Json] = {"input": inputs}
        for step in plan.steps:
            found = await self._step(skill, step, known, callers, spent)
            if not found.ok:
                return found
            known[step.id] = found.value
        return StepResult(filled(plan.output, known, "output"))

    async def _step(
        self,
        skill: Skill,
        step: SkillStep,
        known: dict[str, Json],
        callers: tuple[str, ...],
        spent: _SkillProgress,
    ) -> StepResult:
        if step.for_each is None:
            return await self._once(skill, step, known, callers, spent)
        items = filled(step.for_each, known, step.id)
        if not isinstance(items, list):
            raise BadRequest(f"{step.id}: for_each is not over a list")
        most = self._skills.policy.max_items
        if len(items) > most:
            raise BudgetExceeded(f"{step.id}: {len(items)} parts, allowed are {most}")
        turn = asyncio.Semaphore(max(1, self._skills.policy.parallel))

        async def part(index: int, item: Json) -> StepResult:
            async with turn:
                inside = {**known, "item": item, "index": index}
                return await self._once(skill, step, inside, callers, spent)

        found = await _all_or_first_error(part, items)
        failed = next((each for each in found if not each.ok), None)
        return failed or StepResult([each.value for each in found])

    async def _once(
        self,
        skill: Skill,
        step: SkillStep,
        known: dict[str, Json],
        callers: tuple[str, ...],
        spent: _SkillProgress,
    ) -> StepResult:
        policy = self._skills.policy
        spent.steps += 1
        if spent.steps > policy.max_steps:
            raise BudgetExceeded(f"more than {policy.max_steps} steps", steps=spent.steps)
        began_s = self._clock.elapsed_s()
        arguments = filled(step.arguments, known, step.id)
        with span(f"skill step {step.id}", kind="step", input=arguments) as traced:
            traced.set("hammerstone.skill", skill.name)
            traced.set(f"hammerstone.skill.{step.kind}", step.what)
            try:
                found = await self._call(skill, step, arguments, callers, spent)
            except (BadRequest, NotFound, Refused) as error:
                found = StepResult(error=error.message)
            traced.output = found.value
            if found.error:
                traced.fail(found.error)
        seconds = self._clock.elapsed_s() - began_s
        error = found.error and f"{step.id} ({step.what}): {found.error}"
        spent.done.append(StepRecord(skill.name, step.id, step.what, found.ok, error, seconds))
        spent.artifacts.extend(found.artifacts)
        return StepResult(found.value, error)

    async def _call(
        self,
        skill: Skill,
        step: SkillStep,
        arguments: Json,
        callers: tuple[str, ...],
        spent: _SkillProgress,
    ) -> StepResult:
        if step.kind == "run":
            return await self._script(skill, step.what, arguments)
        if step.kind == "skill":
            other = await self._skills.open(step.what, skill.tenant)
            if self._by_agent and not other.agent_invocable:
                raise Refused(f"only a person starts {other.name}")
            return await self._skill(other, arguments, callers, spent)
        if self._call_tool is None:
            raise Refused("no tools may be called here")
        if not skill.permitted_tools([step.what]):
            raise Refused(f"{skill.name} does not list {step.what} in allowed-tools")
        if not isinstance(arguments, dict):
            raise BadRequest(f"the arguments of {step.what} are not named")
        return await self._call_tool(step.what, arguments)

    async def _script(self, skill: Skill, path: str, inputs: Json) -> StepResult:
        stdin = json.dumps(inputs, ensure_ascii=False)
        sandbox = await self._sandbox()
        done = await run_script(self._skills, sandbox, skill, path, ScriptCall(stdin=stdin))
        error = "" if done.ok else done.error or str(done.failure)
        return StepResult(done.value, error, done.artifacts)


def _must_fit(plan: SkillPlan, inputs: Json) -> None:
    """The input has what the plan declares, of the types that it declares."""
    if not plan.inputs:
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    schema = {"type": "object", "properties": plan.inputs, "required": list(plan.inputs)}
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise BadRequest(f"the plan's inputs are not JSON Schema: {error.message}") from None
    validator: Any = Draft202012Validator(schema)
    problem = next(iter(validator.iter_errors(inputs)), None)
    if problem is not None:
        raise BadRequest(f"the input does not fit: {problem.message[:300]}")


async def _all_or_first_error(
    part: Callable[[int, Json], Awaitable[StepResult]], items: Sequence[Json]
) -> list[StepResult]:
    """Every part's result in order. One that cannot go on ends the rest and is raised."""
    tasks = [asyncio.ensure_future(part(index, item)) for index, item in enumerate(items)]
    try:
        return list(await asyncio.gather(*tasks))
    except HammerstoneError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def library_tools(
    registry: Registry,
    sandbox: Callable[[], Awaitable[Sandbox]],
    *,
    level: int = MaturityLevel.AUTONOMOUS,
) -> CallTool:
    """Calls a tool in the sandbox, as far as the level allows without asking anybody. What a
    skill's text says gives it no more than this."""
    standing = ActionContext(as_level(level))

    async def call(name: str, arguments: JsonObject) -> StepResult:
        tool = await registry.get(name)
        spec = tool.version.spec
        if spec.effect is Effect.WRITES:
            raise Refused(f"{name} changes things outside, which a person has to approve")
        if tool.status not in (Status.VERIFIED, Status.TRUSTED, Status.DEPRECATED):
            raise Refused(f"{name} is {tool.status}: a skill's steps use only what is proved")
        ruling = decide(Action.of(tool, arguments), standing)
        if ruling.ruling is not MaturityRuling.ALLOW:
            raise Refused(f"{name} may not be used here: {ruling.why}")
        if told := spec.takes.mismatch(arguments):
            raise BadRequest(f"{name}: {told}")
        outcome = await (await sandbox()).call(
            Program(tool.version.code, spec.name),
            Call(kwargs={key: wire.encode(value) for key, value in arguments.items()}),
            limits=HEAVY if spec.limits == "heavy" else STANDARD,
        )
        if outcome.ok:
            return StepResult(outcome.value, "", outcome.artifacts)
        return StepResult(error=outcome.error_line)

    return call
