"""Which parameters of two tools may be the same, by type and name."""

from collections.abc import Iterator
from itertools import islice, permutations

from hammerstone.core.tools import Spec
from hammerstone.library.promises import type_of

MOST_MAPPINGS = 24


def mappings(new: Spec, old: Spec) -> Iterator[dict[str, str]]:
    """Ways to call `old` with `new`'s arguments, the most likely first; none when types differ."""
    if new.effect is not old.effect or not compatible(type_of(new.returns), type_of(old.returns)):
        return
    ours, theirs = new.takes.names, old.takes.names
    needed = set(old.takes.required_or_all)
    if len(ours) > len(theirs) or len(ours) < len(needed):
        return
    kinds_new = {name: type_of(schema) for name, schema in new.takes.schemas.items()}
    kinds_old = {name: type_of(schema) for name, schema in old.takes.schemas.items()}
    found: list[tuple[int, dict[str, str]]] = []
    for chosen in islice(permutations(theirs, len(ours)), 5000):
        if not needed <= set(chosen):
            continue
        pairs = dict(zip(ours, chosen, strict=True))
        if all(compatible(kinds_new[a], kinds_old[b]) for a, b in pairs.items()):
            moved = sum(a != b for a, b in pairs.items()) * 10
            moved += sum(theirs.index(b) != ours.index(a) for a, b in pairs.items())
            found.append((moved, pairs))
    found.sort(key=lambda each: each[0])
    yield from (pairs for _, pairs in found[:MOST_MAPPINGS])


def compatible(one: str, other: str) -> bool:
    """Whether values of one type can stand for the other: whole numbers are numbers."""
    if one == other or "any" in (one, other):
        return True
    if {one, other} == {"integer", "number"}:
        return True
    if one.startswith("array of ") and other.startswith("array of "):
        return compatible(one.removeprefix("array of "), other.removeprefix("array of "))
    return bool(set(one.split(" or ")) & set(other.split(" or ")))
