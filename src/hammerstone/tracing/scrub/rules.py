"""What a rule of the scrubber is: a pattern, what must be present for it, and a second look."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

Place: TypeAlias = tuple[int, int]
Locate: TypeAlias = Callable[[re.Match[str], str], Place | None]
"""Where in the text the thing to hide lies, or None when the match is only a look-alike."""


def whole(match: re.Match[str], text: str) -> Place | None:
    return match.span()


_NUMBER = re.compile(r"[0-9](?:[^0-9\n]{0,3}[0-9]){3}")
_LONG_WORD = 15  # shorter than any key of a provider


class Gates(Enum):
    """Which part of a text is searched for a rule's needles."""

    TEXT = "text"
    LOWERED = "lowered"  # the text in lower case
    LONG_WORDS = "long words"  # only what could hold a key: most texts have little of it


class ScannedText:
    """A text with what the rules' gates look at, computed once for all of them."""

    __slots__ = ("has_number", "long_words", "lowered", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = lower(text)
        self.has_number = _NUMBER.search(text) is not None
        self.long_words = " ".join([word for word in text.split() if len(word) >= _LONG_WORD])


@dataclass(frozen=True, slots=True)
class Rule:
    """Hides one kind of thing.

    The pattern runs only if one of `needles` is there, which is what makes scrubbing cheap: a
    search for a fixed string is far faster than a pattern. A rule whose gate is the lower-cased
    text has its pattern in lower case too, which is faster than a pattern that ignores case.
    Patterns must be linear on any input: bounded or possessive repeats, and a look-behind so
    that a run of characters is entered only once. The look-behind stands after the first
    character, because a pattern that begins with one is tried at every position.
    """

    kind: str
    pattern: re.Pattern[str]
    needles: tuple[str, ...] = ()
    locate: Locate = whole
    gate: Gates = Gates.TEXT
    numeric: bool = False  # needs a few digits close to each other

    def may_apply(self, searched: ScannedText) -> bool:
        if self.numeric and not searched.has_number:
            return False
        if not self.needles:
            return True
        if self.gate is Gates.TEXT:
            text = searched.text
        elif self.gate is Gates.LOWERED:
            text = searched.lowered
        else:
            text = searched.long_words
            if not text:
                return False
        return any(map(text.__contains__, self.needles))

    def places(self, text: str) -> list[Place]:
        """Where the rule applies, in order, without overlaps."""
        found: list[Place] = []
        reached = 0
        for match in self.pattern.finditer(lower(text) if self.gate is Gates.LOWERED else text):
            if match.start() < reached:
                continue
            place = self.locate(match, text)
            if place is not None and place[0] >= reached:
                found.append(place)
                reached = place[1]
        return found


def lower(text: str) -> str:
    """The text in lower case with every character at its old place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)
