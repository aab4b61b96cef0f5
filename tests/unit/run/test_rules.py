"""Numbers that are part of a tool's rule are in its promise, and only there."""

import pytest

from hammerstone.core.tools import Effect, Spec
from hammerstone.run.rules import has_another_rule, rule_in

PARKING = (
    "A garage takes 3 euros for the first hour and 1.50 for each further one. "
    "What are 4 hours and 20 minutes?"
)


@pytest.mark.parametrize(
    ("text", "numbers", "rule"),
    [
        (PARKING, ["3", "1.50"], PARKING.partition(" What")[0]),
        (PARKING, ["1"], ""),  # 1.50 is another number
        ("Post costs 1.80 up to 50 g! And 3.50 beyond. For 70 g?", ["3.50"], "And 3.50 beyond."),
        ("What is 5 plus 6", ["5"], "What is 5 plus 6"),
        (PARKING, [], ""),
    ],
)
def test_the_sentences_that_state_the_numbers(text: str, numbers: list[str], rule: str):
    assert rule_in(text, numbers) == rule


def test_a_rule_has_an_end():
    assert len(rule_in("7 " * 1000, ["7"])) == 400


def spec(description: str, kind: str = "number") -> Spec:
    properties = {"hours": {"type": kind}, "minutes": {"type": "number"}}
    return Spec(
        name="parking_cost",
        description=description,
        parameters={"type": "object", "properties": properties, "required": list(properties)},
        returns={"type": "number"},
        effect=Effect.PURE,
    )


RULE = f"What parking costs. {PARKING.partition(' What')[0]}"


@pytest.mark.parametrize(
    ("description", "text", "another"),
    [
        (RULE, PARKING.replace("3 euros", "5 euros").replace("1.50", "2"), True),
        (RULE, PARKING.replace("3 euros", "5 euros"), True),
        (RULE, PARKING, False),
        (RULE, "What do I pay for parking 2 hours and 10 minutes?", False),
        (RULE, "What does parking cost?", False),
        ("What parking costs.", PARKING, False),
    ],
)
def test_other_numbers_are_another_rule(description: str, text: str, another: bool):
    assert has_another_rule(spec(description), text) is another


@pytest.mark.parametrize("kind", ["array", "string"])
def test_a_list_or_a_text_takes_any_number_of_numbers(kind: str):
    assert not has_another_rule(spec(RULE, kind), "1, 2, 4, 5, 6 and 7")


def test_a_number_in_a_name_is_no_rule():
    assert not has_another_rule(spec("A SHA-256 or utf8 sum in base64."), "Of 1, 2, 4, 5 and 7")
