"""When two results count as the same.

Python's own equality, except that floats may differ in the last digits, NaN equals NaN, and a
table equals a table with the same cells. With `loose`, a list also equals a tuple and sets
equal sequences with the same items: for specs that leave the container open. Where a spec says
that the order is open, the items of a result are compared as a set with counts. `alike` is for
who calls a tool: a list is a tuple, but True is not 1. `same_answer` is wider: it is what a
person means by the same answer, whatever form a program gave it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hammerstone.core import wire
from hammerstone.core.json_types import Json, is_mapping, is_sequence
from hammerstone.judging.meaning import (
    Day,
    Entries,
    Items,
    Meaning,
    Number,
    PlainValue,
    Text,
    Truth,
    meaning_of,
)

RELATIVE = 1e-6
ABSOLUTE = 1e-6
_EXACT = 2**53  # whole numbers below it are floats without rounding


def same(left: Any, right: Any, *, loose: bool = False) -> bool:
    """Whether two decoded values are equal for all a person would care."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _same_number(left, right)
    if isinstance(left, complex) or isinstance(right, complex):
        return _both(left, right, int | float | complex) and _same_complex(left, right)
    if isinstance(left, wire.Table) and isinstance(right, wire.Table):
        return (left.kind, left.columns) == (right.kind, right.columns) and same(
            left.rows, right.rows, loose=loose
        )
    if is_mapping(left) and is_mapping(right):
        return _same_mapping(left, right, loose=loose)
    if is_sequence(left) and is_sequence(right):
        alike = isinstance(left, list) == isinstance(right, list)
        return (alike or loose) and _same_items(left, right, loose=loose)
    if loose and _both(left, right, set | frozenset | list | tuple):
        return _same_items(in_order(left), in_order(right), loose=True)
    return _both(left, right, _kind(left)) and bool(left == right)


def _kind(value: object) -> type[object]:
    return type(value)


def in_order(items: Any) -> list[Any]:
    return sorted(items, key=repr)


def _both(left: Any, right: Any, kinds: Any) -> bool:
    return isinstance(left, kinds) and isinstance(right, kinds)


def _same_number(left: float, right: float) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    try:
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:
        return left == right


def _same_complex(left: complex, right: complex) -> bool:
    return _same_number(left.real, right.real) and _same_number(left.imag, right.imag)


def _same_items(left: Sequence[Any], right: Sequence[Any], *, loose: bool) -> bool:
    return len(left) == len(right) and all(
        same(a, b, loose=loose) for a, b in zip(left, right, strict=True)
    )


def _same_mapping(left: Mapping[Any, Any], right: Mapping[Any, Any], *, loose: bool) -> bool:
    return left.keys() == right.keys() and all(
        same(value, right[key], loose=loose) for key, value in left.items()
    )


def alike(one: Json, other: Json) -> bool:
    """Whether two values in wire form are the same for who calls a tool."""
    return same(_for_callers(decoded(one)), _for_callers(decoded(other)))


def _for_callers(value: Any) -> Any:
    """A value with lists for its tuples, and with truths that equal no number."""
    if isinstance(value, bool):
        return Truth(value)
    if is_sequence(value):
        return [_for_callers(item) for item in value]
    if is_mapping(value):
        return {key: _for_callers(item) for key, item in value.items()}
    return value


def same_answer(left: Any, right: Any) -> bool:
    """Whether a person would call two decoded values the same answer.

    One number is the other rounded to its own decimals (22.72 and 22.7244, but not 23), 20 is
    "20 minutes" and not "20 hours" is "20 minutes", a date is its text, a list is a tuple or
    the text with its items, a container of one item is its item. Symmetric; not transitive:
    `grouped` makes groups of it.
    """
    if type(left) is type(right) and left == right:
        return True
    return _agree(meaning_of(left), meaning_of(right))


def _agree(left: Meaning, right: Meaning) -> bool:
    if isinstance(left, Entries) != isinstance(right, Entries):
        entries, other = (left, right) if isinstance(left, Entries) else (right, left)
        assert isinstance(entries, Entries)
        return len(entries.items) == 1 and _agree(entries.items[0][1], other)
    if isinstance(left, Items) != isinstance(right, Items):
        items, other = (left, right) if isinstance(left, Items) else (right, left)
        return isinstance(items, Items) and _agree_with_text(items, other)
    match left, right:
        case Number(), Number():
            return _agree_numbers(left, right)
        case Day(), Day():
            both_open = len(left.dates) == len(right.dates) == 2
            return left == right if both_open else bool(set(left.dates) & set(right.dates))
        case Items(), Items():
            return len(left.items) == len(right.items) and _agree_items(left, right)
        case Entries(), Entries():
            return len(left.items) == len(right.items) and all(
                name == other and _agree(value, twin)
                for (name, value), (other, twin) in zip(left.items, right.items, strict=True)
            )
        case PlainValue(), PlainValue():
            if left.exact or right.exact:
                return type(left.value) is type(right.value) and bool(left.value == right.value)
            return same(left.value, right.value, loose=True)
        case _:
            return left == right


def _agree_items(left: Items, right: Items) -> bool:
    if left.ordered and right.ordered:
        return all(_agree(a, b) for a, b in zip(left.items, right.items, strict=True))
    ordered = [sorted(each.items, key=repr) for each in (left, right)]
    return all(_agree(a, b) for a, b in zip(*ordered, strict=True))


_BETWEEN_ITEMS = re.compile(r"\s*[,;\n]\s*(?:and\s+)?")


def _agree_with_text(items: Items, other: Meaning) -> bool:
    """Whether a text lists the same items, divided by commas, lines or white space."""
    if not isinstance(other, Text) or not items.items:
        return False
    for parts in (_BETWEEN_ITEMS.split(other.words), other.words.split()):
        if len(parts) == len(items.items):
            listed = Items(tuple(meaning_of(part.strip("'\"[](){} ")) for part in parts))
            return _agree_items(items, listed)
    return False


def _agree_numbers(left: Number, right: Number) -> bool:
    if left.unit and right.unit and not same_unit(left.unit, right.unit):
        return False
    if left.decimals == right.decimals == 0 and abs(left.value) < _EXACT:
        return left.value == right.value
    if math.isclose(left.value, right.value, rel_tol=RELATIVE, abs_tol=1e-9):
        return True
    coarse, fine = (left, right) if left.decimals <= right.decimals else (right, left)
    # As people round: to two decimals, or to three digits of which one is a decimal. Less would
    # make 2.5 of 2.46, and whole numbers of any two values.
    if coarse.decimals < 1 or (coarse.decimals < 2 and abs(coarse.value) < 10):
        return False
    return abs(coarse.value - fine.value) <= 0.5 * 10**-coarse.decimals * (1 + 1e-6)


def same_unit(left: str, right: str) -> bool:
    """Whether one unit is the other or short for it: "q" and "quarter", "kg" and "kilograms"."""
    short, long = sorted((left, right), key=lambda unit: (len(unit), unit))
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def same_amount(value: float, written: float) -> bool:
    """Whether a number is the one that somebody wrote, percent and signs being a matter of form.

    0.19 is 19 and -40 is 40; no digit may differ.
    """
    forms = (abs(written), abs(written) / 100)
    return any(math.isclose(abs(value), form, rel_tol=1e-9) for form in forms)


def decoded(value: Json) -> Any:
    """The Python value of a wire form, or the wire form itself where it is malformed."""
    try:
        return wire.decode(value)
    except (wire.WireError, TypeError):
        return wire.Opaque("malformed", repr(value)[:200])


def grouped(values: Sequence[Any]) -> list[list[int]]:
    """Groups of equal answers, as positions in `values`, the first group the one that came first.

    A value joins a group only when it equals every member, so that 22.68 and 22.72 do not meet
    over 22.7. The finest values make the groups; a coarse one that fits several joins the largest.
    """
    groups: list[list[int]] = []
    for position in sorted(range(len(values)), key=lambda at: _fineness(values[at]), reverse=True):
        fitting = [
            group
            for group in groups
            if all(same_answer(values[position], values[member]) for member in group)
        ]
        if fitting:
            max(fitting, key=len).append(position)
        else:
            groups.append([position])
    return sorted((sorted(group) for group in groups), key=lambda group: group[0])


def _fineness(value: Any) -> tuple[int, int]:
    """How much a value says beyond others that it may equal: decimals, then a unit or one date."""
    meaning = meaning_of(value)
    if isinstance(meaning, Number):
        return meaning.decimals, int(bool(meaning.unit))
    if isinstance(meaning, Day):
        return 0, int(len(meaning.dates) == 1)
    return 0, int(isinstance(meaning, Entries))
