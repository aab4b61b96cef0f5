"""Skills at work for a person: run by name in the sandbox, or made from documentation."""

from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.clock import Clock
from hammerstone.core.errors import Refused
from hammerstone.core.json_types import Json
from hammerstone.library.skills import ComposedResult, Skill, SkillRunner
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.making.generate import generate
from hammerstone.library.skills.scripts import ScriptCall, ScriptResult, main_script, run_script
from hammerstone.library.skills.tools import library_tools
from hammerstone.run.services import Catalogue, Workshop


class SkillRuns:
    def __init__(self, catalogue: Catalogue, workshop: Workshop, clock: Clock) -> None:
        self._skills = catalogue.skills
        self._registry = catalogue.registry
        self._workshop = workshop
        self._clock = clock

    async def run(self, name: str, inputs: Json, *, tenant: str = "") -> ComposedResult:
        """Run a skill by its plan or its one script; a failure is a result with an error."""
        skill = _invocable(await self._skills.open(name, tenant))
        sandbox = self._workshop.sandbox
        tools = library_tools(self._registry, sandbox)
        return await SkillRunner(self._skills, sandbox, tools, self._clock).run(skill, inputs)

    async def run_script(
        self, name: str, script: str | None, call: ScriptCall, *, tenant: str = ""
    ) -> ScriptResult:
        """Run one script of a skill with arguments, standard input and files."""
        skill = _invocable(await self._skills.open(name, tenant))
        path = script or main_script(skill)
        return await run_script(self._skills, await self._workshop.sandbox(), skill, path, call)

    async def generate(self, folder: Path, name: str | None, *, model: bool = True) -> Bundle:
        """A skill from a folder of documentation, with or without a model's description."""
        writer = self._workshop.models.for_role(Role.RESPONDER) if model else None
        return await generate(folder, name, writer)


def _invocable(skill: Skill) -> Skill:
    if not skill.user_invocable:
        raise Refused(
            f"{skill.name} says that people do not start it",
            hint="other skills and the agent may use it; see `user-invocable` in its SKILL.md",
        )
    return skill
