"""Where the border between two equal and two different results runs."""

import datetime as dt
import math
from typing import Any

import pytest

from hammerstone.core import wire
from hammerstone.judging.equality import (
    alike,
    decoded,
    grouped,
    in_order,
    same,
    same_amount,
    same_answer,
)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1.0, 1.0000009, True),
        (1.0, 1.0000021, False),
        (0.0, 0.0000009, True),
        (0.0, 0.0000011, False),
        (1e9, 1e9 + 999, True),
        (1e9, 1e9 + 1001, False),
        (1, 2, False),
        (10**400, 1.0, False),
        (10**400, 10**400, True),
        (math.nan, 1.0, False),
        (1.0, math.nan, False),
        (math.inf, math.inf, True),
        (1 + 2j, 1 + 2.0000000001j, True),
        (1 + 2j, 1 + 3j, False),
        (1 + 2j, 2 + 2j, False),
        (3 + 0j, 3, True),
        (3, 3 + 0j, True),
        (3 + 0j, "3", False),
        ("3", 3 + 0j, False),
        (wire.Table(["a"], [[1]]), [[1]], False),
        (wire.Table(["a"], [[1]]), wire.Table(["a"], [[2]]), False),
        (wire.Table(["a"], [[1]], "series"), wire.Table(["a"], [[1]]), False),
        ({"a": 1}, [1], False),
        ([1], {"a": 1}, False),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ([1, 2], [1, 2, 3], False),
        ([1, 2], [1, 3], False),
        ((1, 2), (1, 2.0), True),
        ((1, 2), [1, 2], False),
        ({1, 2}, {1, 3}, False),
        ({1}, [1], False),
        ("a", "a", True),
        ("a", "b", False),
        ("a", b"a", False),
        (dt.date(2024, 3, 1), dt.date(2024, 3, 1), True),
        (None, None, True),
    ],
)
def test_results(left: Any, right: Any, equal: bool) -> None:
    assert same(left, right) is equal
    assert same(right, left) is equal


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ({1, 2}, [2, 1], True),
        ({1, 2}, (1, 2), True),
        ({1, 2}, frozenset({2, 1}), True),
        ({1, 2}, [1, 3], False),
        ({1, 2}, "12", False),
        ([[1, 2]], [(1, 2)], True),
        ({"a": [1]}, {"a": (1,)}, True),
        (wire.Table(["a"], [[[1]]]), wire.Table(["a"], [[(1,)]]), True),
        ([1, 2], [2, 1], False),
    ],
)
def test_results_whose_container_is_open(left: Any, right: Any, equal: bool) -> None:
    assert same(left, right, loose=True) is equal
    assert same(right, left, loose=True) is equal


def test_items_in_an_order_that_does_not_depend_on_their_types() -> None:
    assert in_order({3, 1, 2}) == [1, 2, 3]
    assert in_order(["b", 1, None]) == ["b", 1, None]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (22.7, 22.75, True),
        (22.7, 22.76, False),
        (22.72, 22.725, True),
        (22.72, 22.726, False),
        (2.46, 2.464, True),
        (9.9, 9.94, False),
        ("10.0", 10.04, True),
        (-22.7, -22.72, True),
        (-22.7, 22.72, False),
        (20, 20.4, False),
        (1234567, 1234568, False),
        (12345.0, 12345.4, False),
        (2**53, 2**53, True),
        (2**53, 2**53 + 2, False),
        (1e300, 1.0000000001e300, True),
        (1e300, 2e300, False),
        ("20 kg", "20 kilograms", True),
        ("20 m", "20 minutes", True),
        ("20 km", "20 miles", False),
        ("20 min", "20 in", False),
        ("20 kg", 20, True),
        ("20 kg", "21 kg", False),
        ("03/04/2024", "03/04/2024", True),
        ("03/04/2024", "04/03/2024", False),
        ("03/04/2024", dt.date(2024, 4, 3), True),
        ("03/04/2024", dt.date(2024, 5, 3), False),
        ([1, 2], [1, 2, 3], False),
        ([1.5, "A"], ("1.5", "a"), True),
        ({1, 2}, [2, 1], True),
        ({1, 2}, [2, 3], False),
        ({1, 2}, {1, 2, 3}, False),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, False),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": 1, "b": 2}, 1, False),
        ({"a": [1, 2]}, [1, 2], True),
        ({"a": [1, 2]}, [1, 3], False),
        (["a", "b"], "a, and b", True),
        (["a", "b"], "a; b", True),
        (["a", "b"], "a\nb", True),
        (["a", "b"], "a b c", False),
        ([], "", False),
        ([1, 2], None, False),
        ({1, 2}, "2, 1", True),
        (list(range(1000)), list(range(1000)), True),
        (list(range(1000)), tuple(range(1000)), False),
        ([0.1 + 0.2] * 1000, [0.3] * 1000, False),
        (b"ab", b"ab", True),
        (b"ab", b"ac", False),
        ("x" * 201, "x" * 201 + "y", False),
        (dt.timedelta(hours=8), "8:00", True),
        (dt.timedelta(hours=8), "8:01", False),
    ],
)
def test_answers(left: Any, right: Any, equal: bool) -> None:
    assert same_answer(left, right) is equal
    assert same_answer(right, left) is equal


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([], []),
        ([5], [[0]]),
        ([5, 6, 5], [[0, 2], [1]]),
        ([20, "20 kg", "20 miles", "20 kg"], [[0, 1, 3], [2]]),
        (["20 kg", 20], [[0, 1]]),
        (["03/04/2024", "2024-04-03", "2024-03-04"], [[0, 1], [2]]),
        ([{"total": 5}, 5, 6], [[0, 1], [2]]),
        ([22.7, 22.68, 22.72, 22.72], [[0, 2, 3], [1]]),
        ([22.68, 22.72, 22.7], [[0, 2], [1]]),
    ],
)
def test_groups_of_equal_answers(values: list[Any], groups: list[list[int]]) -> None:
    assert grouped(values) == groups


@pytest.mark.parametrize(
    ("value", "written", "equal"),
    [(0.19, 19, True), (-19, 19, True), (19, 19, True), (1.9, 19, False), (20, 19, False),
     (19.0000001, 19, False), (0, 0, True), (1900, 19, False)],
)  # fmt: skip
def test_amounts(value: float, written: float, equal: bool) -> None:
    assert same_amount(value, written) is equal


def test_what_is_malformed_is_kept_to_be_looked_at() -> None:
    assert decoded({"$tuple": [1]}) == (1,)
    broken = decoded({"$date": "x" * 500})
    assert isinstance(broken, wire.Opaque)
    assert broken == wire.Opaque("malformed", repr({"$date": "x" * 500})[:200])
    assert not alike({"$tuple": 1}, {"$tuple": 2})
