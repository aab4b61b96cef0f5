"""Dates and clock times in the forms that people and programs write them."""

import datetime as dt
import re

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
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
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
    plain = _ORDINAL.sub("", _WEEKDAY.sub("", text)).replace(",", " ")
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
