"""What a model took from a request, held against the request."""

import pytest

from hammerstone.core.json_types import Json
from hammerstone.core.tools import Spec
from hammerstone.run.bind.grounding import ground, occurs

WEATHER = Spec(
    "weather",
    "",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "unit": {"type": "string"},
        },
        "required": ["city", "days"],
    },
    {},
)


def test_what_a_model_makes_up_is_not_passed_on() -> None:
    values = {"city": "Oslo", "days": 3, "unit": "kelvin"}
    grounded = ground(WEATHER, dict(values), "weather in Oslo", certain={})
    assert grounded.values == {"city": "Oslo", "days": 3}
    assert grounded.invented == ("days",)
    told = ground(WEATHER, dict(values), "weather in Oslo for 3 days in kelvin", certain={})
    assert (told.values, told.invented) == (values, ())


def test_what_is_certain_is_not_held_against_the_words() -> None:
    grounded = ground(WEATHER, {"city": "Oslo", "days": 3}, "the weather", certain={"days": 3})
    assert (grounded.values["days"], grounded.invented) == (3, ("city",))


@pytest.mark.parametrize(
    ("value", "request_text", "found"),
    [
        (0.19, "19 percent of it", True),
        (-40, "minus 40 degrees", True),
        (1200, "1,200 euros", True),
        (3, "three weeks", True),
        (12, "monthly compounding", False),
        ([1, 2], "1, 2 and 3", True),
        ([1, 9], "1, 2 and 3", False),
        ("women", "one woman", True),
        ("Bergen", "weather in Oslo", False),
        (None, "nothing", False),
    ],
)
def test_a_value_occurs_in_the_words_or_not(value: Json, request_text: str, found: bool) -> None:
    assert occurs(value, request_text) is found
