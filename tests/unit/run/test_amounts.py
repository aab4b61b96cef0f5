"""Amounts in words become numbers with their units."""

from dataclasses import replace

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Spec
from hammerstone.run.amounts import in_numbers
from hammerstone.run.units import amounts_in

TEXT = {"type": "string", "description": "how long it takes"}
SPEC = Spec(
    name="arrival",
    description="When a train arrives.",
    parameters={
        "type": "object",
        "properties": {"departure": {"type": "string"}, "duration": TEXT},
        "required": ["departure", "duration"],
    },
    returns={"type": "string"},
    effect=Effect.PURE,
)
REQUEST = "My train left at 08:47 and took 3 hours and 35 minutes. When did it arrive?"


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("3 hours and 35 minutes", {"hours": 3, "minutes": 35}),
        ("3 hours, 35 minutes", {"hours": 3, "minutes": 35}),
        ("2.5 kg", {"kg": 2.5}),
        ("5 feet 11 inches", {"feet": 5, "inches": 11}),
        ("08:47", {}),
        ("3 apples", {}),
        ("about 3 hours", {}),
        ("3 hours and 2 hours", {}),
        ("", {}),
        ("1" * 5000 + " hours", {}),
    ],
)
def test_a_text_of_amounts_is_read_and_no_other(text: str, amounts: dict[str, float]):
    assert amounts_in(text) == amounts


def test_each_unit_becomes_a_number_in_the_place_of_the_text():
    words: JsonObject = {"departure": "08:47", "duration": "3 hours and 35 minutes"}
    spec, values = in_numbers(REQUEST, SPEC, words)
    properties = spec.parameters["properties"]
    assert list(properties) == ["departure", "duration_hours", "duration_minutes"]
    assert spec.parameters["required"] == list(properties)
    assert properties["duration_hours"] == {
        "type": "integer",
        "description": "the hours of the duration",
    }
    assert values == {"departure": "08:47", "duration_hours": 3, "duration_minutes": 35}


def test_what_is_no_amount_stays_as_it_is():
    values = {"departure": "08:47", "duration": "a while"}
    assert in_numbers(REQUEST, SPEC, values) == (SPEC, values)
    assert in_numbers(REQUEST, SPEC, values)[0] is SPEC


def test_what_may_be_left_out_may_still_be():
    loose = replace(SPEC, parameters={**SPEC.parameters, "required": ["duration"]})
    spec, _ = in_numbers(REQUEST, loose, {"departure": "08:47", "duration": "35 minutes"})
    assert spec.parameters["required"] == ["duration_minutes"]


@pytest.mark.parametrize("quoted", ['"35 minutes"', "“35 minutes”", "'35 minutes'"])
def test_a_quoted_amount_is_meant_as_text(quoted: str):
    values: JsonObject = {"departure": "", "duration": "35 minutes"}
    assert in_numbers(f"How many seconds is {quoted}?", SPEC, values) == (SPEC, values)


def test_one_unit_alone_may_be_a_fraction():
    spec, _ = in_numbers(REQUEST, SPEC, {"departure": "", "duration": "3 hours"})
    assert spec.parameters["properties"]["duration_hours"]["type"] == "number"


@pytest.mark.parametrize(
    ("name", "value", "numbers"),
    [
        ("hours_and_minutes", "3 hours and 35 minutes",
         {"hours_and_minutes_hours": 3, "hours_and_minutes_minutes": 35}),
        ("height_cm", "1 m 80 cm", {"height_cm_m": 1, "height_cm_cm": 80}),
        ("height_cm", "180 cm", {"height_cm": 180}),
        ("time", "5 m", {"time_m": 5}),
    ],
)  # fmt: skip
def test_no_amount_is_lost_whatever_the_name(name: str, value: str, numbers: JsonObject):
    spec = replace(SPEC, parameters={"type": "object", "properties": {name: TEXT}})
    assert in_numbers("", spec, {name: value})[1] == numbers


def test_a_name_that_is_taken_is_left_alone():
    properties = {"duration": TEXT, "duration_hours": {"type": "number"}}
    spec = replace(SPEC, parameters={"type": "object", "properties": properties})
    values: JsonObject = {"duration": "3 hours", "duration_hours": 7}
    assert in_numbers("", spec, values) == (spec, values)
