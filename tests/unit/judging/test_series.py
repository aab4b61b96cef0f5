"""Which numbers are followed, and which are unusual."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.judging.series import numbers_of, unusual

STEADY = [100, 102, 99, 101, 103, 98, 100, 101]


def found(before: list[float], value: float) -> bool:
    return unusual("value", before, value, after=8, spread=3.5) is not None


@pytest.mark.parametrize(
    ("result", "numbers"),
    [
        (42, {"value": 42.0}),
        ({"sum": 1.5, "name": "x", "ok": True}, {"sum": 1.5}),
        ("42", {}),
        (True, {}),
        (None, {}),
        (math.nan, {}),
        ([1, 2], {}),
    ],
)
def test_numbers_of(result: object, numbers: dict[str, float]) -> None:
    assert numbers_of(result) == numbers  # type: ignore[arg-type]


def test_far_from_the_others() -> None:
    assert found(STEADY, 150)
    assert not found(STEADY, 104)


def test_a_few_odd_values_before_do_not_hide_the_next() -> None:
    assert found([*STEADY, 100, 100, 500, -300], 150)


def test_too_little_history_says_nothing() -> None:
    assert not found(STEADY[:7], 1_000_000)


def test_always_the_same_and_then_another() -> None:
    assert found([5.0] * 8, 6.0)
    assert not found([5.0] * 8, 5.0)
    assert not found([*[5.0] * 7, 6.0], 6.0)  # it occurred before


@given(st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=30), st.floats(-1e6, 1e6))
def test_where_it_lies_does_not_matter_only_how_far(before: list[float], value: float) -> None:
    moved = [round(one) + 1000.0 for one in before]
    assert found([round(one) * 1.0 for one in before], round(value) * 1.0) == found(
        moved, round(value) + 1000.0
    )
