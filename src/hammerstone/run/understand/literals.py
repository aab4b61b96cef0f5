"""Values that a text states outright: numbers, percentages, quoted text, dates, lists, files."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from hammerstone.core.json_types import Json
from hammerstone.core.number_words import NUMBER_WORDS

_LONGEST = 20_000  # characters of a text that are looked at


class LiteralKind(StrEnum):
    """The kind of value that a text writes out."""

    NUMBER = "number"
    PERCENT = "percent"
    TEXT = "text"
    DATE = "date"
    LIST = "list"
    RECORD = "record"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Literal:
    """A value and where it stands; `before` and `after` are the words around it."""

    value: Json
    kind: LiteralKind
    start: int
    end: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
_ENDINGS = "csv|tsv|json|jsonl|txt|md|xlsx?|pdf|docx|pptx|png|jpe?g|parquet|xml|ya?ml|html?|log"
_FILE = rf"(?:/files/|\./|~/|/)?[\w./-]{{0,200}}[\w-]\.(?:{_ENDINGS})\b"
_SCAN = re.compile(
    rf"""(?P<quoted>"(?:[^"\\\n]|\\.)*"|“[^”\n]*”|`[^`\n]*`
           |(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w))
      |(?P<open>[\[{{])
      |(?P<file>{_FILE})
      |(?P<date>\b\d{{4}}-\d{{2}}-\d{{2}}\b)
      |(?P<number>(?<![\w.])(?P<money>[$€£]\s?)?(?P<digits>{_NUMBER})
         (?P<percent>\s?%|\spercent\b)?(?![\w]*\d))
      |(?P<word>\b(?:{"|".join(NUMBER_WORDS)})\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_SMALL = {word: number for number, word in enumerate(NUMBER_WORDS)}
# Numbers in words that are not amounts.
_NOT_AMOUNTS = re.compile(r"\b(one of|the one|this one|that one|other one|no one|each one)\b", re.I)
_WORDS = re.compile(r"[A-Za-z]+")
_BARE_LIST = re.compile(
    rf"{_NUMBER}(?:\s*,\s*(?:and\s+)?{_NUMBER})*(?:\s*,?\s*(?:and|or)\s+{_NUMBER})?"
)
_MOST_UNREADABLE = 200  # brackets that hold nothing readable: the rest is not looked into


@lru_cache(maxsize=128)
def find_literals(text: str) -> tuple[Literal, ...]:
    """The literals of a text in the order they stand there; none overlaps another. They are found
    once for all who look for them."""
    found: list[Literal] = []
    position = 0
    text = text[:_LONGEST]
    unreadable = 0
    while unreadable < _MOST_UNREADABLE and (match := _SCAN.search(text, position)):
        literal = _read(text, match)
        if literal is None:
            unreadable += match.group("open") is not None
            position = match.end() if match.group("open") is None else match.start() + 1
            continue
        found.append(literal)
        position = literal.end
    return tuple(_with_words(text, literal) for literal in found)


def bare_lists(text: str) -> list[Literal]:
    """Numbers in a row without brackets ("3, 5 and 9"), each row as one list."""
    found: list[Literal] = []
    for match in _BARE_LIST.finditer(text[:_LONGEST]):
        numbers = [_number(each) for each in re.findall(_NUMBER, match[0])]
        if len(numbers) > 1 and "%" not in text[match.end() : match.end() + 2]:
            literal = Literal(list(numbers), LiteralKind.LIST, match.start(), match.end())
            found.append(_with_words(text, literal))
    return found


def _read(text: str, match: "re.Match[str]") -> Literal | None:
    start, end = match.span()
    if quoted := match.group("quoted"):
        return Literal(quoted[1:-1], LiteralKind.TEXT, start, end)
    if match.group("open"):
        return _bracketed(text, start)
    if name := match.group("file"):
        return Literal(name, LiteralKind.FILE, start, end)
    if date := match.group("date"):
        return Literal(date, LiteralKind.DATE, start, end)
    if word := match.group("word"):
        near = text[max(0, start - 8) : end + 8]
        if _NOT_AMOUNTS.search(near):
            return None
        return Literal(_SMALL[word.lower()], LiteralKind.NUMBER, start, end)
    kind = LiteralKind.PERCENT if match.group("percent") else LiteralKind.NUMBER
    return Literal(_number(match.group("digits")), kind, start, end)


def _number(digits: str) -> int | float:
    plain = digits.replace(",", "")
    try:
        return int(plain)
    except ValueError:
        return float(plain)


def _bracketed(text: str, start: int) -> Literal | None:
    """JSON, or a list as people write one: single quotes, bare words."""
    try:
        read: tuple[Json, int] = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return _loose_list(text, start)
    value, end = read
    kind = LiteralKind.LIST if isinstance(value, list) else LiteralKind.RECORD
    return Literal(value, kind, start, end)


def _loose_list(text: str, start: int) -> Literal | None:
    end = text.find("]", start)
    if text[start] != "[" or end < 0 or "[" in text[start + 1 : end]:
        return None
    items: list[Json] = []
    for part in text[start + 1 : end].split(","):
        item = part.strip()
        if not item:
            return None
        if len(item) > 1 and item[0] == item[-1] and item[0] in "'\"":
            items.append(item[1:-1])
        elif re.fullmatch(_NUMBER, item):
            items.append(_number(item))
        else:
            items.append({"True": True, "False": False, "None": None}.get(item, item))
    return Literal(items, LiteralKind.LIST, start, end + 1)


def _with_words(text: str, literal: Literal) -> Literal:
    before = _WORDS.findall(text[max(0, literal.start - 60) : literal.start])[-4:]
    after = _WORDS.findall(text[literal.end : literal.end + 40])[:3]
    return Literal(
        literal.value,
        literal.kind,
        literal.start,
        literal.end,
        tuple(word.lower() for word in before),
        tuple(word.lower() for word in after),
    )
