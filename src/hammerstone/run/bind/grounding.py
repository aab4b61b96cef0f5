"""What a model took from a request, held against the request: nothing made up is passed on."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.judging.equality import same_amount
from hammerstone.run.understand.literals import Literal
from hammerstone.run.understand.reading import read

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
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
