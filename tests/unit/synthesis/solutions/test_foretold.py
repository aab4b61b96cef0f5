"""Answers in words, as statements about a call."""

import pytest

from hammerstone.synthesis.code.replies import read_foretold


@pytest.mark.parametrize(
    ("text", "result", "agrees"),
    [
        ("15% of 86.40 is 12.96.\nAnswer: 12.96", 12.96, True),
        ("Answer: 12.96", 12.9612, True),
        ("Answer: 12.96", 13.0, False),
        ("Answer: $12.96", "12.96", True),
        ("Answer: 1,250 euros", 1250, True),
        ("Answer: 40%", "40%", True),
        ("**Answer:** Tuesday.", "tuesday", True),
        ("Answer: Tuesday", "Monday", False),
    ],
)
def test_an_answer_agrees_with_a_result_that_says_the_same(
    text: str, result: object, agrees: bool
) -> None:
    (statement,) = read_foretold(text, "f(1)")
    test = statement.removeprefix("assert ")
    assert eval(test, {"f": lambda _: result}) is agrees


@pytest.mark.parametrize("text", ["", "I do not know.", "Answer: 3 apples and 4 pears", "Answer:"])
def test_what_names_no_single_value_states_nothing(text: str) -> None:
    assert read_foretold(text, "f(1)") == []
