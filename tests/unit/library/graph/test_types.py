"""What fits what: schemas, values, meanings, and parts of results."""

import pytest

from hammerstone.library.graph.matching import MatchLevel, match
from hammerstone.library.graph.meanings import meaning_of
from hammerstone.library.graph.shapes import Shape, routes, shape_of_schema, shape_of_value

NUMBER = {"type": "number"}
TEXT = {"type": "string"}
DATE = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
FLAG = {"type": "boolean"}


@pytest.mark.parametrize(
    ("name", "description", "kind", "meaning"),
    [
        ("start_date", "", "string", "date"),
        ("dates", "", "string", "date"),
        ("date_format", "", "string", ""),
        ("file_path", "", "string", "path"),
        ("price", "", "number", "money"),
        ("rate", "in percent", "number", "percentage"),
        ("when", "YYYY-MM-DD", "string", "date"),
        ("rows", "", "array", "table"),
        ("is_date", "", "boolean", ""),
        ("file_count", "", "integer", ""),
        ("x", "", "number", ""),
        ("price", "", "array", ""),
    ],
)
def test_names_and_descriptions_tell_what_a_value_stands_for(
    name: str, description: str, kind: str, meaning: str
) -> None:
    assert meaning_of(name, description, kind) == meaning


COMPATIBLE, CONVERTIBLE, NO = MatchLevel.COMPATIBLE, MatchLevel.CONVERTIBLE, MatchLevel.NO


@pytest.mark.parametrize(
    ("source", "target", "level"),
    [
        (NUMBER, NUMBER, COMPATIBLE),
        ({"type": "integer"}, NUMBER, COMPATIBLE),
        (NUMBER, {"type": "integer"}, CONVERTIBLE),
        (NUMBER, TEXT, CONVERTIBLE),
        (TEXT, NUMBER, CONVERTIBLE),
        ({"type": "boolean"}, NUMBER, NO),
        ({"type": "array", "items": NUMBER}, {"type": "array", "items": NUMBER}, COMPATIBLE),
        ({"type": "array", "items": NUMBER}, NUMBER, NO),
        (NUMBER, {"type": "array", "items": NUMBER}, CONVERTIBLE),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": FLAG}, NO),
        ({}, NUMBER, CONVERTIBLE),
        (NUMBER, {}, COMPATIBLE),
        (DATE, DATE, COMPATIBLE),
        (DATE, {"type": "string", "format": "email"}, NO),
        (DATE, MOMENT, CONVERTIBLE),
        ({"type": ["number", "null"]}, NUMBER, COMPATIBLE),
        ({"anyOf": [NUMBER, TEXT]}, NUMBER, CONVERTIBLE),
        (NUMBER, {"anyOf": [TEXT, NUMBER]}, COMPATIBLE),
        ({"anyOf": [NUMBER, {"type": "boolean"}]}, NUMBER, CONVERTIBLE),
        ({"enum": ["a", "b"]}, TEXT, COMPATIBLE),
        ({"type": "null"}, NUMBER, NO),
        ({"type": "object", "properties": {"a": NUMBER}, "required": ["a"]},
         {"type": "object", "properties": {"a": NUMBER}, "required": ["a"]}, COMPATIBLE),
        ({"type": "object", "properties": {"a": NUMBER}},
         {"type": "object", "properties": {"a": NUMBER}, "required": ["a"]}, CONVERTIBLE),
        ({"type": "object", "properties": {"b": NUMBER}, "required": ["b"]},
         {"type": "object", "properties": {"a": NUMBER}, "required": ["a"]}, NO),
    ],
)  # fmt: skip
def test_structural_compatibility(source: dict, target: dict, level: MatchLevel) -> None:
    found = match(shape_of_schema(source), shape_of_schema(target))
    assert found.level is level, found
    assert (found.score > 0) == bool(found)
    assert 0 <= found.score <= 1


def test_the_same_meaning_fits_better_than_the_same_type() -> None:
    date, text = Shape("string", "date"), Shape("string")
    assert match(date, date).score > match(text, text).score > match(date, text).score
    assert not match(Shape("number", "money"), Shape("number", "temperature"))


def test_broken_and_endless_schemas_are_any() -> None:
    for odd in (None, 5, [], {"type": 7}, {"properties": 3}, {"items": {}}):
        assert str(shape_of_schema(odd))
    deep: dict = {"type": "array"}
    for _ in range(500):
        deep = {"type": "array", "items": deep}
    assert match(shape_of_schema(deep), shape_of_schema(deep))


def test_values_have_the_shape_of_their_content() -> None:
    assert shape_of_value("2024-03-01").meaning == "date"
    assert shape_of_value("a@b.org").meaning == "email"
    assert shape_of_value("/data/x.csv").meaning == "path"
    assert shape_of_value([{"a": 1}, {"a": 2.5, "b": 1}]).meaning == "table"
    assert shape_of_value({"$date": "2024-03-01"}) == Shape("string", "date")
    table = {"$table": {"columns": ["a"], "rows": [], "kind": "frame"}}
    assert shape_of_value(table).meaning == "table"
    rows = {"type": "array", "items": {"type": "object"}}
    assert match(shape_of_value(table), shape_of_schema(rows)).level is MatchLevel.COMPATIBLE


def test_parts_of_a_result_can_be_handed_on() -> None:
    schema = {
        "type": "object",
        "properties": {
            "people": {
                "type": "array",
                "items": {"type": "object", "properties": {"email": TEXT}},
            }
        },
    }
    paths = {route.path: route for route in routes(shape_of_schema(schema))}
    assert ("people", "*", "email") in paths
    assert paths["people", "*", "email"].fans_out
    assert not paths["people",].fans_out


def test_a_wide_result_has_a_bounded_number_of_parts() -> None:
    wide = {"type": "object", "properties": {f"p{n}": NUMBER for n in range(5000)}}
    assert len(routes(shape_of_schema(wide))) <= 30
