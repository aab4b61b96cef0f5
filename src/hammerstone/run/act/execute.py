"""A tool of the library called: permitted, from the cache or in the sandbox, recorded either way,
checked, and recovered where it fails."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from hammerstone.core import wire
from hammerstone.core.answers import ArgumentOrigin, EventKind
from hammerstone.core.calls import (
    HEAVY,
    STANDARD,
    Call,
    Failure,
    FailureKind,
    Outcome,
    Program,
)
from hammerstone.core.dataflow import FROM_WORDS, DeclaredSource
from hammerstone.core.hashing import call_key
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Effect, Tool
from hammerstone.guard.maturity import Action
from hammerstone.judging.rendering import plain
from hammerstone.library.policies import Policies
from hammerstone.run.act.approval import PermissionRequests
from hammerstone.run.act.recover import FailedStep, Remedies, Remedy, kind_of_failure, remedies
from hammerstone.run.act.results import ResultKeeper, opinion_of_cases, problem_with
from hammerstone.run.act.step_outcome import CallExecution, StepOutcome
from hammerstone.run.bind.binding import ArgumentSources, BoundArguments
from hammerstone.run.context import Run, SuccessfulCall
from hammerstone.run.plan_policy import PlanPolicy
from hammerstone.run.services import Records, Workshop
from hammerstone.storage import Execution
from hammerstone.tracing import genai

_SAID = FROM_WORDS.to_json()


class ToolCalls:
    """Calls of the library's tools, each recorded with where its arguments came from."""

    def __init__(self, workshop: Workshop, records: Records) -> None:
        self._cache = workshop.calls
        self._sandbox = workshop.sandbox
        self._records = records

    async def settle(self) -> None:
        """Wait until every result that may be kept is kept."""
        await self._cache.settle()

    async def call(
        self,
        run: Run,
        tool: Tool,
        arguments: JsonObject,
        sources: Mapping[str, DeclaredSource] | None = None,
    ) -> CallExecution:
        """Call a tool of the library. `sources` says where each argument came from.

        Raises `Refused` when the call goes round in circles, `BudgetExceeded` beyond the steps.
        """
        records = self._records
        run.ledger.loops.check(tool.name, arguments)
        run.budget.step()
        number = run.ledger.next_call()
        if tool.version.spec.effect is not Effect.PURE:
            await run.ready()
        began_s = records.clock.elapsed_s()
        with genai.tool_span(tool.name, arguments, version=tool.version.id) as traced:
            executed = await self._once(run, tool, arguments, number)
            traced.set(genai.CACHE_HIT, executed.cached)
            traced.output = executed.value
            if executed.failure is not None:
                timeout = executed.failure is Failure.TIMEOUT
                traced.fail(executed.error, type=executed.error_type, timeout=timeout)
        run.ledger.loops.record(tool.name, arguments, executed.error or executed.value)
        if executed.failure is None and tool.version.spec.effect is Effect.WRITES:
            run.ledger.wrote.append(f"{tool.name} ({_brief(arguments)})")
        if executed.failure is None:
            made = SuccessfulCall(tool.name, tool.version.id, arguments, executed.value)
            run.ledger.made.append(made)
        seconds = records.clock.elapsed_s() - began_s
        sources = sources or dict.fromkeys(arguments, FROM_WORDS)
        execution = self._record(run, tool, arguments, executed, sources, seconds)
        if run.ledger.together:
            run.ledger.executions.append(execution)
        else:
            await run.ready()
            await records.db.executions.add(scrubbed(records, execution))
        run.ledger.used.append((tool, executed.failure is None))
        return executed

    async def record_again(self, run: Run, made: SuccessfulCall) -> None:
        """Record a call that an earlier answer made and this one repeats."""
        number = run.ledger.next_call()
        await self._records.db.executions.add(
            Execution(
                id=_id(run, number),
                run_id=run.id,
                session_id=run.request.session_id,
                number=number,
                tool=made.tool,
                version_id=made.version_id,
                arguments=made.arguments,
                result=made.value,
                ok=True,
                at=self._records.clock.now(),
                cached=True,
                sources=dict.fromkeys(made.arguments, _SAID),
            )
        )

    async def _once(
        self, run: Run, tool: Tool, arguments: JsonObject, number: int
    ) -> CallExecution:
        """The call; one with effects is not made again when its run is taken up again."""
        hold = run.ledger.hold
        if tool.version.spec.effect is Effect.PURE or hold is None:
            return await self._called(run, tool, arguments, number)
        place = hold.journal.begin(f"call {call_key(tool.version.id, arguments)}")
        if (known := hold.journal.find(place)) is not None:
            known["failure"] = Failure(known["failure"]) if known["failure"] else None
            return CallExecution(**known, number=number)
        made = await self._called(run, tool, arguments, number)
        if not made.artifacts:  # files are made again, which costs nothing
            told: JsonObject = {"value": made.value, "error": made.error}
            how: JsonObject = {
                "error_type": made.error_type,
                "failure": str(made.failure) if made.failure is not None else None,
                "cached": made.cached,
                "backend": made.backend,
            }
            await hold.journal.keep(place, told | how, told)
        return made

    async def _called(
        self, run: Run, tool: Tool, arguments: JsonObject, number: int
    ) -> CallExecution:
        async def compute() -> Outcome:
            await run.say(
                EventKind.EXECUTING, f"running {tool.name} in the sandbox", tool=tool.name
            )
            return await self._in_sandbox(run, tool, arguments)

        called = await self._cache.through(
            tool.version,
            arguments,
            compute,
            storable=self._records.storable,
            files=run.named_files or None,
        )
        if called.cached:
            await run.say(
                EventKind.CACHE_HIT,
                f"{tool.name} has done this before: same result",
                tool=tool.name,
            )
        outcome = called.outcome
        return CallExecution(
            value=outcome.value,
            failure=outcome.failure,
            error=outcome.error_line,
            cached=called.cached,
            number=number,
            error_type=outcome.error_type,
            artifacts=outcome.artifacts,
            backend=outcome.backend,
        )

    async def _in_sandbox(self, run: Run, tool: Tool, arguments: JsonObject) -> Outcome:
        sandbox = await self._sandbox()
        version = tool.version
        return await sandbox.call(
            Program(version.code, version.spec.name),
            Call(kwargs={name: wire.encode(value) for name, value in arguments.items()}),
            limits=HEAVY if version.spec.limits == "heavy" else STANDARD,
            files=run.named_files or None,
        )

    def _record(
        self,
        run: Run,
        tool: Tool,
        arguments: JsonObject,
        executed: CallExecution,
        sources: Mapping[str, DeclaredSource],
        seconds: float,
    ) -> Execution:
        return Execution(
            id=_id(run, executed.number),
            run_id=run.id,
            session_id=run.request.session_id,
            number=executed.number,
            tool=tool.name,
            version_id=tool.version.id,
            arguments=arguments,
            result=executed.value,
            ok=executed.failure is None,
            at=self._records.clock.now(),
            failure=executed.failure,
            error=executed.error,
            seconds=seconds,
            cached=executed.cached,
            sources={
                name: _SAID if source is FROM_WORDS else source.to_json()
                for name, source in sources.items()
            },
        )


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
            failed = FailedStep(tool, bound, executed, error, kind)
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


def named_values(known: Mapping[str, Json]) -> BoundArguments:
    """Arguments that the person gave by name."""
    stated = dict.fromkeys(known, ArgumentOrigin.STATED)
    return BoundArguments(
        dict(known), dict.fromkeys(known, FROM_WORDS), certain=True, origins=stated
    )


def scrubbed(records: Records, execution: Execution) -> Execution:
    """A call as it may be stored."""
    return replace(
        execution,
        arguments=records.scrub(execution.arguments),
        result=records.scrub(execution.result),
        error=records.clean_text(execution.error),
    )


def _brief(arguments: JsonObject) -> str:
    return ", ".join(f"{name}={str(value)[:40]}" for name, value in arguments.items())[:200]


def _id(run: Run, number: int) -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{run.id}/{number}").hex
