"""Tools of the library as steps of a composed skill: only those that need nobody's leave."""

from collections.abc import Awaitable, Callable

from hammerstone.core import wire
from hammerstone.core.approvals import Action
from hammerstone.core.calls import HEAVY, STANDARD, Call, Program
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Effect, Status
from hammerstone.guard.maturity import (
    ActionContext,
    MaturityLevel,
    MaturityRuling,
    as_level,
    decide,
)
from hammerstone.library.skills.planning.compose import CallTool, StepResult
from hammerstone.library.tools.registry import Registry


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
        problem = next(iter(spec.takes.validate(arguments, most=1)), None)
        if problem is not None:
            raise BadRequest(f"{name}: {problem.text}")
        outcome = await (await sandbox()).call(
            Program(tool.version.code, spec.name),
            Call(kwargs={key: wire.encode(value) for key, value in arguments.items()}),
            limits=HEAVY if spec.limits == "heavy" else STANDARD,
        )
        if outcome.ok:
            return StepResult(outcome.value, "", outcome.artifacts)
        return StepResult(error=outcome.error_line)

    return call
