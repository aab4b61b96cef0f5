"""A call's values held against the request: where each comes from, what nothing states, and what
no argument carries.

A value that a model made up is not passed on. A function that answers "450 grams for 6 people, how
much for 11?" and takes only 6 and 11 has the 450 inside: it is right once and wrong for everybody
else.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from hammerstone.core.answers import ArgumentOrigin
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.judging.equality import same_amount, same_unit
from hammerstone.run.understand.literals import Literal, LiteralKind, find_literals
from hammerstone.run.understand.reading import read

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_PLAIN_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+")
_ALIKE = 0.8  # woman and women
_LETTERS = re.compile(r"[^\W_]+")
_VOWELS = str.maketrans("", "", "aeiou")
_LONGEST = 20_000  # characters of a request that are looked at
_MOST_ITEMS = 50  # of a list, and words of a text: who states so many states the rest, too
_SHORTEST_WORD = 4  # that a unit's sign may stand for


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


def has_another_rule(spec: Spec, text: str, arguments: JsonObject) -> bool:
    """Whether a request states numbers of its own where the tool has others inside, which belong to
    its rule: "3 euros for the first hour, then 1.50 an hour" answers nobody with other prices."""
    if not spec.constants:
        return False
    return any(one.number not in spec.constants for one in unused_numbers(text, arguments))


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


def origins_of(
    values: Mapping[str, Json], request: str, earlier: str = ""
) -> dict[str, ArgumentOrigin]:
    """Where each value comes from; `earlier` is what the person said before.

    What the request says once is one argument's: "convert 5 miles" says the unit that is
    converted, not the one that is wanted.
    """
    said, before = Statements(request), Statements(earlier) if earlier else None
    found: dict[str, ArgumentOrigin] = {}
    for name, value in values.items():
        origin = said.origin_of(value)
        if before and origin.is_assumed and not before.origin_of(value).is_assumed:
            origin = ArgumentOrigin.EARLIER
        found[name] = origin
    return found


class Statements:
    """The numbers and words of a text; each of them can be claimed once."""

    def __init__(self, text: str) -> None:
        text = text[:_LONGEST]
        self._numbers = numbers_in(text, find_literals(text))
        self._words = _words(text)
        self._claimed: set[int] = set()

    def origin_of(self, value: Json) -> ArgumentOrigin:
        """Whether the text says the value, and no argument before has claimed where it does.

        A switch and a value that is not there are believed: nobody writes "true".
        """
        if value is None or isinstance(value, bool):
            return ArgumentOrigin.STATED
        if isinstance(value, int | float):
            return self._claim([self._places_of_number(value)])
        if isinstance(value, str):
            wanted = islice(_LETTERS.findall(value.lower()), _MOST_ITEMS)
            return self._claim([self._places_of_word(word) for word in wanted])
        items = [*value.values()] if isinstance(value, dict) else value
        return self._origin_of_items(items[:_MOST_ITEMS])

    def _origin_of_items(self, items: Sequence[Json]) -> ArgumentOrigin:
        """A list is stated where all of its items are, however often each."""
        claimed = set(self._claimed)
        origins = [self.origin_of(item) for item in items]
        self._claimed = claimed
        made_up = ArgumentOrigin.ASSUMED in origins
        return ArgumentOrigin.ASSUMED if made_up else ArgumentOrigin.STATED

    def _claim(self, parts: Sequence[Sequence[int]]) -> ArgumentOrigin:
        """One place for each part of a value that the text says; a text is said where one of its
        words is."""
        known = [places for places in parts if places]
        if parts and not known:
            return ArgumentOrigin.ASSUMED
        fresh = [at for places in known if (at := self._free(places)) is not None]
        self._claimed.update(fresh)
        return ArgumentOrigin.STATED if fresh or not parts else ArgumentOrigin.REPEATED

    def _free(self, places: Sequence[int]) -> int | None:
        return next((at for at in places if at not in self._claimed), None)

    def _places_of_number(self, value: float) -> list[int]:
        return [at for at, number in self._numbers if same_amount(value, number)]

    def _places_of_word(self, wanted: str) -> list[int]:
        exact = [word.at for word in self._words if word.text == wanted]
        return exact or [word.at for word in self._words if _means(wanted, word)]


@dataclass(frozen=True, slots=True)
class _RequestWord:
    at: int
    text: str
    counted: bool  # stands right after a number


def _words(text: str) -> list[_RequestWord]:
    found: list[_RequestWord] = []
    before = ""
    for match in _LETTERS.finditer(text):
        found.append(_RequestWord(match.start(), match[0].lower(), before.isdecimal()))
        before = match[0]
    return found


def _means(wanted: str, word: _RequestWord) -> bool:
    """Whether a word of the request says the wanted one: another form of it, or its sign."""
    if alike(wanted, word.text) or _same_frame(wanted, word.text):
        return True
    short, long = sorted((wanted, word.text), key=len)
    if not (short.isalpha() and long.isalpha()) or len(long) < _SHORTEST_WORD:
        return False
    frame = short.translate(_VOWELS)
    if short == word.text and frame != short and not word.counted:
        return False  # "to", "in": a word of its own unless it counts something, as in "5 in"
    return len(short) < _SHORTEST_WORD and same_unit(short, long)


def _same_frame(one: str, other: str) -> bool:
    """Whether two words differ in their vowels only: foot and feet."""
    frames = [word.translate(_VOWELS) for word in (one, other)]
    return one[0] == other[0] and len(frames[0]) > 1 and frames[0] == frames[1]
