"""Skills at work for a person: run by name in the sandbox, or made from documentation."""

from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.errors import Refused
from hammerstone.core.json_types import Json
from hammerstone.library.skills import ComposedResult, Skill, SkillRunner
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.generate import generate
from hammerstone.library.skills.scripts import ScriptCall, ScriptResult, main_script, run_script
from hammerstone.library.skills.tools import library_tools
from hammerstone.run.parts import Parts


class SkillRuns:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def run(self, name: str, inputs: Json, *, tenant: str = "") -> ComposedResult:
        """Run a skill by its plan or its one script; a failure is a result with an error."""
        parts = self._parts
        skill = _invocable(await parts.skills.open(name, tenant))
        tools = library_tools(parts.registry, parts.sandbox)
        return await SkillRunner(parts.skills, parts.sandbox, tools, parts.clock).run(skill, inputs)

    async def run_script(
        self, name: str, script: str | None, call: ScriptCall, *, tenant: str = ""
    ) -> ScriptResult:
        """Run one script of a skill with arguments, standard input and files."""
        parts = self._parts
        skill = _invocable(await parts.skills.open(name, tenant))
        path = script or main_script(skill)
        return await run_script(parts.skills, await parts.sandbox(), skill, path, call)

    async def generate(self, folder: Path, name: str | None, *, model: bool = True) -> Bundle:
        """A skill from a folder of documentation, with or without a model's description."""
        writer = self._parts.models.for_role(Role.RESPONDER) if model else None
        return await generate(folder, name, writer)


def _invocable(skill: Skill) -> Skill:
    if not skill.user_invocable:
        raise Refused(
            f"{skill.name} says that people do not start it",
            hint="other skills and the agent may use it; see `user-invocable` in its SKILL.md",
        )
    return skill
