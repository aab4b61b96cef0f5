"""Inputs made from a JSON Schema: what a spec promises to accept."""

import random
from collections.abc import Mapping
from typing import Any

from hammerstone.core.json_types import is_list, is_mapping
from hammerstone.core.tools import Parameters
from hammerstone.judging.inputs import LiteralArguments

_WORDS = ("", "a", "Hello", "hello world", "A1 b2", "ünï", "x" * 40)
_MAX_DEPTH = 3


def promised_inputs(parameters: Parameters, limit: int, seed: int = 0) -> list[LiteralArguments]:
    """Up to `limit` inputs that the parameters' schema accepts: plain ones and boundaries.

    Empty where a required parameter has a schema that values cannot be made up for.
    """
    names = parameters.required_or_all
    if not names or any(name not in parameters.schemas for name in names):
        return []
    rng = random.Random(seed)
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
