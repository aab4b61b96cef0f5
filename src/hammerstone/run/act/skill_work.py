"""A skill at work for a request: found like a tool, opened when it fits, run at its own level.

Its name and description are all that search reads. The text is opened once it is chosen, and its
references only where it has neither a plan nor a script: the passages that the request is about.
"""

import json
from dataclasses import dataclass, replace

from hammerstone.core.answers import EventKind
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.core.json_types import JsonObject
from hammerstone.guard.data import as_data
from hammerstone.judging.rendering import plain
from hammerstone.library.documents import Documents
from hammerstone.library.documents.documents import SKILL_SOURCE
from hammerstone.library.skills import ComposedResult, Skill, SkillRunner, Skills
from hammerstone.library.skills.running.plan import read_plan
from hammerstone.library.skills.running.scripts import main_script
from hammerstone.run.act.results import ResultKeeper
from hammerstone.run.act.skill_tools import SkillTools
from hammerstone.run.act.solving import StepSolver
from hammerstone.run.act.step_outcome import SkillUse, StepOutcome
from hammerstone.run.bind.binding import ArgumentSources
from hammerstone.run.bind.skill_inputs import SkillInput, SkillInputs
from hammerstone.run.context import Run
from hammerstone.run.services import OpenSandbox

_READABLE = (".md", ".txt", ".rst")
_LONGEST_CALL = 500


@dataclass(frozen=True, slots=True)
class FittingSkill:
    """A skill that answers a request, and the chance that it is the right one."""

    skill: Skill
    probability: float
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class SkillServices:
    """The services of skills: where scripts run, and what references are searched with."""

    sandbox: OpenSandbox
    documents: Documents


class SkillWork:
    """The work of skills: found for steps, and carried out."""

    def __init__(
        self,
        skills: Skills,
        inputs: SkillInputs,
        tools: SkillTools,
        solver: StepSolver,
        keeper: ResultKeeper,
        services: SkillServices,
    ) -> None:
        self._skills = skills
        self._inputs = inputs
        self._tools = tools
        self._solver = solver
        self._keeper = keeper
        self._sandbox = services.sandbox
        self._documents = services.documents

    async def fitting(self, run: Run, text: str, above: float = 0.0) -> FittingSkill | None:
        """The skill that the agent may choose for these words, if one is likelier than `above`."""
        hits = await self._skills.find(text, run.request.user, 1)
        least = max(above, self._skills.policy.fit)
        if not hits or hits[0].probability < least:
            return None
        skill = await self._skills.open(hits[0].name, run.request.user)
        await run.say(
            EventKind.TOOL_FOUND,
            f"found the skill {skill.name} ({hits[0].probability:.0%} likely to fit)",
            skill=skill.name,
            probability=hits[0].probability,
            why=hits[0].explanation,
        )
        return FittingSkill(skill, hits[0].probability)

    async def named(self, run: Run, name: str) -> FittingSkill:
        """The skill that a person starts by its name; raises `NotFound`, or `Refused` for one
        that people do not start."""
        skill = await self._skills.open(name, run.request.user)
        by_person = not run.request.by_program
        if not (skill.user_invocable if by_person else skill.agent_invocable):
            who = "people" if by_person else "agents"
            raise Refused(f"{skill.name} says that {who} do not start it")
        return FittingSkill(skill, 1.0, by_person)

    async def carry_out(
        self, run: Run, chosen: FittingSkill, given: ArgumentSources, clock: Clock
    ) -> StepOutcome:
        """What the skill comes to. It may do less than the agent: never more than its own level."""
        skill = chosen.skill
        level = self._skills.level_of(skill)
        below = replace(run.request, skill_level=level, keep=False)
        work = replace(run, request=below)
        use = SkillUse(skill.name, level)
        await run.say(EventKind.EXECUTING, f"working by the skill {skill.name}", skill=skill.name)
        try:
            read = await self._read_input(work, skill, given)
        except (BadRequest, NotFound) as error:
            return StepOutcome(False, error=f"{skill.name}: {error.message}", skill=use)
        if read is None:
            return await self._by_text(work, chosen, given, use)
        if read.question is not None or read.problem:
            return StepOutcome(False, error=read.problem, question=read.question, skill=use)
        run.budget.step()
        await run.ready()
        most = self._skills.policy.max_steps
        steps = replace(work, budget=run.budget.child(steps=most, name="skill"))
        runner = SkillRunner(
            self._skills,
            self._sandbox,
            self._tools.for_run(steps),
            clock,
            by_agent=not chosen.by_person,
        )
        done = await runner.run(skill, read.values)
        return self._kept(run, chosen, use, read, done)

    async def _read_input(
        self, run: Run, skill: Skill, given: ArgumentSources
    ) -> SkillInput | None:
        """The skill's input; None when it has nothing to run but its text."""
        if skill.plan_path:
            plan = read_plan(await self._skills.text(skill, skill.plan_path))
            return await self._inputs.of_plan(run, skill, plan, given)
        if any(path.endswith(".py") for path in skill.scripts):
            main_script(skill)
            return await self._inputs.of_script(run, skill, self._skills.policy.body_chars)
        return None

    def _kept(
        self, run: Run, chosen: FittingSkill, use: SkillUse, read: SkillInput, done: ComposedResult
    ) -> StepOutcome:
        shown = f"{use.name}({json.dumps(read.values, ensure_ascii=False)})"[:_LONGEST_CALL]
        use = replace(use, call=shown, steps=tuple(step.to_json() for step in done.steps))
        if not done.ok:
            return StepOutcome(False, error=f"{use.name}: {done.error}", skill=use)
        number = run.ledger.next_call()
        self._keeper.keep_value(run, use.name, done.value, number, run.words)
        self._keeper.keep_files(run, done.artifacts, number)
        return StepOutcome(
            True,
            result=plain(done.value),
            value=run.ledger.values[-1],
            fit=chosen.probability,
            certain_arguments=read.certain,
            skill=use,
        )

    async def _by_text(
        self, run: Run, chosen: FittingSkill, given: ArgumentSources, use: SkillUse
    ) -> StepOutcome:
        """The request solved with the skill's text beside it, and what that refers to."""
        skill = chosen.skill
        notes = [skill.for_models(self._skills.policy.body_chars)]
        notes += await self._references(skill, run.words)
        made = given.made if not given.mentions else ()
        outcome = await self._solver.solve_step(run, given.mentions, made, notes)
        return replace(outcome, skill=use)

    async def _references(self, skill: Skill, words: str) -> list[str]:
        """The passages of the references that the request is about, as data.

        They are searched like documents; a skill's text need not list them.
        """
        policy = self._skills.policy
        texts = {
            path: await self._skills.text(skill, path)
            for path in skill.references
            if path.endswith(_READABLE)
        }
        if not texts:
            return []
        source = f"{SKILL_SOURCE}{skill.name}"
        await self._documents.add_texts(source, texts, skill.tenant)
        found = await self._documents.search(words, skill.tenant, policy.references, source)
        share = policy.reference_chars // max(1, len(found))
        return [
            as_data(f"{one.path} of skill {skill.name}", f"{one.section}\n{one.text}", share)
            for one in found
            if (one.words > 0 if one.meaning is None else one.meaning >= policy.reference_meaning)
        ]


def steps_of(use: SkillUse) -> tuple[JsonObject, ...]:
    """What a skill did, as steps of an answer."""
    return tuple(
        {
            "id": str(step["step"]),
            "text": str(step["what"]),
            "skill": str(step["skill"]),
            "status": "done" if step["ok"] else "failed",
            "error": step["error"] or None,
            "seconds": step["seconds"],
        }
        for step in use.steps
    )
