"""A call's values held against the request: what nothing states, and what no argument carries.

A value that a model made up is not passed on. A function that answers "450 grams for 6 people, how
much for 11?" and takes only 6 and 11 has the 450 inside: it is right once and wrong for everybody
else.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.judging.equality import same_amount
from hammerstone.run.understand.literals import Literal, LiteralKind, find_literals
from hammerstone.run.understand.reading import read

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_PLAIN_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+")
_ALIKE = 0.8  # woman and women


@dataclass(frozen=True, slots=True)
class GroundedValues:
    """The values that stay; `invented` names required ones that nothing supports."""

    values: JsonObject
    invented: tuple[str, ...]


def ground(
    spec: Spec, values: JsonObject, request: str, *, certain: Mapping[str, Json]
) -> GroundedValues:
    """Drop optional values that the request does not mention; tell required ones made up."""
    takes = spec.takes
    required = set(takes.required)
    kept: JsonObject = {}
    invented: list[str] = []
    for name, value in values.items():
        chosen = "enum" in takes.schema_of(name)
        if name in certain or (chosen and name in required):
            kept[name] = value
        elif name in required:
            kept[name] = value
            if not occurs(value, request):
                invented.append(name)
        elif value not in ("", None, [], {}) and occurs(value, request):
            kept[name] = value
    return GroundedValues(kept, tuple(invented))


def occurs(value: Json, request: str) -> bool:
    """Whether the request states this value in some form; switches and records are believed."""
    if isinstance(value, bool | dict):
        return True
    if isinstance(value, int | float):
        return _number_occurs(value, request)
    if isinstance(value, list):
        return all(occurs(item, request) for item in value)
    if value is None:
        return False
    words = set(_WORD.findall(request.lower()))
    wanted = _WORD.findall(value.lower().replace("_", " "))
    if not wanted or any(word in words for word in wanted):
        return True
    return any(alike(a, b) for a in wanted for b in words)


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, or one of them is misspelt."""
    return SequenceMatcher(None, one, other).ratio() >= _ALIKE


def numbers_in(text: str, literals: Iterable[Literal]) -> list[tuple[int, float]]:
    """The numbers of a text, in digits or in words, and where each begins."""
    digits = [*_DIGITS.finditer(text)]
    found = {(match.start(), float(match[0].replace(",", ""))) for match in digits}
    for each in literals:
        if isinstance(each.value, int | float):
            within = (match.start() for match in digits if each.start <= match.start() < each.end)
            found.add((next(within, each.start), float(each.value)))
    return sorted(found)


def _number_occurs(value: float, request: str) -> bool:
    """In digits or in words; also 0.19 for 19 percent, and 40 for -40."""
    stated = numbers_in(request, read(request).literals)
    return any(same_amount(value, one) for _, one in stated)


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
        if literal.kind not in (
            LiteralKind.NUMBER,
            LiteralKind.PERCENT,
        ) or not _PLAIN_DIGITS.search(written):
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
        yield from (float(digits) for digits in _PLAIN_DIGITS.findall(value.replace(",", "")))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _numbers(one)
    else:
        for one in value:
            yield from _numbers(one)
