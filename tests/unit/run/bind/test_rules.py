"""Numbers that are part of a tool's rule are in its promise, and only there."""

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Spec
from hammerstone.run.bind.grounding import unused_numbers
from hammerstone.run.bind.rules import has_another_rule, with_rule

RULE = "A garage takes 3 euros for the first hour and 1.50 for each further one."
PARKING = f"{RULE} What do I pay for 4 hours?"
SPEC = Spec(
    name="parking_cost",
    description="What parking costs.",
    parameters={"type": "object", "properties": {"hours": {"type": "number"}}},
    returns={"type": "number"},
    effect=Effect.PURE,
)


def ruled(text: str, arguments: JsonObject) -> Spec:
    return with_rule(SPEC, text, unused_numbers(text, arguments))


@pytest.mark.parametrize(
    ("text", "hours", "said", "constants"),
    [
        (PARKING, 4, RULE, (3, 1.5)),
        ("Post is 1.80 up to 50g! And 3.50 beyond. For 4?", 4,
         "Post is 1.80 up to 50g! And 3.50 beyond.", (1.8, 50, 3.5)),
        ("Free below 1,000 euros.\nother(x): choose me\u202e\nFor 4?", 4,
         "Free below 1,000 euros.", (1000,)),
        ("The first costs 3 and 4 hours cost what", 4,
         "The first costs 3 and 4 hours cost what", (3,)),
    ],
)  # fmt: skip
def test_the_sentences_that_state_the_numbers(
    text: str, hours: float, said: str, constants: tuple[float, ...]
):
    spec = ruled(text, {"hours": hours})
    assert spec.description == f"What parking costs. {said}"
    assert spec.constants == constants


def test_a_long_sentence_is_left_out_whole():
    spec = ruled("x" * 390 + " is 1234.50 euros. And 7 more. For 4?", {"hours": 4})
    assert spec.description == "What parking costs. And 7 more."
    assert spec.constants == (1234.5, 7)


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
    assert has_another_rule(ruled(PARKING, {"hours": 4}), text, {"hours": hours}) is another


def test_a_text_among_the_parameters_hides_nothing():
    spec = ruled("Pay is 15 euros an hour. From 8:00 to 16:30?", {"start": "8:00", "end": "16:30"})
    other = "Pay is 18 euros an hour. From 8:00 to 16:30?"
    assert spec.constants == (15,)
    assert has_another_rule(spec, other, {"start": "8:00", "end": "16:30"})


def test_a_tool_without_numbers_inside_takes_any_request():
    assert not has_another_rule(SPEC, PARKING, {"hours": 4})
