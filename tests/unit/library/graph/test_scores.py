"""How well types fit each other, and the words for it."""

import pytest

from hammerstone.library.graph.matching import (
    CONVERSION,
    NAMED_PLACE,
    ONE_SIDED,
    PLAIN,
    UNKNOWN,
    match,
)
from hammerstone.library.graph.shapes import ANY, Shape

NUMBER, WHOLE, TEXT, FLAG = map(Shape, ("number", "integer", "string", "boolean"))
DATE, MOMENT, PATH = (Shape("string", meaning) for meaning in ("date", "datetime", "path"))
MONEY = Shape("number", "money")


def many(of: Shape | None, meaning: str = "") -> Shape:
    return Shape("array", meaning, of)


def record(always: str = "", **fields: Shape) -> Shape:
    return Shape("object", fields=tuple(fields.items()), always=frozenset(always.split()))


def union(*options: Shape) -> Shape:
    return Shape("any", options=options)


@pytest.mark.parametrize(
    ("source", "target", "score", "why"),
    [
        (TEXT, TEXT, PLAIN, "both are text"),
        (FLAG, FLAG, PLAIN, "both are boolean"),
        (WHOLE, NUMBER, PLAIN, "a whole number is a number"),
        (DATE, DATE, 1.0, "both are a date"),
        (DATE, TEXT, ONE_SIDED, "both are text; one gives a date"),
        (TEXT, DATE, ONE_SIDED, "both are text; one wants a date"),
        (PATH, TEXT, NAMED_PLACE, "both are text; one gives a path"),
        (TEXT, PATH, ONE_SIDED, "both are text; one wants a path"),
        (DATE, MOMENT, PLAIN * CONVERSION, "a date where a datetime is wanted"),
        (DATE, PATH, 0, "the types do not fit"),
        (NUMBER, WHOLE, PLAIN * CONVERSION, "if it is a whole number"),
        (TEXT, NUMBER, PLAIN * CONVERSION, "if the text is a number"),
        (NUMBER, TEXT, PLAIN * CONVERSION, "written as text"),
        (record(), Shape("string", "json"), PLAIN * CONVERSION, "written as JSON"),
        (record(), TEXT, 0, "the types do not fit"),
        (ANY, ANY, UNKNOWN, "neither side says its type"),
        (NUMBER, ANY, UNKNOWN, "takes anything"),
        (ANY, NUMBER, UNKNOWN * CONVERSION, "the result's type is not said"),
        (many(TEXT), many(TEXT), PLAIN, "lists: both are text"),
        (many(None), many(None), PLAIN, "both are lists"),
        (many(None), many(TEXT), UNKNOWN, "both are lists"),
        (many(TEXT), many(None), PLAIN, "both are lists"),
        (many(None, "table"), many(None, "table"), 1.0, "both are lists"),
        (many(record(), "table"), many(record(), "table"), 0.8, "both are a table"),
        (many(TEXT), many(FLAG), 0, "the types do not fit"),
        (NUMBER, many(NUMBER), PLAIN * CONVERSION, "as a list of one"),
        (NUMBER, many(TEXT), 0, "the types do not fit"),
        (NUMBER, many(None), 0, "the types do not fit"),
        (record(a=TEXT), record(), PLAIN, "both are objects"),
        (record(), record(a=TEXT), UNKNOWN, "both are objects"),
        (record(), record("a", a=TEXT), UNKNOWN * CONVERSION,
         "an object whose properties are not said"),
        (record("a", a=TEXT), record("a", a=TEXT), 1.0, "1 of 1 properties fit"),
        (record("a", a=TEXT), record("a", a=TEXT, b=TEXT), 0.8, "1 of 2 properties fit"),
        (record("c", c=TEXT), record(a=TEXT, b=TEXT), UNKNOWN, "both are objects"),
        (record("a", a=FLAG), record(a=TEXT), 0, "the types do not fit"),
        (union(NUMBER, WHOLE), NUMBER, PLAIN, "both are number"),
        (union(NUMBER, FLAG), NUMBER, PLAIN * CONVERSION, "sometimes: both are number"),
        (union(FLAG), NUMBER, 0, "the types do not fit"),
        (NUMBER, union(TEXT, NUMBER), PLAIN, "both are number"),
        (FLAG, union(TEXT, NUMBER), 0, "the types do not fit"),
    ],
)  # fmt: skip
def test_scores_and_words(source: Shape, target: Shape, score: float, why: str) -> None:
    found = match(source, target)
    assert (found.score, found.why) == (pytest.approx(score), why)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (TEXT, "text"),
        (ANY, "anything"),
        (NUMBER, "number"),
        (many(DATE), "list of date (text)"),
        (many(None), "list"),
        (many(record(), "table"), "table (list)"),
        (Shape("string", "phone_number"), "phone number (text)"),
        (MONEY, "money (number)"),
        (record(), "object"),
        (record(a=TEXT, b=TEXT), "object with a, b"),
        (record(a=TEXT, b=TEXT, c=TEXT, d=TEXT), "object with a, b, c, d"),
        (record(a=TEXT, b=TEXT, c=TEXT, d=TEXT, e=TEXT), "object with a, b, c, d, ..."),
        (union(TEXT, NUMBER), "text or number"),
    ],
)
def test_a_type_in_words(shape: Shape, words: str) -> None:
    assert str(shape) == words
