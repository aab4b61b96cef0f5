"""Whether a result has the type that its tool declares: the one place that asks."""

from collections.abc import Sequence
from typing import Any

from hammerstone.core import wire
from hammerstone.core.json_types import Json, JsonObject, is_dict, is_sequence, is_set
from hammerstone.judging.equality import decoded


def type_mismatch(returns: JsonObject, value: Json) -> str:
    """How a value in wire form is not what the schema `returns` declares; empty when it is.

    A schema that is itself broken declares nothing.
    """
    (found,) = _mismatches(returns, [value])
    return found


def usual_type_mismatch(returns: JsonObject, values: Sequence[Json]) -> str:
    """How most of the values are not what is declared; a few may be exceptions to the rule."""
    found = [mismatch for mismatch in _mismatches(returns, values) if mismatch]
    return found[0] if len(found) * 2 > len(values) else ""


def _mismatches(returns: JsonObject, values: Sequence[Json]) -> list[str]:
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(returns)
    except SchemaError:
        return [""] * len(values)
    validator: Any = Draft202012Validator(returns)
    found: list[str] = []
    for value in values:
        first = next(validator.iter_errors(_plain(decoded(value))), None)
        found.append("" if first is None else str(first.message)[:200])
    return found


def _plain(value: Any) -> Any:
    """The value as JSON sees it: sequences are arrays, dates are texts, tables are rows."""
    if is_sequence(value) or is_set(value):
        return [_plain(item) for item in value]
    if is_dict(value):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, wire.Table):
        columns = [str(column) for column in value.columns]
        return [dict(zip(columns, map(_plain, row), strict=False)) for row in value.rows]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
