"""Numbers of a request that a function's arguments do not carry.

A function that answers "450 grams for 6 people, how much for 11?" and takes only 6 and 11 has the
450 inside: it is right once and wrong for everybody else.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.judging.equality import same_amount
from hammerstone.run.understand.literals import LiteralKind, find_literals

_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class UnusedNumber:
    """A number as it is written in a text, and where."""

    written: str
    number: float
    start: int


def unused_numbers(text: str, values: JsonObject) -> list[UnusedNumber]:
    """The amounts written in digits that no argument holds, each once."""
    held = list(_numbers([*values.values(), *values]))  # `litres_per_100_km` holds the 100
    missing: dict[str, UnusedNumber] = {}
    for literal in find_literals(text):
        written = text[literal.start : literal.end].strip()
        if literal.kind not in (LiteralKind.NUMBER, LiteralKind.PERCENT) or not _DIGITS.search(
            written
        ):
            continue
        number = float(str(literal.value))
        if not any(same_amount(one, number) for one in held):
            missing.setdefault(written, UnusedNumber(written, number, literal.start))
    return list(missing.values())


def _numbers(value: Json) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(digits) for digits in _DIGITS.findall(value.replace(",", "")))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _numbers(one)
    else:
        for one in value:
            yield from _numbers(one)
