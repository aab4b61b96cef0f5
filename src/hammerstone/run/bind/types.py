"""Whether a value or a result fits where it is to be used: JSON Schema types, kept lenient."""

from collections.abc import Sequence

from hammerstone.core.json_types import Json, JsonObject

_ANY = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


def types_of(schema: Json) -> frozenset[str]:
    """The JSON types that a schema may accept; all of them when it does not say."""
    if not isinstance(schema, dict):
        return _ANY
    if isinstance(kind := schema.get("type"), str):
        return frozenset({kind})
    if isinstance(kind, list):
        return frozenset(str(each) for each in kind)
    for word in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(word), list):
            return frozenset[str]().union(*(types_of(option) for option in options))
    if isinstance(values := schema.get("enum"), list):
        return frozenset(type_of(value) for value in values)
    return _ANY


def type_of(value: Json) -> str:
    """The JSON type of a value in plain form."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def fits_type(given: Json, wanted: Json) -> bool:
    """Whether something of the schema `given` may be used where `wanted` is expected."""
    have, want = types_of(given), types_of(wanted)
    if "number" in want:
        want |= {"integer"}
    if "number" in have and "integer" in want:
        have |= {"integer"}  # 3.0 is a whole number; checked again on the value itself
    if not have & want:
        return False
    if have & want == frozenset({"array"}):
        inner = given.get("items") if isinstance(given, dict) else None
        other = wanted.get("items") if isinstance(wanted, dict) else None
        return inner is None or other is None or fits_type(inner, other)
    return True


def type_at(schema: JsonObject, path: Sequence[str | int]) -> JsonObject | None:
    """The schema of what lies at `path`; an empty one when nothing is said, None when the
    schema says that there is no such place."""
    current: JsonObject = schema
    for part in path:
        if isinstance(part, int):
            if "array" not in types_of(current):
                return None
            items = current.get("items")
            current = items if isinstance(items, dict) else {}
            continue
        if "object" not in types_of(current):
            return None
        properties = current.get("properties")
        if isinstance(properties, dict) and part not in properties:
            if current.get("additionalProperties") is False:
                return None
            return {}
        found = properties.get(part) if isinstance(properties, dict) else None
        current = found if isinstance(found, dict) else {}
    return current
