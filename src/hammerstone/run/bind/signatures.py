"""A tool's parameters as a short text for models: everything they need, nothing twice."""

import json
from collections.abc import Sequence

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec

_SHORT = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "record",
}


def signature(spec: Spec, names: Sequence[str]) -> str:
    """Name, description and the given parameters, one a line."""
    takes = spec.takes
    lines = [f"{spec.name}: {spec.description}"]
    for name in names:
        optional = "" if name in takes.required else ", optional"
        schema = takes.schema_of(name)
        lines.append(f"- {name} ({_kind(schema)}{optional}): {_about(schema)}")
    return "\n".join(lines)


def _kind(schema: Json) -> str:
    shape = schema if isinstance(schema, dict) else {}
    if isinstance(values := shape.get("enum"), list):
        return "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in values)
    kind = shape.get("type")
    if kind == "array":
        items = shape.get("items")
        return f"list of {_kind(items)}" if isinstance(items, dict) and items else "list"
    if kind == "object" and isinstance(inner := shape.get("properties"), dict):
        return "record of " + ", ".join(f"{key}: {_kind(value)}" for key, value in inner.items())
    return _SHORT.get(str(kind), "any")


def _about(shape: JsonObject) -> str:
    about = str(shape.get("description") or "").strip()
    if "default" in shape and "default" not in about.lower():
        about += f" Default {json.dumps(shape['default'], ensure_ascii=False)}."
    examples = shape.get("examples")
    if isinstance(examples, list) and examples and not about:
        about = f"for example {json.dumps(examples[0], ensure_ascii=False)}"
    return about.strip()
