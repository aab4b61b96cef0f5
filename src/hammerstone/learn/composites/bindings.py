"""Where each argument of a chain comes from, learned from what was observed.

For every argument the question is which explanation holds in all recorded instances: a part of
an earlier result, a constant, or a value the person gave. What the runs themselves declared
counts first, and is checked against the values. Without a declaration an earlier result is
believed only if it is the one explanation left and the values varied; if two different parts
explain everything the chain is ambiguous, and nothing is built from it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hammerstone.core import wire
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json
from hammerstone.learn.composites.instances import Call, Instance
from hammerstone.library.workflows import Source, Step

MAX_DEPTH = 4
MAX_PATHS = 2000
DISTINCT = 2  # different values that make an equality more than luck


@dataclass(frozen=True, slots=True)
class Bindings:
    """The steps with their sources, or why there are none; `explained` is the share of
    instances in which every source gives the argument that was really used."""

    steps: tuple[Step, ...] = ()
    defaults: tuple[tuple[str, Json], ...] = ()  # request arguments that never varied
    explained: float = 0.0
    problem: str = ""


def learn(instances: Sequence[Instance]) -> Bindings:
    """The bindings that explain all instances."""
    if len(instances) < 2:
        return Bindings(problem="seen too rarely to tell what varies")
    tools = [step.tool for step in instances[0].steps]
    names = [_argument_names(instances, n) for n in range(len(tools))]
    if any(each is None for each in names):
        return Bindings(problem="the same tool was called with different arguments")
    given: dict[tuple[int, str], list[Json]] = {}
    sources: list[dict[str, Source]] = [{} for _ in tools]
    for number in range(len(tools)):
        for name in names[number] or ():
            found = _source(instances, number, name)
            if isinstance(found, str):
                return Bindings(problem=found)
            if found is None:
                values = [instance.steps[number].arguments[name] for instance in instances]
                given[number, name] = values
            else:
                sources[number][name] = found
    defaults = _name_given(given, sources)
    if not any(s.kind == "step" for each in sources[1:] for s in each.values()):
        return Bindings(problem="no step uses what another one gave")
    steps = tuple(
        Step(tool, {name: sources[n][name] for name in names[n] or ()}, _version(instances, n))
        for n, tool in enumerate(tools)
    )
    unused = _unused(steps)
    if unused is not None:
        return Bindings(problem=f"nothing uses what {tools[unused]} gave")
    return Bindings(steps, tuple(defaults.items()), 1.0)


def _argument_names(instances: Sequence[Instance], number: int) -> list[str] | None:
    """The arguments of a step, when every instance named the same ones."""
    kinds = {tuple(sorted(instance.steps[number].arguments)) for instance in instances}
    return list(instances[0].steps[number].arguments) if len(kinds) == 1 else None


def _version(instances: Sequence[Instance], number: int) -> str:
    versions = Counter(instance.steps[number].version_id for instance in instances)
    return versions.most_common(1)[0][0]


def _source(instances: Sequence[Instance], number: int, name: str) -> Source | str | None:
    """The one source of an argument; None for the person's; a text when it is not clear."""
    calls = [instance.steps[number] for instance in instances]
    declared = [call.declared.get(name) for call in calls]
    pointed = [each for each in declared if isinstance(each, dict)]
    values = {canonical(call.arguments[name]) for call in calls}
    if len(pointed) == len(calls):
        ways = {canonical(each) for each in pointed}
        for way in (pointed[0], *pointed[1:]):
            step, path = _read(way)
            if _holds(instances, number, name, step, path):
                return Source("step", step=step, path=path)
        # Items of a list move: the same step, another index. Look for a rule by value.
        if len(ways) > 1:
            found = _by_value(instances, number, name)
            return found if isinstance(found, Source) else f"{name} comes from changing places"
        return f"what {name} was said to come from is not what it was"
    if all(each == "constant" for each in declared) and len(values) == 1:
        return Source("constant", value=calls[0].arguments[name])
    if pointed:
        found = _by_value(instances, number, name)
        return found if isinstance(found, Source) else f"{name} sometimes comes from a step"
    if all(each == "request" for each in declared):
        return None
    return _by_value(instances, number, name) if number else None


def _by_value(instances: Sequence[Instance], number: int, name: str) -> Source | str | None:
    """The part of an earlier result that equals the argument every time."""
    values = [instance.steps[number].arguments[name] for instance in instances]
    if len({canonical(value) for value in values}) < DISTINCT:
        return None
    first = instances[0]
    wanted = canonical(values[0])
    found: list[Source] = []
    for step in range(number):
        for path, value in _paths(plain(first.steps[step].result)):
            if canonical(value) == wanted and _holds(instances, number, name, step, path):
                found.append(Source("step", step=step, path=path))
    if not found:
        return None
    # The same value handed on by several steps: the nearest one gave it. Two places inside one
    # result that were always equal cannot be told apart.
    nearest = max(source.step for source in found)
    there = [source for source in found if source.step == nearest]
    if len(there) > 1:
        return f"{name} may come from {len(there)} places in a result"
    return there[0]


def _paths(value: Any, depth: int = 0) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every part of a value with the way to it; lists also from their end."""
    yield (), value
    if depth >= MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, item in list(cast(dict[str, Any], value).items())[:MAX_PATHS]:
            for path, part in _paths(item, depth + 1):
                yield (str(key), *path), part
    elif isinstance(value, list):
        items = cast(list[Any], value)
        places = list(range(min(len(items), 20)))
        places += [-1] if items else []
        for place in places:
            for path, part in _paths(items[place], depth + 1):
                yield (place, *path), part


def _holds(
    instances: Sequence[Instance], number: int, name: str, step: int, path: tuple[str | int, ...]
) -> bool:
    if not 0 <= step < number:
        return False
    for instance in instances:
        try:
            value = at(plain(instance.steps[step].result), path)
        except LookupError:
            return False
        if canonical(value) != canonical(instance.steps[number].arguments[name]):
            return False
    return True


def at(value: Any, path: Sequence[str | int]) -> Any:
    """The part of a value at a path; raises LookupError where there is none."""
    for key in path:
        if isinstance(value, dict) and isinstance(key, str):
            value = cast(dict[str, Any], value)[key]
        elif isinstance(value, list) and isinstance(key, int):
            value = cast(list[Any], value)[key]
        else:
            raise LookupError(f"{key!r} is not in it")
    return value


def plain(result: Json) -> Any:
    """A recorded result as the next call gets it: tuples as lists, and no other odd types."""
    try:
        value = wire.decode(result)
    except wire.WireError:
        return result
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in cast(Sequence[Any], value)]
    if isinstance(value, dict):
        items = cast(dict[Any, Any], value).items()
        return {str(key): _plain(item) for key, item in items}
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _read(declared: dict[str, Json]) -> tuple[int, tuple[str | int, ...]]:
    data = cast(dict[str, Any], declared)
    return int(data["step"]), tuple(data["path"])


def _name_given(
    given: dict[tuple[int, str], list[Json]], sources: list[dict[str, Source]]
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
        sources[number][name] = Source("request", name=parameter)
    return defaults


def _unused(steps: Sequence[Step]) -> int | None:
    """A step before the last whose result nothing uses: then it is no chain."""
    used = {s.step for step in steps for s in step.arguments.values() if s.kind == "step"}
    return next((n for n in range(len(steps) - 1) if n not in used), None)


def arguments_of(steps: Sequence[Step], instance: Instance) -> dict[str, Json]:
    """What a person would have given the composite in a recorded instance."""
    found: dict[str, Json] = {}
    for step, call in zip(steps, instance.steps, strict=True):
        for name, source in step.arguments.items():
            if source.kind == "request":
                found.setdefault(source.name, _of(call, name))
    return found


def _of(call: Call, name: str) -> Json:
    return call.arguments[name]
