"""Requests with other numbers than a tool has inside ask for another rule."""

from dataclasses import replace

import pytest

from hammerstone.core.tools import Effect, Spec
from hammerstone.run.bind.grounding import has_another_rule

PARKING = (
    "A garage takes 3 euros for the first hour and 1.50 for each further one. "
    "What do I pay for 4 hours?"
)
SPEC = Spec(
    name="parking_cost",
    description="What parking costs.",
    parameters={"type": "object", "properties": {"hours": {"type": "number"}}},
    returns={"type": "number"},
    effect=Effect.PURE,
)


@pytest.mark.parametrize(
    ("text", "hours", "another"),
    [
        (PARKING.replace("3 euros", "5 euros").replace("1.50", "2"), 4, True),
        (PARKING.replace("3 euros", "5 euros"), 4, True),
        (PARKING.replace("3 euros", "5 euros").replace("4 hours", "3 hours"), 3, True),
        (PARKING.replace("3 euros", "5 euros").replace("4 hours", "four hours"), 4, True),
        (PARKING, 4, False),
        (PARKING.replace("4 hours", "9 hours"), 9, False),
        ("What do I pay for parking 2 hours?", 2, False),
        ("What does parking cost?", 1, False),
    ],
)
def test_other_numbers_are_another_rule(text: str, hours: float, another: bool):
    ruled = replace(SPEC, constants=(3, 1.5))
    assert has_another_rule(ruled, text, {"hours": hours}) is another


def test_a_text_among_the_parameters_hides_nothing():
    spec = replace(SPEC, constants=(15,))
    other = "Pay is 18 euros an hour. From 8:00 to 16:30?"
    same = "Pay is 15 euros an hour. From 8:00 to 16:30?"
    assert not has_another_rule(spec, same, {"start": "8:00", "end": "16:30"})
    assert has_another_rule(spec, other, {"start": "8:00", "end": "16:30"})


def test_a_tool_without_numbers_inside_takes_any_request():
    assert not has_another_rule(SPEC, PARKING, {"hours": 4})
