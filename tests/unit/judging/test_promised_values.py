"""Which values are made up for a schema: its limits, and never one outside."""

from typing import Any

import pytest

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Parameters
from hammerstone.judging.named_inputs import promised_inputs


def made(schema: JsonObject, limit: int = 2000, **more: Json) -> list[Any]:
    """What is made up for one parameter with this schema."""
    parameters = Parameters.of({"properties": {"x": schema}, **more})
    return [one.values[0] for one in promised_inputs(parameters, limit)]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 5}, {3, 4, 5}),
        ({"type": "integer", "exclusiveMinimum": 2, "exclusiveMaximum": 6}, {3, 4, 5}),
        ({"type": "integer", "minimum": -1, "maximum": 1}, {-1, 0, 1}),
        ({"type": "integer", "minimum": 0, "maximum": 0}, {0}),
        ({"type": "integer", "minimum": -1, "maximum": 0}, {-1, 0}),
        ({"type": "integer"}, set(range(-20, 101))),
        ({"type": "integer", "minimum": 90}, set(range(90, 101))),
        ({"type": "integer", "maximum": -15}, set(range(-20, -14))),
        ({"type": "integer", "minimum": 1000}, set(range(1000, 1101))),
        ({"type": "integer", "maximum": -50}, set(range(-150, -49))),
        ({"type": "boolean"}, {True, False}),
        ({"type": "null"}, {None}),
        ({"type": ["null", "boolean"]}, {None, True, False}),
        ({"type": "string"}, {"", "a", "Hello", "hello world", "A1 b2", "ünï", "x" * 40}),
        ({"type": "string", "enum": ["up", "down"]}, {"up", "down"}),
    ],
)
def test_every_promised_value_is_made(schema: JsonObject, expected: set[Any]) -> None:
    assert set(made(schema)) == expected


@pytest.mark.parametrize(
    ("schema", "least", "largest"),
    [
        ({"type": "number", "minimum": 0, "maximum": 1}, 0.0, 1.0),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.01, 0.99),
        ({"type": "number"}, -20.0, 100.0),
        ({"type": "number", "minimum": 500}, 500.0, 600.0),
    ],
)
def test_numbers_with_decimals_reach_both_ends(
    schema: JsonObject, least: float, largest: float
) -> None:
    values = made(schema, 50)
    assert all(isinstance(value, float) for value in values)
    assert (min(values), max(values)) == (least, largest)
    assert all(round(value, 2) == value for value in values)


@pytest.mark.parametrize(
    ("more", "lengths"),
    [({}, {0, 1, 2, 3, 6}), ({"minItems": 2}, {2, 3, 6}), ({"minItems": 7}, {7})],
)
def test_arrays_have_several_lengths_and_sometimes_equal_items(
    more: JsonObject, lengths: set[int]
) -> None:
    values = made({"type": "array", "items": {"type": "integer"}, **more}, 60)
    assert {len(value) for value in values} == lengths
    assert any(len(value) > 1 and len(set(value)) == 1 for value in values)
    assert any(len(value) > 1 and len(set(value)) > 1 for value in values)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"y": {}}},
        {"type": "array", "minItems": 1},
        {"type": "array", "items": {"type": "unheard"}, "minItems": 1},
        {},
        {"enum": []},
    ],
)
def test_no_value_can_be_made_up(schema: JsonObject) -> None:
    assert made(schema) == []


def nested(depth: int) -> JsonObject:
    schema: JsonObject = {"type": "boolean"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"y": schema}}
    return schema


def test_three_layers_are_made_and_a_fourth_is_not() -> None:
    values = made(nested(3))
    assert {"y": {"y": {"y": True}}} in values
    assert {"y": {"y": {"y": False}}} in values
    assert made(nested(4)) == []


def test_as_many_as_asked_for_each_once_and_repeatable() -> None:
    values = made({"type": "integer"}, 10)
    assert len(values) == len(set(values)) == 10
    assert values == made({"type": "integer"}, 10)


def test_parameters_that_are_not_required_are_left_out() -> None:
    schema: JsonObject = {
        "properties": {"a": {"type": "boolean"}, "b": {"type": "boolean"}},
        "required": ["b"],
    }
    (one,) = promised_inputs(Parameters.of(schema), 1)
    assert [name for name, _ in one.kwargs] == ["b"]
    both = promised_inputs(Parameters.of({"properties": schema["properties"]}), 3)
    assert all([name for name, _ in one.kwargs] == ["a", "b"] for one in both)
