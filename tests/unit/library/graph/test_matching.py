"""How well one type fits another, in numbers and in words; and the shapes they are read into."""

from typing import Any

import pytest

from hammerstone.core.json_types import Json
from hammerstone.library.graph.matching import MatchLevel, match
from hammerstone.library.graph.meanings import meaning_of
from hammerstone.library.graph.shapes import (
    ANY,
    FILE,
    Shape,
    shape_of_schema,
    shape_of_value,
)

YES, MAYBE, NO = MatchLevel.COMPATIBLE, MatchLevel.CONVERTIBLE, MatchLevel.NO
NUMBER, WHOLE, TEXT, FLAG = (Shape(kind) for kind in ("number", "integer", "string", "boolean"))
DATE, MOMENT = Shape("string", "date"), Shape("string", "datetime")
PATH, URL, JSON = Shape("string", "path"), Shape("string", "url"), Shape("string", "json")
MONEY, PERCENT = Shape("number", "money"), Shape("number", "percentage")


def listed(items: Shape | None, meaning: str = "") -> Shape:
    return Shape("array", meaning, items)


def record(*always: str, **fields: Shape) -> Shape:
    return Shape("object", "", None, tuple(fields.items()), frozenset(always))


def either(*options: Shape) -> Shape:
    return Shape("any", options=options)


@pytest.mark.parametrize(
    ("source", "target", "level", "score", "why"),
    [
        (NUMBER, NUMBER, YES, 0.6, "both are number"),
        (TEXT, TEXT, YES, 0.6, "both are text"),
        (WHOLE, NUMBER, YES, 0.6, "a whole number is a number"),
        (NUMBER, WHOLE, MAYBE, 0.33, "if it is a whole number"),
        (TEXT, NUMBER, MAYBE, 0.33, "if the text is a number"),
        (TEXT, WHOLE, MAYBE, 0.33, "if the text is a number"),
        (WHOLE, TEXT, MAYBE, 0.33, "written as text"),
        (FLAG, TEXT, NO, 0.0, "the types do not fit"),
        (FLAG, NUMBER, NO, 0.0, "the types do not fit"),
        (ANY, ANY, YES, 0.35, "neither side says its type"),
        (NUMBER, ANY, YES, 0.35, "takes anything"),
        (ANY, NUMBER, MAYBE, 0.1925, "the result's type is not said"),
        (DATE, DATE, YES, 1.0, "both are a date"),
        (Shape("string", "currency_code"), Shape("string", "currency_code"), YES, 1.0,
         "both are a currency code"),
        (Shape("integer", "money"), MONEY, YES, 1.0, "both are a money"),
        (MONEY, Shape("string", "money"), MAYBE, 0.55, "both are a money"),
        (DATE, TEXT, YES, 0.5, "both are text; one gives a date"),
        (TEXT, DATE, YES, 0.5, "both are text; one wants a date"),
        (PATH, TEXT, YES, 0.3, "both are text; one gives a path"),
        (TEXT, PATH, YES, 0.5, "both are text; one wants a path"),
        (DATE, MOMENT, MAYBE, 0.33, "a date where a datetime is wanted"),
        (URL, PATH, MAYBE, 0.33, "a url where a path is wanted"),
        (MONEY, PERCENT, MAYBE, 0.33, "a money where a percentage is wanted"),
        (DATE, URL, NO, 0.0, "the types do not fit"),
        (listed(None), listed(None), YES, 0.6, "both are lists"),
        (listed(NUMBER), listed(None), YES, 0.6, "both are lists"),
        (listed(None), listed(NUMBER), MAYBE, 0.35, "both are lists"),
        (listed(None, "table"), listed(None, "table"), YES, 1.0, "both are lists"),
        (listed(NUMBER), listed(NUMBER), YES, 0.6, "lists: both are number"),
        (listed(NUMBER), listed(WHOLE), MAYBE, 0.33, "lists: if it is a whole number"),
        (listed(FLAG), listed(NUMBER), NO, 0.0, "the types do not fit"),
        (listed(Shape("object"), "table"), listed(Shape("object"), "table"), YES, 0.8,
         "both are a table"),
        (listed(record("a", a=NUMBER), "table"), listed(record("a", a=NUMBER), "table"), YES, 1.0,
         "both are a table"),
        (NUMBER, listed(NUMBER), MAYBE, 0.33, "as a list of one"),
        (NUMBER, listed(WHOLE), NO, 0.0, "the types do not fit"),
        (NUMBER, listed(None), NO, 0.0, "the types do not fit"),
        (listed(NUMBER), NUMBER, NO, 0.0, "the types do not fit"),
        (listed(NUMBER), JSON, MAYBE, 0.33, "written as JSON"),
        (Shape("object"), JSON, MAYBE, 0.33, "written as JSON"),
        (Shape("object"), TEXT, NO, 0.0, "the types do not fit"),
        (Shape("object"), Shape("object"), YES, 0.6, "both are objects"),
        (record("a", a=NUMBER), Shape("object"), YES, 0.6, "both are objects"),
        (Shape("object"), record("a", a=NUMBER), MAYBE, 0.1925,
         "an object whose properties are not said"),
        (Shape("object"), record(a=NUMBER), YES, 0.35, "both are objects"),
        (record("a", a=NUMBER), record("a", a=NUMBER), YES, 1.0, "1 of 1 properties fit"),
        (record("a", a=NUMBER), record("a", a=NUMBER, b=TEXT), YES, 0.8, "1 of 2 properties fit"),
        (record("a", a=NUMBER), record("a", "b", a=NUMBER, b=TEXT), NO, 0.0,
         "the types do not fit"),
        (record(a=NUMBER), record("a", a=NUMBER), MAYBE, 1.0, "1 of 1 properties fit"),
        (record("a", a=NUMBER), record("a", a=WHOLE), MAYBE, 1.0, "1 of 1 properties fit"),
        (record("a", a=NUMBER), record(a=WHOLE), YES, 1.0, "1 of 1 properties fit"),
        (record("a", a=FLAG), record(a=NUMBER), NO, 0.0, "the types do not fit"),
        (record("b", b=NUMBER), record(a=NUMBER), YES, 0.35, "both are objects"),
        (either(NUMBER, WHOLE), NUMBER, YES, 0.6, "both are number"),
        (either(NUMBER, FLAG), NUMBER, MAYBE, 0.33, "sometimes: both are number"),
        (either(FLAG, listed(None)), NUMBER, NO, 0.0, "the types do not fit"),
        (either(NUMBER, TEXT), NUMBER, MAYBE, 0.33, "if the text is a number"),
        (NUMBER, either(TEXT, NUMBER), YES, 0.6, "both are number"),
        (NUMBER, either(TEXT, FLAG), MAYBE, 0.33, "written as text"),
        (FLAG, either(TEXT, NUMBER), NO, 0.0, "the types do not fit"),
    ],
)  # fmt: skip
def test_how_well_one_fits_the_other(
    source: Shape, target: Shape, level: MatchLevel, score: float, why: str
) -> None:
    found = match(source, target)
    assert (found.level, found.why) == (level, why)
    assert found.score == pytest.approx(score)
    assert bool(found) is (level is not NO)


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        ({"type": "number"}, NUMBER),
        ({"type": ["number", "null"]}, NUMBER),
        ({"type": ["number", "string"]}, either(NUMBER, TEXT)),
        ({"anyOf": [{"type": "null"}]}, Shape("null")),
        ({"oneOf": []}, ANY),
        ({"oneOf": [{"type": "string"}, {"type": "string"}]}, TEXT),
        ({"enum": [1, 2]}, WHOLE),
        ({"enum": [1, "a"]}, ANY),
        ({"const": "a"}, TEXT),
        ({"items": {"type": "string"}}, listed(TEXT)),
        ({"properties": {"a": {"type": "number"}}, "required": ["a", "b"]}, record("a", a=NUMBER)),
        ({"type": "array", "items": {"type": "object"}}, listed(Shape("object"), "table")),
        ({"type": "array", "items": True}, listed(None)),
        ({}, ANY),
        (True, ANY),
    ],
)
def test_the_shape_of_a_schema(schema: Json, shape: Shape) -> None:
    assert shape_of_schema(schema) == shape


def test_names_of_lists_are_read_in_the_singular() -> None:
    schema: Json = {"type": "array", "items": {"type": "string"}}
    assert shape_of_schema(schema, "dates") == listed(DATE)
    assert shape_of_schema(schema, "urls") == listed(URL)


def depth(shape: Shape) -> int:
    return 1 + depth(shape.items) if shape.items else 0


def test_schemas_and_values_are_read_five_deep() -> None:
    schema: Any = {"type": "boolean"}
    value: Any = True
    for _ in range(8):
        schema, value = {"type": "array", "items": schema}, [value]
    assert depth(shape_of_schema(schema)) == depth(shape_of_value(value)) == 6
    wide: Json = {"type": "object", "properties": {f"p{n}": {} for n in range(41)}}
    assert len(shape_of_schema(wide).fields) == 40
    assert len(shape_of_value({f"p{n}": n for n in range(41)}).fields) == 40


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (None, Shape("null")),
        (True, FLAG),
        (5, WHOLE),
        (2.5, NUMBER),
        ("text", TEXT),
        ("2024-03-01", DATE),
        ("2024-03-01T10:00", MOMENT),
        ("https://a.example/x", URL),
        ("data.csv", PATH),
        ("~/notes", PATH),
        ("x" * 501, TEXT),
        ([], listed(None)),
        ([1, 2], listed(WHOLE)),
        ([1, 2.5], listed(NUMBER)),
        (["a", 1], listed(either(TEXT, WHOLE))),
        ([{"a": 1}, {"a": 2}], listed(record("a", a=WHOLE), "table")),
        ({"a": 1}, record("a", a=WHOLE)),
        ({"$tuple": [1, 2]}, listed(WHOLE)),
        ({"$date": "x"}, DATE),
        ({"$timedelta": 5}, Shape("number", "duration")),
        ({"$decimal": "1"}, NUMBER),
        ({"$int": "1"}, WHOLE),
        ({"$table": {}}, listed(Shape("object"), "table")),
        (object(), ANY),
    ],
)
def test_the_shape_of_a_value(value: Any, shape: Shape) -> None:
    assert shape_of_value(value) == shape


def test_rows_that_differ_share_what_all_have() -> None:
    shape = shape_of_value([{"a": 1, "b": 2}, {"a": 3}])
    assert shape.items is not None
    assert shape.items.always == frozenset({"a"})
    assert shape_of_value([1] * 20 + ["a"]) == listed(WHOLE)  # the first twenty tell
    assert shape_of_value([1] * 19 + ["a"]) == listed(either(WHOLE, TEXT))
    assert FILE == PATH


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (TEXT, "text"),
        (ANY, "anything"),
        (Shape("object"), "object"),
        (MONEY, "money (number)"),
        (Shape("string", "currency_code"), "currency code (text)"),
        (listed(DATE), "list of date (text)"),
        (listed(None), "list"),
        (listed(Shape("object"), "table"), "table (list)"),
        (either(NUMBER, TEXT), "number or text"),
        (record(a=NUMBER, b=NUMBER), "object with a, b"),
        (record(**dict.fromkeys("abcd", NUMBER)), "object with a, b, c, d"),
        (record(**dict.fromkeys("abcde", NUMBER)), "object with a, b, c, d, ..."),
    ],
)
def test_a_type_in_a_persons_words(shape: Shape, words: str) -> None:
    assert str(shape) == words


def test_equal_shapes_are_equal_keys() -> None:
    assert hash(listed(DATE)) == hash(listed(Shape("string", "date")))
    assert record(a=NUMBER).property("a") == NUMBER
    assert record(a=NUMBER).property("b") is None
    assert shape_of_schema({"type": "number"}) is shape_of_schema({"type": "number"})


@pytest.mark.parametrize(
    ("name", "description", "kind", "form", "meaning"),
    [
        ("x", "", "string", "date-time", "datetime"),
        ("x", "", "string", "unheard", ""),
        ("startDate", "", "string", "", "date"),
        ("date", "", "number", "", ""),
        ("timestamp", "", "number", "", "datetime"),
        ("user_id", "", "integer", "", "id"),
        ("ids", "", "array", "", ""),
        ("colour", "", "object", "", ""),
        ("lat", "", "number", "", "latitude"),
        ("lat", "", "integer", "", ""),
        ("total", "in euros", "number", "", "money"),
        ("file_name", "", "string", "", ""),
        ("name_of_file", "", "string", "", "path"),
        ("when", "x" * 300 + " yyyy-mm-dd", "string", "", ""),
        ("bus", "", "string", "", ""),
    ],
)
def test_what_a_value_stands_for(
    name: str, description: str, kind: str, form: str, meaning: str
) -> None:
    assert meaning_of(name, description, kind, form) == meaning
