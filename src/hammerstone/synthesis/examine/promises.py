"""What a spec's JSON Schemas promise about results: the type that comes out."""

from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from hammerstone.core import wire
from hammerstone.core.json_types import Json, JsonObject, is_collection, is_mapping
from hammerstone.judging.equality import decoded


def broken_promise(returns: JsonObject, values: Sequence[Json]) -> str:
    """How most of the values break the declared return type, or an empty text."""
    try:
        Draft202012Validator.check_schema(returns)
    except SchemaError:
        return ""
    validator: Any = Draft202012Validator(returns)
    reasons: list[str] = []
    for value in values:
        first = next(validator.iter_errors(_plain(decoded(value))), None)
        if first is not None:
            reasons.append(str(first.message)[:200])
    return reasons[0] if len(reasons) * 2 > len(values) else ""


def _plain(value: Any) -> Any:
    """The value as JSON sees it: sequences are arrays, dates are texts, tables are objects."""
    if is_collection(value):
        return [_plain(item) for item in value]
    if is_mapping(value):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, wire.Table):
        return [
            dict(zip(map(str, value.columns), map(_plain, row), strict=False)) for row in value.rows
        ]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
