"""Inputs by parameter name: those of a tool's cases, others made from them, and those that a spec
promises to accept, made from its JSON Schema."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hammerstone.core import wire
from hammerstone.core.json_types import Json, is_list, is_mapping
from hammerstone.core.tools import Case, Parameters, Spec
from hammerstone.judging.equality import decoded
from hammerstone.judging.inputs import LiteralArguments, read_call, vary

Arguments = dict[str, Json]
"""Arguments by parameter name, in wire form."""

_PROMISED = 6  # inputs to begin with where none is known


def arguments_of(case: Case, spec: Spec) -> Arguments | None:
    """A case's arguments by name; None where they are not plain values of these parameters."""
    names = spec.takes.names
    call = case.call
    if call.source is None:
        given = dict(zip(names, call.args, strict=False))
        return None if len(call.args) > len(names) else {**given, **call.kwargs}
    known = read_call(call.source, spec.name)
    if known is None or len(known.args) > len(names):
        return None
    by_name = dict(zip(names, known.args, strict=False))
    for name, value in known.kwargs:
        if name not in names or name in by_name:
            return None
        by_name[name] = value
    return _encoded(by_name)


def variations(known: Sequence[Arguments], spec: Spec, limit: int) -> list[Arguments]:
    """Up to `limit` inputs made from known ones, or from the schema where nothing is known.

    Negative numbers are among them: two tools that differ only there are two tools.
    """
    takes = spec.takes
    choices = {
        name: values
        for name, schema in takes.schemas.items()
        if isinstance(values := schema.get("enum"), list)
    }
    start = [_known(given, takes.names) for given in known if given]
    start = start or promised_inputs(takes, _PROMISED)
    made = vary(start, limit, choices=choices, signed=True)
    encoded = [_encoded(dict(one.kwargs)) for one in made]
    return [given for given in encoded if given is not None]


def _known(given: Arguments, names: Sequence[str]) -> LiteralArguments:
    ordered = sorted(given, key=lambda name: names.index(name) if name in names else len(names))
    return LiteralArguments((), tuple((name, decoded(given[name])) for name in ordered))


def _encoded(values: dict[str, object]) -> Arguments | None:
    try:
        return {name: wire.encode(value) for name, value in values.items()}
    except wire.WireError:
        return None


_WORDS = ("", "a", "Hello", "hello world", "A1 b2", "ünï", "x" * 40)
_MAX_DEPTH = 3


def promised_inputs(parameters: Parameters, limit: int) -> list[LiteralArguments]:
    """Up to `limit` inputs that the parameters' schema accepts: plain ones and boundaries.

    Empty where a required parameter has a schema that values cannot be made up for.
    """
    names = parameters.required_or_all
    if not names or any(name not in parameters.schemas for name in names):
        return []
    rng = random.Random(0)
    made: dict[str, LiteralArguments] = {}
    for _ in range(limit * 4):
        values = [(name, _made(parameters.schema_of(name), rng, 0)) for name in names]
        if any(value is _NOTHING for _, value in values):
            return []
        one = LiteralArguments((), tuple(values))
        made.setdefault(one.written, one)
        if len(made) >= limit:
            break
    return list(made.values())


class _Nothing:
    """Stands for a value that cannot be made up."""


_NOTHING = _Nothing()


def _made(schema: Mapping[str, Any], rng: random.Random, depth: int) -> Any:
    choices = schema.get("enum")
    if is_list(choices) and choices:
        return rng.choice(choices)
    kind: Any = schema.get("type")
    if is_list(kind):
        kind = rng.choice(kind)
    if kind == "integer":
        low, high = _bounds(schema, -20, 100)
        return rng.choice([int(low), int(high), rng.randint(int(low), int(high)), _zero(low, high)])
    if kind == "number":
        low, high = _bounds(schema, -20.0, 100.0)
        return rng.choice([float(low), float(high), round(rng.uniform(low, high), 2)])
    if kind == "string":
        return rng.choice(_WORDS)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    if kind == "array" and depth < _MAX_DEPTH:
        return _array(schema, rng, depth)
    if kind == "object" and schema.get("properties") and depth < _MAX_DEPTH:
        fields = _mapping(schema["properties"])
        values = {name: _made(_mapping(one), rng, depth + 1) for name, one in fields.items()}
        return _NOTHING if any(v is _NOTHING for v in values.values()) else values
    return _NOTHING


def _array(schema: Mapping[str, Any], rng: random.Random, depth: int) -> Any:
    items = _mapping(schema.get("items"))
    least = int(schema.get("minItems", 0))
    length = max(least, rng.choice([0, 1, 2, 3, 6]))
    values = [_made(items, rng, depth + 1) for _ in range(length)]
    if any(value is _NOTHING for value in values):
        return _NOTHING
    return rng.choice([values, values[:1] * length]) if values else values


def _bounds(schema: Mapping[str, Any], low: float, high: float) -> tuple[float, float]:
    """The declared limits, with room made on the other side where only one is given."""
    low_end = schema.get("minimum", schema.get("exclusiveMinimum"))
    high_end = schema.get("maximum", schema.get("exclusiveMaximum"))
    step = 1 if schema.get("type") == "integer" else 0.01
    lowest = low if low_end is None else low_end + (step if "minimum" not in schema else 0)
    highest = high if high_end is None else high_end - (step if "maximum" not in schema else 0)
    if lowest > highest:
        return (lowest, lowest + 100) if high_end is None else (highest - 100, highest)
    return lowest, highest


def _zero(low: float, high: float) -> int:
    return 0 if low <= 0 <= high else int(low)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if is_mapping(value) else {}
