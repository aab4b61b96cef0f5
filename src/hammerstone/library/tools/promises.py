"""When two specs promise the same to a caller: names, types and numbers inside, not prose.

And which parameters of two tools may be the same, by type and name.
"""

from collections.abc import Iterator
from itertools import islice, permutations

from hammerstone.core.json_types import Json, JsonObject
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


MOST_MAPPINGS = 24


def mappings(new: Spec, old: Spec) -> Iterator[dict[str, str]]:
    """Ways to call `old` with `new`'s arguments, the most likely first; none when types differ."""
    if new.effect is not old.effect or not compatible(new.returns, old.returns):
        return
    ours, theirs = new.takes.names, old.takes.names
    needed = set(old.takes.required_or_all)
    if len(ours) > len(theirs) or len(ours) < len(needed):
        return
    schemas_new, schemas_old = new.takes.schemas, old.takes.schemas
    found: list[tuple[int, dict[str, str]]] = []
    for chosen in islice(permutations(theirs, len(ours)), 5000):
        if not needed <= set(chosen):
            continue
        pairs = dict(zip(ours, chosen, strict=True))
        if all(compatible(schemas_new[a], schemas_old[b]) for a, b in pairs.items()):
            moved = sum(a != b for a, b in pairs.items()) * 10
            moved += sum(theirs.index(b) != ours.index(a) for a, b in pairs.items())
            found.append((moved, pairs))
    found.sort(key=lambda each: each[0])
    yield from (pairs for _, pairs in found[:MOST_MAPPINGS])


def compatible(one: Json, other: Json) -> bool:
    """Whether values of one schema can stand for the other's: whole numbers are numbers."""
    types = {type_of(one), type_of(other)}
    if len(types) == 1 or "any" in types or types == {"integer", "number"}:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        if one.get("type") == other.get("type") == "array":
            return compatible(one.get("items"), other.get("items"))
        return bool(_kinds(one) & _kinds(other))
    return False


def _kinds(schema: JsonObject) -> set[str]:
    kind = schema.get("type")
    return {str(one) for one in kind} if isinstance(kind, list) else {type_of(schema)}
