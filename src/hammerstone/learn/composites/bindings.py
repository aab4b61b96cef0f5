"""Where each argument of a chain comes from, learned from its recorded instances.

For every argument the question is which explanation holds in all recorded instances: a part of
an earlier result, a constant, or a value the person gave. What the runs themselves declared
counts first, and is checked against the values. Without a declaration an earlier result is
believed only if it is the one explanation left and the values varied; if two different parts
explain everything the chain is ambiguous, and nothing is built from it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hammerstone.core import wire
from hammerstone.core.dataflow import (
    Constant,
    DeclaredSource,
    FromRequest,
    FromStep,
    KeyPath,
    MissingPart,
    Source,
    needed_steps,
    value_at,
)
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject, is_dict, is_list, is_sequence
from hammerstone.learn.mining.sequences import read_place
from hammerstone.library.workflows import WorkflowStep
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


MAX_DEPTH = 4
MAX_PATHS = 2000
DISTINCT = 2  # different values that make an equality more than luck


@dataclass(frozen=True, slots=True)
class Bindings:
    """The steps with their sources, or why there are none."""

    steps: tuple[WorkflowStep, ...] = ()
    defaults: tuple[tuple[str, Json], ...] = ()  # request arguments that never varied
    problem: str = ""


def learn(instances: Sequence[Instance], *, defaults: bool = True) -> Bindings:
    """The bindings that explain all instances; without `defaults` none holds a value itself."""
    if len(instances) < 2:
        return Bindings(problem="seen too rarely to know which values change")
    tools = [step.tool for step in instances[0].steps]
    names = [_argument_names(instances, n) for n in range(len(tools))]
    if any(each is None for each in names):
        return Bindings(problem="the same tool was called with different arguments")
    given: dict[tuple[int, str], list[Json]] = {}
    sources: list[dict[str, Source[int]]] = [{} for _ in tools]
    for number in range(len(tools)):
        for name in names[number] or ():
            found = _source(instances, number, name)
            if isinstance(found, str):
                return Bindings(problem=found)
            if found is None or (isinstance(found, Constant) and not defaults):
                values = [instance.steps[number].arguments[name] for instance in instances]
                given[number, name] = values
            else:
                sources[number][name] = found
    named = _name_given(given, sources)
    fixed = named if defaults else {}
    if not any(needed_steps(each.values()) for each in sources[1:]):
        return Bindings(problem="no step uses the result of another step")
    steps = tuple(
        WorkflowStep(
            tool, {name: sources[n][name] for name in names[n] or ()}, _version(instances, n)
        )
        for n, tool in enumerate(tools)
    )
    unused = _unused(steps)
    if unused is not None:
        return Bindings(problem=f"nothing uses what {tools[unused]} gave")
    return Bindings(steps, tuple(fixed.items()))


def _argument_names(instances: Sequence[Instance], number: int) -> list[str] | None:
    """The arguments of a step, when every instance named the same ones."""
    kinds = {tuple(sorted(instance.steps[number].arguments)) for instance in instances}
    return list(instances[0].steps[number].arguments) if len(kinds) == 1 else None


def _version(instances: Sequence[Instance], number: int) -> str:
    versions = Counter(instance.steps[number].version_id for instance in instances)
    return versions.most_common(1)[0][0]


def _source(instances: Sequence[Instance], number: int, name: str) -> Source[int] | str | None:
    """The one source of an argument; None for the person's; a text when it is not clear."""
    calls = [instance.steps[number] for instance in instances]
    declared = [call.declared.get(name) for call in calls]
    pointed = [each for each in declared if isinstance(each, FromStep)]
    values = {canonical(call.arguments[name]) for call in calls}
    if len(pointed) == len(calls):
        for way in pointed:
            if _holds(instances, number, name, way):
                return way
        # Items of a list move: the same step, another index. Look for a rule by value.
        if len(set(pointed)) > 1:
            found = _by_value(instances, number, name)
            return found if isinstance(found, FromStep) else f"{name} comes from changing places"
        return f"what {name} was said to come from is not what it was"
    if all(isinstance(each, Constant) for each in declared) and len(values) == 1:
        return Constant(calls[0].arguments[name])
    if pointed:
        found = _by_value(instances, number, name)
        return found if isinstance(found, FromStep) else f"{name} sometimes comes from a step"
    if all(isinstance(each, FromRequest) for each in declared):
        return None
    return _by_value(instances, number, name) if number else None


def _by_value(instances: Sequence[Instance], number: int, name: str) -> FromStep[int] | str | None:
    """The part of an earlier result that equals the argument every time."""
    values = [instance.steps[number].arguments[name] for instance in instances]
    if len({canonical(value) for value in values}) < DISTINCT:
        return None
    first = instances[0]
    wanted = canonical(values[0])
    found: list[FromStep[int]] = []
    for step in range(number):
        for path, value in _paths(plain(first.steps[step].result)):
            source = FromStep(step, path)
            if canonical(value) == wanted and _holds(instances, number, name, source):
                found.append(source)
    if not found:
        return None
    # The same value handed on by several steps: the nearest one gave it. Two places inside one
    # result that were always equal cannot be told apart.
    nearest = max(source.step for source in found)
    there = [source for source in found if source.step == nearest]
    if len(there) > 1:
        return f"{name} may come from {len(there)} places in a result"
    return there[0]


def _paths(value: Any, depth: int = 0) -> Iterator[tuple[KeyPath, Any]]:
    """Every part of a value with the way to it; lists also from their end."""
    yield (), value
    if depth >= MAX_DEPTH:
        return
    if is_dict(value):
        for key, item in list(value.items())[:MAX_PATHS]:
            for path, part in _paths(item, depth + 1):
                yield (str(key), *path), part
    elif is_list(value):
        places = list(range(min(len(value), 20)))
        places += [-1] if value else []
        for place in places:
            for path, part in _paths(value[place], depth + 1):
                yield (place, *path), part


def _holds(instances: Sequence[Instance], number: int, name: str, source: FromStep[int]) -> bool:
    """Whether the source gave the argument in every instance."""
    if not 0 <= source.step < number:
        return False
    for instance in instances:
        try:
            value = value_at(plain(instance.steps[source.step].result), source.path)
        except MissingPart:
            return False
        if canonical(value) != canonical(instance.steps[number].arguments[name]):
            return False
    return True


def plain(result: Json) -> Any:
    """A recorded result as the next call gets it: tuples as lists, and no other odd types."""
    try:
        value = wire.decode(result)
    except wire.WireError:
        return result
    return _plain(value)


def _plain(value: Any) -> Any:
    if is_sequence(value):
        return [_plain(item) for item in value]
    if is_dict(value):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _name_given(
    given: dict[tuple[int, str], list[Json]], sources: list[dict[str, Source[int]]]
) -> dict[str, Json]:
    """Name what the person gives; what was always the same value twice is one parameter."""
    named: dict[str, list[str]] = {}
    defaults: dict[str, Json] = {}
    for (number, name), values in given.items():
        texts = [canonical(value) for value in values]
        varied = len(set(texts)) >= DISTINCT
        parameter = next((p for p, known in named.items() if varied and known == texts), "")
        if not parameter:
            parameter = name
            count = 2
            while parameter in named:
                parameter = f"{name}_{count}"
                count += 1
            named[parameter] = texts
            if not varied:
                defaults[parameter] = values[0]
        sources[number][name] = FromRequest(parameter)
    return defaults


def _unused(steps: Sequence[WorkflowStep]) -> int | None:
    """A step before the last whose result nothing uses: then it is no chain."""
    used = set[int]().union(*(step.needs for step in steps))
    return next((n for n in range(len(steps) - 1) if n not in used), None)


def arguments_of(steps: Sequence[WorkflowStep], instance: Instance) -> dict[str, Json]:
    """What a person would have given the composite in a recorded instance."""
    found: dict[str, Json] = {}
    for step, call in zip(steps, instance.steps, strict=True):
        for name, source in step.arguments.items():
            if isinstance(source, FromRequest):
                found.setdefault(source.name, call.arguments[name])
    return found
