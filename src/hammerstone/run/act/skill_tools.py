"""Tools of the library as steps of a skill that works for a request."""

from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Status
from hammerstone.guard.maturity import Action
from hammerstone.library.skills.running.compose import CallTool, StepResult
from hammerstone.run.act.approval import PermissionRequests
from hammerstone.run.act.execute import ToolCalls
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Finder

_PROVED = (Status.VERIFIED, Status.TRUSTED, Status.DEPRECATED)


class SkillTools:
    """Lets skills call tools: permitted at the run's level, traced and recorded like any call."""

    def __init__(self, finder: Finder, permissions: PermissionRequests, calls: ToolCalls) -> None:
        self._finder = finder
        self._permissions = permissions
        self._calls = calls

    def for_run(self, run: Run) -> CallTool:
        """What calls a tool for this run. The same call twice in one skill is made once."""
        known: dict[str, StepResult] = {}

        async def call(name: str, arguments: JsonObject) -> StepResult:
            key = canonical([name, arguments])
            if key not in known:
                known[key] = await self._call(run, name, arguments)
            return known[key]

        return call

    async def _call(self, run: Run, name: str, arguments: JsonObject) -> StepResult:
        tool = await self._finder.named(run, name)
        if tool.status not in _PROVED:
            raise Refused(f"{name} is {tool.status}: a skill's steps use only what is proved")
        if mismatch := tool.version.spec.takes.mismatch(arguments):
            raise BadRequest(f"{name}: {mismatch}")
        action = Action.of(tool, arguments, preview=tool.version.spec.description)
        allowed = await self._permissions.request_permission(run, action)
        if not allowed.given:
            raise Refused(f"{name} was not run: {allowed.reason}")
        executed = await self._calls.call(run, tool, arguments)
        if executed.failure is not None:
            return StepResult(error=executed.error or str(executed.failure))
        return StepResult(executed.value, "", executed.artifacts)
