"""Values that a person would call the same answer are, and grouping joins no others."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.judging.equality import grouped, same_answer


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (22.72, 22.7244),
        (22.7, 22.7244),
        (22.7, 22.72),
        (0.33, 1 / 3),
        (66.67, "66.67"),
        ("Q3", 3),
        ("Q3", "3rd quarter"),
        (3, "3rd quarter"),
        (3, "3rd"),
        ([1, 2], (1, 2)),
        ({1, 2}, [2, 1]),
        (20, "20 minutes"),
        (20, "20.0"),
        ("20 minutes", "20 min"),
        ("$20.00", 20),
        ("$20.00", "20 dollars"),
        ("1,250", 1250),
        ("1,250 kg", 1250.0),
        ("15%", 15),
        ("15%", "15 percent"),
        (True, "yes"),
        (True, "True"),
        (True, "Yes."),
        (False, "no, it is not"),
        ("Tuesday", " tuesday. "),
        ('"abc"', "ABC"),
        ([5], 5),
        ({"total": 5}, 5),
        ({"total": 5}, "5 apples"),
        (["a"], "A"),
        (dt.date(2024, 3, 1), "2024-03-01"),
        (dt.datetime(2024, 3, 1), "2024-03-01"),
        (dt.date(2024, 3, 1), "March 1, 2024"),
        (dt.date(2024, 3, 1), "1 March 2024"),
        (dt.date(2024, 3, 1), "Friday, March 1st, 2024"),
        (dt.date(2024, 3, 1), "03/01/2024"),
        (dt.date(2024, 3, 1), "01.03.2024"),
        ("2024-03-01 00:00:00", "2024-03-01"),
        ("08:05", "8:05 AM"),
        ("08:05", "8:05"),
        ("20:05", "8:05 p.m."),
        ("08:05:00", dt.time(8, 5)),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c"], "['a', 'b', 'c']"),
        (["a", "b", "c"], "a b c"),
        ([1, 2.5], "1, 2.5"),
        ({"A": 1, "b": 2}, {"a": 1.0, "B": "2"}),
    ],
)
def test_the_same_answer(left: object, right: object) -> None:
    assert same_answer(left, right)
    assert same_answer(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (3, 4),
        (972_996_775, 972_997_745),
        (23, 22.7244),
        (2.5, 2.46),
        (3, 3.5),
        (22.72, 22.73),
        (22.68, 22.72),
        ("20 minutes", "20 hours"),
        ("20 minutes", 21),
        (0, False),
        (1, True),
        (None, 0),
        ("", 0),
        ([1, 2], [2, 1]),
        ([1, 2], 1),
        ({"Ann": 5}, {"Bob": 5}),
        ("03/01/2024", "01/03/2024"),
        ("2024-03-01", "2024-01-03"),
        ("08:05", "20:05"),
        ("08:05", "8:05 PM"),
        ("05:08", 5),
        ("room 3 of 4", 3),
        ("abc1", "abc2"),
        ("10:27", "10/27"),
        (["a", "b"], "b, a"),
    ],
)
def test_another_answer(left: object, right: object) -> None:
    assert not same_answer(left, right)
    assert not same_answer(right, left)


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.dates(),
    st.times(),
    st.from_regex(r"[$€Q]?-?\d{1,4}(\.\d{1,4})?( min| minutes| h)?", fullmatch=True),
    st.from_regex(r"\d{1,2}[/.:-]\d{1,2}([/.:-]\d{4})?", fullmatch=True),
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=6,
)


@given(values, values)
def test_symmetric(left: Any, right: Any) -> None:
    assert same_answer(left, right) == same_answer(right, left)


@given(values)
def test_every_value_is_the_same_as_itself(value: Any) -> None:
    assert same_answer(value, value)


@given(st.floats(-1e6, 1e6), st.integers(2, 5))
def test_a_value_and_its_rounding(value: float, decimals: int) -> None:
    rounded = f"{value:.{decimals}f}"
    assert same_answer(value, rounded)
    assert same_answer(rounded, value)


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9))
def test_whole_numbers_are_apart(left: int, right: int) -> None:
    assert same_answer(left, right) == (left == right)
    assert same_answer(left, float(right)) == (left == right)


@given(st.lists(values, max_size=8))
def test_groups_hold_every_value_once_and_only_equals(several: list[Any]) -> None:
    groups = grouped(several)
    assert sorted(at for group in groups for at in group) == list(range(len(several)))
    for group in groups:
        assert all(same_answer(several[a], several[b]) for a in group for b in group)


@given(st.lists(st.integers(0, 9) | st.integers(0, 9).map(str), min_size=1, max_size=8))
def test_no_group_merges_two_whole_numbers(several: list[Any]) -> None:
    for group in grouped(several):
        assert len({int(several[at]) for at in group}) == 1


def test_groups_do_not_chain() -> None:
    assert grouped([22.7, 22.72, 22.7244]) == [[0, 1, 2]]
    assert grouped([22.7, 22.72, 22.68]) == [[0, 1], [2]]
    assert grouped([20, "20 minutes", "20 hours", "20 hours"]) == [[0, 2, 3], [1]]


def test_a_huge_value_is_cheap() -> None:
    huge = list(range(2_000_000))
    assert same_answer(huge, list(huge))
    assert not same_answer(huge, [*huge[:-1], -1])
    assert not same_answer("x" * 10_000_000, 5)
