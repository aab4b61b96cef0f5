"""Recorded chains with their values: what bindings are learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.dataflow import DeclaredSource, FromStep, Source
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.mining.sequences import read_place
from hammerstone.storage import Database, Execution
from hammerstone.storage.stores.library.patterns import PatternRow


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One recorded step: arguments, result, and where each argument was said to come from.

    A declared step is its place in the chain; what came from elsewhere is not declared.
    """

    tool: str
    version_id: str
    arguments: JsonObject
    result: Json
    declared: Mapping[str, Source[int]]
    seconds: float


@dataclass(frozen=True, slots=True)
class Instance:
    """One time that the whole chain ran and went well."""

    session_id: str
    run_id: str
    steps: tuple[RecordedCall, ...]
    user: str = ""


async def load(db: Database, pattern: PatternRow, limit: int) -> list[Instance]:
    """Recorded instances of a pattern, spread over its sessions."""
    sessions = await db.patterns.sessions_of(pattern.id)
    places = [(session, place) for session, own in sessions.items() for place in own][:limit]
    runs = sorted({run for _, place in places for run, _ in read_place(place)})
    executions = await db.patterns.executed(runs)
    found: list[Instance] = []
    for session, place in places:
        wanted = read_place(place)
        steps = [executions[key] for key in wanted if key in executions]
        if len(steps) < len(wanted) or not all(step.ok for step in steps):
            continue  # evidence that has been thrown away since
        found.append(instance_of(session, steps))
    rows = [await db.runs.find(one.run_id) for one in found]
    whose = [row.user if row is not None else "" for row in rows]
    return [replace(one, user=user) for one, user in zip(found, whose, strict=True)]


def instance_of(session: str, executions: Sequence[Execution]) -> Instance:
    place = {(each.run_id, each.number): n for n, each in enumerate(executions)}
    steps = tuple(_call(each, place) for each in executions)
    return Instance(session, executions[-1].run_id, steps)


def _call(execution: Execution, place: Mapping[tuple[str, int], int]) -> RecordedCall:
    arguments = execution.arguments if isinstance(execution.arguments, dict) else {}
    declared: dict[str, Source[int]] = {}
    for name, document in execution.sources.items():
        said = DeclaredSource.from_json(document, arguments.get(name))
        if said is None:
            continue
        source = said.source
        if isinstance(source, FromStep):
            step = place.get((said.run or execution.run_id, source.step))
            if step is None:
                continue
            source = FromStep(step, source.path)
        declared[name] = source
    return RecordedCall(
        tool=execution.tool,
        version_id=execution.version_id,
        arguments=arguments,
        result=execution.result,
        declared=declared,
        seconds=execution.seconds,
    )
