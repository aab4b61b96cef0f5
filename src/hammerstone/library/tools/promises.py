"""When two specs promise the same to a caller: names, types and numbers inside, not prose."""

from hammerstone.core.json_types import Json
from hammerstone.core.tools import Spec


def type_of(schema: Json) -> str:
    """The type a schema stands for, without what it says in words: `array of number`."""
    if not isinstance(schema, dict):
        return "any"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(sorted(str(one) for one in kind))
    if kind == "array":
        return f"array of {type_of(schema.get('items'))}"
    return str(kind) if kind else "any"


def same_promise(one: Spec, other: Spec) -> bool:
    """Whether a caller of one could call the other without noticing by names and types.

    Equal but for numbers inside ("3 euros an hour", "5 euros an hour") is not the same.
    """
    alike = _types(one) == _types(other) and one.effect is other.effect
    return alike and set(one.constants) == set(other.constants)


def _types(spec: Spec) -> dict[str, str]:
    types = {name: type_of(schema) for name, schema in spec.takes.schemas.items()}
    return {**types, "return": type_of(spec.returns)}
