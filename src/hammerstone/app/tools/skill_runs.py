"""Skills at work for a person: run by name in the sandbox, or made from documentation."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.errors import Refused
from hammerstone.core.json_types import Json
from hammerstone.library.skills import ComposedResult, Skill, SkillRunner
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.generate import generate
from hammerstone.library.skills.running.compose import library_tools
from hammerstone.library.skills.running.scripts import (
    ScriptCall,
    ScriptResult,
    main_script,
    run_script,
)
from hammerstone.run.services import Catalogue, Records, Workshop
from hammerstone.tracing import span
from hammerstone.tracing.spans import Span


class SkillRuns:
    """The runs of skills by name: within their own level, each with a trace."""

    def __init__(self, catalogue: Catalogue, workshop: Workshop, records: Records) -> None:
        self._skills = catalogue.skills
        self._registry = catalogue.registry
        self._workshop = workshop
        self._clock = records.clock
        self._tracer = records.tracer

    async def run(self, name: str, inputs: Json, *, tenant: str = "") -> ComposedResult:
        """Run a skill by its plan or its one script; a failure is a result with an error."""
        skill = _invocable(await self._skills.open(name, tenant))
        sandbox, level = self._workshop.sandbox, self._skills.level_of(skill)
        tools = library_tools(self._registry, sandbox, level=level)
        with self._traced(skill, tenant, inputs) as root:
            runner = SkillRunner(self._skills, sandbox, tools, self._clock)
            done = await runner.run(skill, inputs)
            root.output = done.to_json()
            if not done.ok:
                root.fail(done.error)
        return done

    async def run_script(
        self, name: str, script: str | None, call: ScriptCall, *, tenant: str = ""
    ) -> ScriptResult:
        """Run one script of a skill with arguments, standard input and files."""
        skill = _invocable(await self._skills.open(name, tenant))
        path = script or main_script(skill)
        with self._traced(skill, tenant, {"script": path, "arguments": list(call.argv)}) as root:
            sandbox = await self._workshop.sandbox()
            with span(f"skill script {path}", kind="tool", input=call.stdin[:2000]) as traced:
                done = await run_script(self._skills, sandbox, skill, path, call)
                traced.output = done.value
            root.output = done.to_json()
            if not done.ok:
                root.fail(done.error or str(done.failure))
        return done

    @contextmanager
    def _traced(self, skill: Skill, tenant: str, given: Json) -> Iterator[Span]:
        """The trace of one run, with the level that the skill works at."""
        level = self._skills.level_of(skill)
        told = {"hammerstone.skill": skill.name, "hammerstone.skill.level": level}
        trace = self._tracer.trace(
            "skill", user=tenant, run_id=uuid.uuid4().hex, input=given, attributes=told
        )
        with trace as root:
            yield root

    async def generate(self, folder: Path, name: str | None, *, model: bool = True) -> Bundle:
        """A skill from a folder of documentation, with or without a model's description."""
        writer = self._workshop.models.for_role(Role.RESPONDER) if model else None
        return await generate(folder, name, writer)


def _invocable(skill: Skill) -> Skill:
    if not skill.user_invocable:
        raise Refused(
            f"{skill.name} cannot be started by a person",
            hint="other skills and the agent may use it; see `user-invocable` in its SKILL.md",
        )
    return skill
