"""Values that a request states: its numbers and its quoted texts, and the words beside them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hammerstone.core.json_types import Json

_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?P<percent>\s?%)?")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)")
_WORD = re.compile(r"[A-Za-z]{3,}")
_VALUE = r"(?:'[^'\n]*'|\"[^\"\n]*\"|\[[^\]\n]*\]|[-+]?\d[\d,]*(?:\.\d+)?)"
_ARROW = r"\s*(?:[-=]{1,2}>|→|⇒|➞)\s*"
_GIVES = (
    rf"(?:{_ARROW}|\s*={{1,2}}\s*|\s+(?:(?:should|must|would|will|ought\s+to)\s+)?"
    r"(?:gives?|returns?|yields?|is|be|becomes?|equals?|results?\s+in)\s+)"
)
_EXAMPLE = re.compile(
    r">>>[^\n]*(?:\n[^\n]+)?"
    rf"|\b[A-Za-z_]\w*\([^()]*\)(?:{_GIVES}{_VALUE})?|{_VALUE}{_ARROW}{_VALUE}"
)
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class StatedNumber:
    """A number as the request has it; `word` is what stands next to it, for a name."""

    value: float
    word: str
    percent: bool = False

    def is_value(self, value: float) -> bool:
        """Whether this is the number, perhaps a percentage written as a part of one."""
        parts = (self.value, self.value / 100) if self.percent else (self.value,)
        return any(abs(value - part) <= _SAME for part in parts)


@dataclass(frozen=True, slots=True)
class StatedValues:
    numbers: tuple[StatedNumber, ...]
    texts: tuple[str, ...]

    def find_number(self, value: float) -> StatedNumber | None:
        return next((one for one in self.numbers if one.is_value(value)), None)

    def states(self, value: object) -> bool:
        """Whether the request states a number or a text; 0 and 1 are never meant by that."""
        if isinstance(value, bool) or value in (0, 1):
            return False
        if isinstance(value, int | float):
            return self.find_number(abs(value)) is not None
        return isinstance(value, str) and value in self.texts


def stated_values(request: str) -> StatedValues:
    """The values in a request's text; those of examples (`f(3) gives 9`) are not its own."""
    request = _EXAMPLE.sub(" ", request)
    quoted = [next(filter(None, match.groups()), "") for match in _QUOTED.finditer(request)]
    return StatedValues(tuple(_numbers(request)), tuple(dict.fromkeys(quoted)))


def _numbers(text: str) -> Iterator[StatedNumber]:
    for match in _NUMBER.finditer(text):
        written = match[0].rstrip("% ").replace(",", "")
        after = _WORD.search(text[match.end() : match.end() + 24])
        before = _WORD.findall(text[max(0, match.start() - 24) : match.start()])
        percent = bool(match["percent"])
        near = after[0] if after else before[-1] if before and not percent else ""
        yield StatedNumber(float(written), near.lower(), percent)


def values_in(value: Json) -> Iterator[object]:
    """Every plain value inside a value, keys of objects too."""
    if isinstance(value, list):
        for item in value:
            yield from values_in(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from values_in(item)
    else:
        yield value
