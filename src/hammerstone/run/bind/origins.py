"""What a request states, held against the values of a call: which of them it does not say."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from hammerstone.core.answers import ArgumentOrigin
from hammerstone.core.json_types import Json
from hammerstone.judging.equality import same_amount, same_unit
from hammerstone.run.bind.grounding import alike, numbers_in
from hammerstone.run.understand.literals import find_literals

_WORD = re.compile(r"[^\W_]+")
_VOWELS = str.maketrans("", "", "aeiou")
_LONGEST = 20_000  # characters of a request that are looked at
_MOST_ITEMS = 50  # of a list, and words of a text: who states so many states the rest, too
_SHORTEST_WORD = 4  # that a unit's sign may stand for


def origins_of(
    values: Mapping[str, Json], request: str, earlier: str = ""
) -> dict[str, ArgumentOrigin]:
    """Where each value comes from; `earlier` is what the person said before.

    What the request says once is one argument's: "convert 5 miles" says the unit that is
    converted, not the one that is wanted.
    """
    said, before = Statements(request), Statements(earlier)
    found: dict[str, ArgumentOrigin] = {}
    for name, value in values.items():
        origin = said.origin_of(value)
        if origin.is_assumed and not before.origin_of(value).is_assumed:
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
            wanted = islice(_WORD.findall(value.lower()), _MOST_ITEMS)
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
    for match in _WORD.finditer(text):
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
