"""One call of a tool: from the cache or in the sandbox, recorded either way."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hammerstone.core import wire
from hammerstone.core.answers import EventKind
from hammerstone.core.calls import HEAVY, STANDARD, Artifact, Call, Failure, Outcome, Program
from hammerstone.core.dataflow import FROM_WORDS, DeclaredSource
from hammerstone.core.hashing import call_key
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Effect, Tool
from hammerstone.run.context import Run, SuccessfulCall
from hammerstone.run.services import Records, Workshop
from hammerstone.storage import Execution
from hammerstone.tracing import genai

_SAID = FROM_WORDS.to_json()


@dataclass(frozen=True, slots=True)
class CallExecution:
    """A call's value in wire form, or why there is none. `number` is its place in the run."""

    value: Json
    failure: Failure | None = None
    error: str = ""
    cached: bool = False
    number: int = 0
    error_type: str = ""
    artifacts: tuple[Artifact, ...] = ()
    backend: str = ""


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
