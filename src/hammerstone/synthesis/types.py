"""The few words a spec uses for types, as JSON Schema and as Python hints.

Small models choose well between plain words and badly between schema keywords, so the spec
author picks a word and everything else is derived from it.
"""

from hammerstone.core.json_types import Json, JsonObject

_NUMBER: JsonObject = {"type": "number"}
_TEXT: JsonObject = {"type": "string"}
_OBJECT: JsonObject = {"type": "object"}

TYPE_WORDS: dict[str, tuple[JsonObject, str]] = {
    "whole number": ({"type": "integer"}, "int"),
    "number": (_NUMBER, "float"),
    "text": (_TEXT, "str"),
    "true or false": ({"type": "boolean"}, "bool"),
    "list of numbers": ({"type": "array", "items": _NUMBER}, "list[float]"),
    "list of texts": ({"type": "array", "items": _TEXT}, "list[str]"),
    "list of lists": ({"type": "array", "items": {"type": "array"}}, "list[list]"),
    "list of objects": ({"type": "array", "items": _OBJECT}, "list[dict]"),
    "list": ({"type": "array"}, "list"),
    "object": (_OBJECT, "dict"),
}


def schema_of(word: str, description: str = "") -> JsonObject:
    """The JSON Schema that a type word stands for."""
    schema = dict(TYPE_WORDS[word][0])
    return {**schema, "description": description} if description else schema


def python_hint(schema: Json) -> str:
    """The Python type hint that says the same as a JSON Schema, as far as hints can."""
    if not isinstance(schema, dict):
        return "object"
    kind = schema.get("type")
    if isinstance(kind, list):
        parts = [python_hint({**schema, "type": one}) for one in kind]
        return " | ".join(parts)
    if kind == "array":
        items = schema.get("items")
        inner = python_hint(items) if isinstance(items, dict) and items.get("type") else ""
        return f"list[{inner}]" if inner else "list"
    names = {
        "integer": "int",
        "number": "float",
        "string": "str",
        "boolean": "bool",
        "object": "dict",
        "null": "None",
    }
    return names.get(str(kind), "object")
