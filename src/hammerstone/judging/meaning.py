"""What a value says to a person, apart from the form a program gave it.

A number keeps how many decimals it was written with and its unit; a text that is a number, a
date, a clock time, or yes or no means that; a container of one item means its item. What has no
such meaning is a text without its case and its surrounding punctuation, or stays as it is. Dates
and clock times are read in the forms that people and programs write them.
"""

import datetime as dt
import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeAlias

from hammerstone.core.json_types import is_collection, is_mapping

LONGEST_TEXT = 200  # a longer text is compared as it stands
MOST_ITEMS = 2000  # a larger value is compared as it stands
_UNIT_WORDS = 4
_NUMBER = re.compile(
    r"[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?![\d.,]*\d)"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
_TRUTH = re.compile(r"(yes|true|no|false)(?:\s*[,.;:!-].{0,80})?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, the decimals it was written with, and the unit beside it ("" for none)."""

    value: float
    decimals: int = 0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Day:
    """The dates a value can mean: two where day and month may be swapped."""

    dates: tuple[dt.date, ...]


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day or a length of time, in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Text:
    """A text without case, surrounding punctuation and repeated white space."""

    words: str


@dataclass(frozen=True, slots=True)
class Items:
    """Several meanings; `ordered` is false for a set."""

    items: "tuple[Meaning, ...]"
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class Entries:
    """Meanings by name, in the order of the names."""

    items: "tuple[tuple[str, Meaning], ...]"


@dataclass(frozen=True, slots=True)
class PlainValue:
    """A value that is compared as it stands, a large one (`exact`) without tolerances."""

    value: Any
    exact: bool = False


Meaning: TypeAlias = "Number | Truth | Day | TimeOfDay | Text | Items | Entries | PlainValue"


def meaning_of(value: Any) -> Meaning:
    """What a decoded value says."""
    return _meaning(value) if _small(value, MOST_ITEMS) > 0 else PlainValue(value, exact=True)


def _small(value: Any, left: int) -> int:
    """What is left of a count after the items in a value; 0 or less: too many."""
    if isinstance(value, str | bytes):
        return left - 1 - len(value) // 100
    if is_mapping(value):
        items = value.values()
    elif is_collection(value):
        items = value
    else:
        return left - 1
    left -= len(items)
    for item in items if left > 0 else ():
        if left > 0:
            left = _small(item, left)
    return left


def _meaning(value: Any) -> Meaning:
    if isinstance(value, bool):
        return Truth(value)
    if isinstance(value, int | float | Decimal | Fraction):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dt.datetime):
        return Day((value.date(),)) if value.time() == dt.time() else PlainValue(value)
    if isinstance(value, dt.date):
        return Day((value,))
    if isinstance(value, dt.time):
        return TimeOfDay(value.hour * 3600.0 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        return TimeOfDay(value.total_seconds())
    return _container(value)


def _container(value: Any) -> Meaning:
    if is_collection(value):
        items = tuple(_meaning(item) for item in value)
        if len(items) == 1:
            return items[0]
        ordered = isinstance(value, list | tuple)
        return Items(items if ordered else tuple(sorted(items, key=repr)), ordered)
    if is_mapping(value):
        named = [(trimmed(str(name)), _meaning(item)) for name, item in value.items()]
        return Entries(tuple(sorted(named, key=lambda pair: pair[0])))
    return PlainValue(value)


def _number(value: Any) -> Meaning:
    try:
        plain = float(value)
    except (OverflowError, ValueError, ArithmeticError):
        return PlainValue(value)
    if not math.isfinite(plain) or abs(plain) >= 2**53:
        return PlainValue(value)
    return Number(plain, decimals_of(plain))


def decimals_of(value: float) -> int:
    """How many decimals a number is written with."""
    try:
        exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    except InvalidOperation:
        return 0
    return max(0, -exponent) if isinstance(exponent, int) else 0


def trimmed(text: str) -> str:
    """A text without case, surrounding punctuation and repeated white space."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    start, end = 0, len(plain)
    while start < end and _is_edge(plain[start]):
        start += 1
    while end > start and _is_edge(plain[end - 1]):
        end -= 1
    return plain[start:end] or plain


def _is_edge(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Po", "Pi", "Pf", "Ps", "Pe")


def _text(text: str) -> Meaning:
    if len(text) > LONGEST_TEXT:
        return PlainValue(text)
    bare = text.strip().strip("'\"`").strip()
    if truth := _TRUTH.fullmatch(bare):
        return Truth(truth[1].lower() in ("yes", "true"))
    if dates := dates_in(bare.rstrip(".")):
        return Day(dates)
    seconds = clock_in(bare)
    if seconds is not None:
        return TimeOfDay(seconds)
    return _measure(bare) or Text(trimmed(text))


def _measure(text: str) -> Number | None:
    """A text with one number and at most a few words beside it, as number and unit."""
    found = _NUMBER.findall(text)
    digits = sum(character.isdigit() for character in text)
    if len(found) != 1 or sum(character.isdigit() for character in found[0]) != digits:
        return None
    before, _, after = text.partition(found[0])
    after = _ORDINAL.sub("", after, count=1) if after[:1].isalpha() else after
    rest = f"{before} {after}"
    words = _WORDS.findall(rest)
    signs = [_sign_name(one) for one in rest if not one.isalpha() and not one.isspace()]
    if len(words) > _UNIT_WORDS or any(name is None for name in signs):
        return None
    unit = " ".join([*words, *(name for name in signs if name)]).casefold()
    plain = found[0].replace(",", "").replace("−", "-")
    _, _, decimals = plain.lower().partition("e")[0].partition(".")
    value = float(plain)
    if not math.isfinite(value) or abs(value) >= 2**53:
        return None
    return Number(value, max(len(decimals), decimals_of(value)), unit)


def _sign_name(character: str) -> str | None:
    """The name of a sign that is a unit ("dollar"), "" for punctuation, None for other signs."""
    if character in "%‰" or unicodedata.category(character) in ("Sc", "So"):
        return unicodedata.name(character, "").partition(" ")[0].lower() or None
    return "" if _is_edge(character) else None


_DATE_FORMS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d.%m.%Y",
    "%B %d %Y",
    "%b %d %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%Y %B %d",
)
_EITHER_ORDER = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})")
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?$")
_CLOCK = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(?:([ap])\.?\s?m\.?)?|(\d{1,2})\s*([ap])\.?\s?m\.?",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"^[A-Za-z]{3,9}day,?\s+|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s+", re.IGNORECASE
)
_ORDINAL_DAY = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
LONGEST = 40


def dates_in(text: str) -> tuple[dt.date, ...]:
    """The dates a text can mean, which is nothing else: two where day and month may be swapped."""
    text = _MIDNIGHT.sub("", text.strip())
    if len(text) > LONGEST or not any(character.isdigit() for character in text):
        return ()
    if either := _EITHER_ORDER.fullmatch(text):
        first, _, second, year = either.groups()
        pairs = ((int(first), int(second)), (int(second), int(first)))
        found = [_date(int(year), month, day) for month, day in pairs]
        return tuple(dict.fromkeys(each for each in found if each))
    plain = _ORDINAL_DAY.sub("", _WEEKDAY.sub("", text)).replace(",", " ")
    plain = " ".join(plain.replace(" of ", " ").split())
    for form in _DATE_FORMS:
        try:
            return (dt.datetime.strptime(plain, form).date(),)
        except ValueError:
            continue
    return ()


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def clock_in(text: str) -> float | None:
    """The seconds after midnight of a text that is a clock time and nothing else."""
    text = text.strip()
    if len(text) > LONGEST or not (found := _CLOCK.fullmatch(text)):
        return None
    hour, minute, second, half, bare_hour, bare_half = found.groups()
    hours, part = int(hour or bare_hour), (half or bare_half or "").lower()
    if hours > 23 or int(minute or 0) > 59 or int(second or 0) > 59 or (part and hours > 12):
        return None
    if part:
        hours = hours % 12 + (12 if part == "p" else 0)
    return hours * 3600.0 + int(minute or 0) * 60 + int(second or 0)
