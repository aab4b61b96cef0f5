"""A tool of the library called for a request: permitted, checked, recovered where it fails."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hammerstone.core.answers import ArgumentOrigin, EventKind
from hammerstone.core.calls import FailureKind
from hammerstone.core.dataflow import FROM_WORDS
from hammerstone.core.json_types import Json
from hammerstone.core.repair import FailedCall
from hammerstone.core.seams import Repairer
from hammerstone.core.tools import Tool
from hammerstone.guard.journal import paid_once
from hammerstone.guard.maturity import Action
from hammerstone.judging.rendering import plain
from hammerstone.library.policies import Policies
from hammerstone.run.act.approval import PermissionRequests
from hammerstone.run.act.execute import CallExecution, ToolCalls
from hammerstone.run.act.recover import Remedy, kind_of_failure, remedies
from hammerstone.run.act.results import ResultKeeper, opinion_of_cases, problem_with
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.bind.binding import ArgumentSources, Binder, BoundArguments
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Finder
from hammerstone.run.plan_policy import PlanPolicy


@dataclass(frozen=True, slots=True)
class _FailedStep:
    tool: Tool
    bound: BoundArguments
    executed: CallExecution
    error: str
    kind: FailureKind


class Remedies:
    """The remedies for a call that failed."""

    def __init__(self, finder: Finder, binder: Binder, repairer: Repairer) -> None:
        self._finder = finder
        self._binder = binder
        self._repairer = repairer

    async def other_call(
        self, run: Run, remedy: Remedy, failed: _FailedStep, given: ArgumentSources, tried: set[str]
    ) -> tuple[Tool, BoundArguments] | None:
        """The call to make instead, or None when this remedy has none."""
        tool, bound = failed.tool, failed.bound
        anew = replace(given, known={})
        other: Tool | None = None
        if remedy is Remedy.RETRY:
            await _tell(run, failed, remedy)
            return tool, bound
        if remedy is Remedy.EXTRACT_AGAIN:
            if bound.certain:
                return None  # nothing was guessed: reading it again gives the same
            await _tell(run, failed, remedy)
            hint = f"(Tried: {bound.values}. It said: {failed.error})"
            new = await self._binder.bind(run.about(f"{run.words}\n{hint}"), tool, anew)
            return None if new.values == bound.values else (tool, new)
        if remedy is Remedy.ANOTHER_TOOL:
            found = await self._finder.look(run, given.step.text, without=frozenset(tried))
            other = found.tool if found.certain else None
            if other is not None and other.version.spec.constants:
                other = None  # its rule may be another one
        elif remedy is Remedy.REPAIR:
            other = await self._mended(run, failed)
        if other is None or other.version.id == tool.version.id:
            return None
        await _tell(run, failed, remedy)
        return other, await self._binder.bind(run, other, anew)

    async def _mended(self, run: Run, failed: _FailedStep) -> Tool | None:
        await _tell(run, failed, Remedy.REPAIR)
        request = run.request
        call = FailedCall(
            tool=failed.tool,
            arguments=failed.bound.values,
            failure=failed.executed.failure,
            error=failed.error,
            request=request.text,
            session_id=request.session_id,
            user=request.user,
            run_id=run.id,
        )
        await run.ready()  # mending asks models, and changes the library
        with paid_once(run.ledger.hold.journal if run.ledger.hold is not None else None):
            return await self._repairer.mend(call, run.budget)


class ToolReuse:
    """The use of a tool of the library for a step."""

    def __init__(
        self,
        policies: Policies,
        permissions: PermissionRequests,
        calls: ToolCalls,
        keeper: ResultKeeper,
        remedies: Remedies,
    ) -> None:
        self._policies = policies
        self._permissions = permissions
        self._calls = calls
        self._keeper = keeper
        self._remedies = remedies

    async def call_tool(
        self,
        run: Run,
        tool: Tool,
        bound: BoundArguments,
        given: ArgumentSources,
        *,
        closed: bool = False,
    ) -> StepOutcome:
        """The outcome of calling a tool: failures are met with the remedies in their order, as
        often as the policy allows.

        `closed`: the person named the tool and its arguments, so nothing else is tried.
        """
        queue: list[Remedy] | None = None
        left = 0
        tried = {tool.name}
        while True:
            if bound.question is not None or bound.problem:
                return StepOutcome(False, tool, error=bound.problem, question=bound.question)
            action = Action.of(tool, bound.values, preview=tool.version.spec.description)
            allowed = await self._permissions.request_permission(run, action)
            if not allowed.given:
                error = f"{tool.name} was not run: {allowed.reason}"
                return StepOutcome(False, tool, bound.values, error=error, refused=True)
            executed = await self._calls.call(run, tool, bound.values, bound.sources)
            problem = None if executed.failure else problem_with(tool.version.spec, executed.value)
            if executed.failure is None and problem is None:
                return self.kept_outcome(run, tool, bound, executed, given.step.text)
            kind = problem.kind if problem else kind_of_failure(executed)
            error = executed.error or (problem.text if problem else "")
            if queue is None:
                left = self._attempts_left(run)
            if queue is None or kind is FailureKind.TRANSIENT:
                queue = list(remedies(kind, tight=run.budget.tight))
                if closed:
                    queue = [remedy for remedy in queue if remedy is Remedy.RETRY]
            failed = _FailedStep(tool, bound, executed, error, kind)
            found = None
            while queue and left > 0 and found is None:
                left -= 1
                found = await self._remedies.other_call(run, queue.pop(0), failed, given, tried)
            if found is None:
                error = f"{tool.name}: {error}"
                return StepOutcome(False, tool, bound.values, executed, error=error)
            tool, bound = found
            tried.add(tool.name)

    def _attempts_left(self, run: Run) -> int:
        """How often a call that failed may be made in another way."""
        attempts = self._policies.get(PlanPolicy).recovery_attempts
        return min(attempts, self._permissions.rounds_of(run) - 1)

    def kept_outcome(
        self, run: Run, tool: Tool, bound: BoundArguments, executed: CallExecution, about: str
    ) -> StepOutcome:
        """The outcome of a call that went well; its value and files are kept for the session."""
        self._keeper.keep(run, tool, executed, about)
        opinion = opinion_of_cases(tool, bound.values, executed.value)
        return StepOutcome(
            True,
            tool,
            bound.values,
            executed,
            plain(executed.value),
            doubt=opinion.doubt,
            confirmed=opinion.confirmation,
            value=run.ledger.values[-1],
            certain_arguments=bound.certain,
            origins=bound.origins,
        )


async def _tell(run: Run, failed: _FailedStep, remedy: Remedy) -> None:
    await run.say(
        EventKind.REPAIRING,
        f"{failed.tool.name} failed ({failed.kind}): {remedy}",
        tool=failed.tool.name,
        trouble=str(failed.kind),
        remedy=str(remedy),
        error=failed.error[:300],
    )


def named_values(known: Mapping[str, Json]) -> BoundArguments:
    """Arguments that the person gave by name."""
    stated = dict.fromkeys(known, ArgumentOrigin.STATED)
    return BoundArguments(
        dict(known), dict.fromkeys(known, FROM_WORDS), certain=True, origins=stated
    )
