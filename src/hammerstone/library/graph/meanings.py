"""What a value stands for beyond its type, read off names, descriptions and formats."""

import re
from collections.abc import Iterable

from hammerstone.library.search.text.request_text import singular
from hammerstone.library.search.text.stems import split_name

# By words of a name; the first that matches wins, so the more special stands first.
_NAMES: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (meaning, frozenset(words.split()))
    for meaning, words in (
        ("datetime", "datetime timestamp instant"),
        ("date", "date day birthday birthdate deadline"),
        ("time", "clock"),
        ("duration", "duration elapsed timespan"),
        ("percentage", "percent percentage pct"),
        ("currency_code", "currency"),
        ("money", "price cost amount salary fee tax revenue payment balance total_price budget"),
        ("url", "url uri link website"),
        ("email", "email mail"),
        ("phone", "phone telephone"),
        ("path", "path file filename filepath folder directory csv_file"),
        ("table", "table rows records dataframe dataset csv spreadsheet"),
        ("column", "column field"),
        ("json", "json"),
        ("html", "html"),
        ("markdown", "markdown"),
        ("code", "code snippet"),
        ("language", "language locale"),
        ("country", "country"),
        ("city", "city town"),
        ("colour", "color colour rgb"),
        ("latitude", "latitude lat"),
        ("longitude", "longitude lon lng"),
        ("temperature", "temperature celsius fahrenheit kelvin"),
        ("year", "year"),
        ("id", "id uuid identifier isbn"),
        ("pattern", "regex pattern"),
    )
)
_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "duration": "duration",
    "email": "email",
    "uri": "url",
    "uri-reference": "url",
    "uuid": "id",
    "regex": "pattern",
}
# Said in a description, these words are about the value itself more often than not.
_TOLD = re.compile(
    r"\b(?:(?P<datetime>iso[ -]?8601 date ?time|date and time|timestamp)"
    r"|(?P<date>yyyy-mm-dd|iso date|calendar date|\bdate\b)"
    r"|(?P<percentage>percent(?:age)?|%)"
    r"|(?P<money>in (?:euros?|dollars?|usd|eur)|monetary|sum of money)"
    r"|(?P<url>\burl\b|web address)|(?P<email>e-?mail address)"
    r"|(?P<path>path (?:of|to)|file ?name|file path)"
    r"|(?P<table>list of rows|rows of a table|data ?frame|table with)"
    r"|(?P<temperature>celsius|fahrenheit|kelvin))",
    re.IGNORECASE,
)
_KINDS = {
    "table": frozenset({"array", "object", "any"}),
    "path": frozenset({"string", "any"}),
    "date": frozenset({"string", "any"}),
    "datetime": frozenset({"string", "any", "number", "integer"}),
    "percentage": frozenset({"number", "integer", "string", "any"}),
    "money": frozenset({"number", "integer", "string", "any"}),
    "year": frozenset({"number", "integer", "string", "any"}),
    "temperature": frozenset({"number", "integer", "any"}),
    "latitude": frozenset({"number", "any"}),
    "longitude": frozenset({"number", "any"}),
}
_TEXTUAL = frozenset({"string", "any"})
_FREE = frozenset({"id", "time", "duration", "colour", "column"})


def meaning_of(name: str, description: str, kind: str, format_name: str = "") -> str:
    """One of a few dozen words such as `date`, `money`, `path`, `table`; "" when none is clear."""
    if format_name in _FORMATS:
        return _FORMATS[format_name]
    words = split_name(name).split()
    for meaning in (*_named(reversed(words)), *_told(description)):
        if _possible(meaning, kind):
            return meaning
    return ""


def _named(words: Iterable[str]) -> Iterable[str]:
    """The head of a name stands last: `file_count` counts, `start_date` is a date."""
    for position, word in enumerate(words):
        single = singular(word)
        for meaning, known in _NAMES:
            if word in known or single in known:
                yield meaning
        if position == 0 and word in _COUNTS:
            return


def _told(description: str) -> Iterable[str]:
    match = _TOLD.search(description[:300])
    return [match.lastgroup] if match and match.lastgroup else []


def _possible(meaning: str, kind: str) -> bool:
    """Whether a value of this kind can stand for that: a boolean is no date."""
    if kind in ("boolean", "null"):
        return False
    if meaning in _FREE:
        return kind not in ("array", "object")
    return kind in _KINDS.get(meaning, _TEXTUAL)


_COUNTS = frozenset({"count", "number", "length", "size", "index", "format", "name", "type"})
