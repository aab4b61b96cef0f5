"""One call of a tool: from the cache or in the sandbox, recorded either way."""

import uuid
from dataclasses import dataclass

from hammerstone.core import wire
from hammerstone.core.answers import EventKind
from hammerstone.core.calls import HEAVY, STANDARD, Call, Failure, Outcome, Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Tool
from hammerstone.run.context import Run
from hammerstone.storage import Execution
from hammerstone.tracing import span


@dataclass(frozen=True, slots=True)
class Executed:
    """A call's value in wire form, or why there is none."""

    value: Json
    failure: Failure | None = None
    error: str = ""
    cached: bool = False


async def execute(run: Run, tool: Tool, arguments: JsonObject) -> Executed:
    """Call a tool of the library."""
    parts = run.parts
    run.budget.step()
    began_s = parts.clock.elapsed_s()
    with span(f"execute_tool {tool.name}", kind="tool", input=arguments) as traced:
        traced.set("gen_ai.tool.name", tool.name)
        traced.set("hammerstone.tool.version", tool.version.id)
        hit = await parts.calls.find(tool.version, arguments)
        if hit is not None:
            await run.say(EventKind.CACHE_HIT, f"{tool.name}: known result", tool=tool.name)
            executed = Executed(hit["value"], cached=True)
        else:
            await run.say(
                EventKind.EXECUTING, f"running {tool.name} in the sandbox", tool=tool.name
            )
            outcome = await _in_sandbox(run, tool, arguments)
            executed = Executed(outcome.value, outcome.failure, _error(outcome))
            if outcome.ok and parts.storable([arguments, outcome.value]):
                await parts.calls.keep(tool.version, arguments, outcome.value)
        traced.set("hammerstone.cached", executed.cached)
        traced.output = executed.value
        if executed.failure is not None:
            traced.fail(executed.error, timeout=executed.failure is Failure.TIMEOUT)
    await _record(run, tool, arguments, executed, parts.clock.elapsed_s() - began_s)
    return executed


async def _in_sandbox(run: Run, tool: Tool, arguments: JsonObject) -> Outcome:
    sandbox = await run.parts.sandbox()
    version = tool.version
    return await sandbox.call(
        Program(version.code, version.spec.name),
        Call(kwargs={name: wire.encode(value) for name, value in arguments.items()}),
        limits=HEAVY if version.spec.limits == "heavy" else STANDARD,
        files=run.request.named_files or None,
    )


def _error(outcome: Outcome) -> str:
    if outcome.ok:
        return ""
    text = f"{outcome.error_type}: {outcome.error}" if outcome.error_type else outcome.error
    return text.strip(": ") or str(outcome.failure)


async def _record(
    run: Run, tool: Tool, arguments: JsonObject, executed: Executed, seconds: float
) -> None:
    run.executions += 1
    await run.parts.db.executions.add(
        Execution(
            id=uuid.uuid5(uuid.NAMESPACE_OID, f"{run.id}/{run.executions}").hex,
            run_id=run.id,
            session_id=run.request.session_id,
            number=run.executions,
            tool=tool.name,
            version_id=tool.version.id,
            arguments=run.parts.scrub(arguments),
            result=run.parts.scrub(executed.value),
            ok=executed.failure is None,
            at=run.parts.clock.now(),
            failure=executed.failure,
            error=run.parts.clean_text(executed.error),
            seconds=seconds,
            cached=executed.cached,
            sources=dict.fromkeys(arguments, "request"),
        )
    )
