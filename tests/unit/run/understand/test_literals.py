"""Values that a text states outright."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.run.understand.literals import LiteralKind, bare_lists, find_literals


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("What is 17.5% of 240?", [17.5, 240]),
        ("a price of $1,250.50", [1250.5]),
        ("from -3 to +4", [-3, 4]),
        ("say 'it's fine' and \"done\"", ["it's fine", "done"]),
        ("the mean of [2, 4, 9]", [[2, 4, 9]]),
        ("tags ['a', 'b']", [["a", "b"]]),
        ('the row {"a": [1, 2]}', [{"a": [1, 2]}]),
        ("the total in /files/sales.csv", ["/files/sales.csv"]),
        ("how old on 2024-03-01", ["2024-03-01"]),
        ("two tickets", [2]),
        ("the one that fits", []),
        ("rs6034464 and v2", []),
        ("an open [ bracket", []),
    ],
)
def test_values_are_found_as_they_are_written(text: str, values: list[object]) -> None:
    assert [literal.value for literal in find_literals(text)] == values


def test_a_percentage_is_told_from_a_number() -> None:
    kinds = [literal.kind for literal in find_literals("10% or 5 percent of 80")]
    assert kinds == [LiteralKind.PERCENT, LiteralKind.PERCENT, LiteralKind.NUMBER]


def test_numbers_in_a_row_are_a_list() -> None:
    assert [each.value for each in bare_lists("the mean of 3, 5 and 9")] == [[3, 5, 9]]
    assert bare_lists("17.5% of 240") == []


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    ends = 0
    for literal in find_literals(text):
        assert ends <= literal.start < literal.end <= len(text)
        ends = literal.end
