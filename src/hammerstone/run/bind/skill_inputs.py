"""The input of a skill from a request: what its plan declares, or what its text says."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from hammerstone.core.approvals import Question
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, Status, Tool, Version
from hammerstone.library.skills import Skill
from hammerstone.library.skills.running.plan import SkillPlan
from hammerstone.prompts import load
from hammerstone.run.bind.binding import ArgumentSources, Binder
from hammerstone.run.context import Run, RunModels

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SkillInput:
    """A skill's input, or why there is none; `certain`: no model was asked for it."""

    values: JsonObject
    problem: str = ""
    question: Question | None = None
    certain: bool = True


class SkillInputs:
    """Reads the inputs of skills."""

    def __init__(self, binder: Binder, models: RunModels) -> None:
        self._binder = binder
        self._models = models

    async def of_plan(
        self, run: Run, skill: Skill, plan: SkillPlan, given: ArgumentSources
    ) -> SkillInput:
        """What a plan declares, bound like a tool's arguments; the words where it declares none."""
        if not plan.inputs:
            return SkillInput({"text": run.words})
        bound = await self._binder.bind(run, _as_tool(skill, plan), given)
        return SkillInput(bound.values, bound.problem, bound.question, bound.certain)

    async def of_script(self, run: Run, skill: Skill, most: int) -> SkillInput:
        """What a script wants on standard input, read from the skill's text by a model."""
        messages = load("skill_input").fill(
            skill=skill.for_models(most), request=run.text_for_models
        )
        prompt = Prompt(messages, schema={"type": "object"}, max_tokens=1024, purpose="skill input")
        try:
            reply = await self._models.of(run, Role.PLANNER).complete(prompt)
            values: Json = json.loads(reply.text)
        except (ModelNonsense, ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            return SkillInput({}, f"I could not read the input of {skill.name}", certain=False)
        return SkillInput(values, certain=False)


def _as_tool(skill: Skill, plan: SkillPlan) -> Tool:
    """The skill in the shape that arguments are read for; it has no code, so it cannot run."""
    spec = Spec(
        name=skill.name.replace("-", "_"),
        description=skill.description,
        parameters={
            "type": "object",
            "properties": dict(plan.inputs),
            "required": [name for name, one in plan.inputs.items() if not _optional(one)],
        },
        returns={},
    )
    version = Version(f"skill:{skill.name}", skill.name, 0, "", spec, (), (), {}, _NEVER)
    return Tool(skill.name, version, Status.VERIFIED, None)


def _optional(schema: Json) -> bool:
    return isinstance(schema, dict) and "default" in schema
