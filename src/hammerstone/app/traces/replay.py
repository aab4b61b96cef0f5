"""A trace run again without a model: the same calls, really executed, and where they differ.

What models said is taken from the record: which tools were called, in which order, with which
arguments. Each call is made anew in the sandbox; where an argument came from an earlier step,
the new result of that step is used, so that a difference travels as it would have.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hammerstone.app.traces.trace_steps import outer_calls
from hammerstone.core import wire
from hammerstone.core.calls import HEAVY, STANDARD, Call, Outcome, Program
from hammerstone.core.dataflow import DeclaredSource, FromStep, MissingPart, value_at
from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Effect, Version
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.rendering import plain
from hammerstone.storage import Database, Execution, SpanRow, TraceRow
from hammerstone.tracing.scrub.scrubber import ALL_KINDS

_MARK = re.compile(r"\[(" + "|".join(sorted(map(re.escape, ALL_KINDS))) + r")\]")


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One call as it was and as it is now. `note` says why it was not made, or why it may vary."""

    number: int
    tool: str
    version: int | None
    recorded_version: int | None
    arguments: Json
    recorded: Json
    replayed: Json
    same: bool
    made: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole trace again. `difference` describes the first step that came out otherwise."""

    trace_id: str
    request: str
    steps: tuple[ReplayedStep, ...]
    model_calls: int  # that were answered from the record
    answer: Json
    difference: str = ""

    @property
    def same(self) -> bool:
        return not self.difference

    def to_json(self) -> JsonObject:
        return {
            "trace_id": self.trace_id,
            "request": self.request,
            "same": self.same,
            "difference": self.difference,
            "model_calls_from_record": self.model_calls,
            "answer": self.answer,
            "steps": [asdict(step) for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class Variant:
    """What is changed in a replay: another version of one tool, and files for the calls."""

    tool: str | None = None
    version: int | None = None
    files: Mapping[str, Path] | None = None


class Replayer:
    def __init__(self, db: Database, sandbox: Callable[[], Awaitable[Sandbox]]) -> None:
        self._db = db
        self._sandbox = sandbox

    async def replay(
        self, row: TraceRow, spans: Sequence[SpanRow], variant: Variant | None = None
    ) -> Replay:
        """Make the trace's calls again. Tools that write are not called: once was enough."""
        variant = variant or Variant()
        calls = await self._db.executions.of_run(row.run_id) if row.run_id else []
        variant = await self._checked(calls, variant)
        steps: list[ReplayedStep] = []
        values: dict[int, Json] = {}
        for call in calls:
            step = await self._step(call, variant, values)
            values[call.number] = step.replayed
            steps.append(step)
        return Replay(
            trace_id=row.id,
            request=str(row.metadata.get("request") or ""),
            steps=tuple(steps),
            model_calls=len(outer_calls(spans)),
            answer=plain(steps[-1].replayed) if steps and steps[-1].made else None,
            difference=_first_difference(steps, row),
        )

    async def _checked(self, calls: Sequence[Execution], variant: Variant) -> Variant:
        if variant.version is None:
            return variant
        used = list(dict.fromkeys(call.tool for call in calls))
        tool = variant.tool or (used[0] if len(used) == 1 else None)
        if tool is None or tool not in used:
            raise NotFound(
                f"the trace does not call {variant.tool}"
                if variant.tool
                else "the trace calls several tools"
                if used
                else "the trace calls no tool",
                hint=f"name one with --tool: {', '.join(used)}" if used else "",
            )
        return Variant(tool, variant.version, variant.files)

    async def _step(
        self, call: Execution, variant: Variant, values: Mapping[int, Json]
    ) -> ReplayedStep:
        was = await self._version(call)
        now = was
        if variant.version is not None and call.tool == variant.tool:
            now = await self._numbered(call.tool, variant.version)
        arguments = _rewired(call, values)

        def step(replayed: Json, same: bool, note: str = "", made: bool = True) -> ReplayedStep:
            return ReplayedStep(
                number=call.number,
                tool=call.tool,
                version=now.number if now else None,
                recorded_version=was.number if was else None,
                arguments=arguments,
                recorded=_result(call),
                replayed=replayed,
                same=same,
                made=made,
                note=note,
            )

        problem = _why_not(now, arguments, variant)
        if now is None or problem:
            return step(call.result, True, problem or "this version no longer exists", made=False)
        outcome = await self._call(now, arguments, variant)
        note = (
            "its result depends on the clock or on random numbers"
            if depends_on_the_moment(now.code)
            else ""
        )
        replayed = outcome.value if outcome.ok else _failure(outcome)
        return step(replayed, _alike(call, outcome), note)

    async def _call(self, version: Version, arguments: JsonObject, variant: Variant) -> Outcome:
        sandbox = await self._sandbox()
        return await sandbox.call(
            Program(version.code, version.spec.name),
            Call(kwargs={name: wire.encode(value) for name, value in arguments.items()}),
            limits=HEAVY if version.spec.limits == "heavy" else STANDARD,
            files=variant.files,
        )

    async def _version(self, call: Execution) -> Version | None:
        try:
            return await self._db.tools.get_version(call.version_id)
        except NotFound:
            return None

    async def _numbered(self, tool: str, number: int) -> Version:
        for version in await self._db.tools.versions(tool):
            if version.number == number:
                return version
        raise NotFound(f"{tool} has no version {number}", hint=f"hammerstone tools show {tool}")


def _why_not(version: Version | None, arguments: JsonObject, variant: Variant) -> str:
    """Why a call cannot be made again; empty when it can."""
    if version is None:
        return "this version no longer exists"
    if version.spec.effect is Effect.WRITES:
        return "not called again, because it changes something outside Hammerstone"
    texts = list(_texts(arguments))
    if any(_MARK.search(text) for text in texts):
        return "a private value was removed when it was stored"
    wanted = {t.removeprefix("/files/") for t in texts if t.startswith("/files/")}
    if missing := wanted - set(variant.files or {}):
        return f"it reads {', '.join(sorted(missing))}: give it with --file"
    return ""


def _rewired(call: Execution, values: Mapping[int, Json]) -> JsonObject:
    """The recorded arguments, with new results where they came from earlier steps."""
    arguments = {**call.arguments} if isinstance(call.arguments, dict) else {}
    for name, document in call.sources.items():
        declared = DeclaredSource.from_json(document)
        if declared is None or not declared.of_own_run or name not in arguments:
            continue
        source = declared.source
        if isinstance(source, FromStep) and source.step in values:
            with suppress(MissingPart):
                arguments[name] = value_at(plain(values[source.step]), source.path)
    return arguments


def _alike(call: Execution, outcome: Outcome) -> bool:
    if call.ok != outcome.ok:
        return False
    if not call.ok:
        return str(call.failure) == str(outcome.failure)
    return same(decoded(call.result), decoded(outcome.value))


def _result(call: Execution) -> Json:
    return call.result if call.ok else {"failure": str(call.failure), "error": call.error}


def _failure(outcome: Outcome) -> Json:
    return {"failure": str(outcome.failure), "error": outcome.error_line}


def _first_difference(steps: Sequence[ReplayedStep], row: TraceRow) -> str:
    for step in steps:
        if not step.same:
            other = "" if step.version == step.recorded_version else f" (v{step.version})"
            return (
                f"step {step.number}, {step.tool}{other}: was {_shown(step.recorded)},"
                f" is {_shown(step.replayed)}"
            )
    output: Any = row.final_output
    if not isinstance(output, dict) or not steps or not all(step.made for step in steps):
        return ""
    answer, told = output.get("result"), plain(steps[-1].replayed)
    if output.get("tool") == steps[-1].tool and answer is not None and not same(answer, told):
        return f"the answer: was {_shown(answer)}, is {_shown(told)}"
    return ""


def _shown(value: Json) -> str:
    text = repr(plain(value)) if value is not None else "nothing"
    return text if len(text) <= 200 else text[:199] + "…"


def _texts(value: Json) -> "list[str]":
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return []
