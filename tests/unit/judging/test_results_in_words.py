"""Results as a person would write them."""

import math
from datetime import date
from decimal import Decimal

import pytest

from hammerstone.core.json_types import Json
from hammerstone.core.wire import encode
from hammerstone.judging.rendering import in_words, plain


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (42.0, "42"),
        (0.1 + 0.2, "0.3"),
        (True, "yes"),
        (None, "nothing"),
        ("text", "text"),
        ([1.0, 2.5], "[1, 2.5]"),
        ({"a": 0.30000000000000004}, '{"a": 0.3}'),
        (1e300, "1e+300"),
        ([1e300], "[1e+300]"),
        (17_283_950_619_228.3, "17283950619228.3"),
    ],
)
def test_results_read_well(result: Json, words: str) -> None:
    assert in_words(result) == words


@pytest.mark.parametrize(
    ("value", "expected"),
    [((1, 2), [1, 2]), ({3, 1}, [1, 3]), (math.nan, "nan"), ({1: 2}, {"1": 2})],
)
def test_wire_values_become_plain_json(value: object, expected: Json) -> None:
    assert plain(encode(value)) == expected


def test_an_endless_number_is_still_written() -> None:
    huge = plain(encode(10**6000))
    assert isinstance(huge, str) and len(huge) == 6001


def test_a_malformed_value_is_nothing_rather_than_a_crash() -> None:
    assert plain({"$int": "x"}) is None


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (False, "no"),
        (-0.5, "-0.5"),
        (1e15, "1e+15"),
        (1e14, "100000000000000"),
        (1 / 3, "0.333333333333"),
        (1234567.891, "1234567.891"),
        ({"a": [True, None, "é"]}, '{"a": [true, null, "é"]}'),
        ([], "[]"),
        ([{"a": 1}], '[{"a": 1}]'),  # one cell is no table
        ([{"a": 1}, {"b": 1}], '[{"a": 1}, {"b": 1}]'),
        ([{"a": [1]}, {"a": [2]}], '[{"a": [1]}, {"a": [2]}]'),
        ([{}, {}], "[{}, {}]"),
        ([{"a": 1}, 2], '[{"a": 1}, 2]'),
    ],
)
def test_what_is_no_table_stays_on_one_line(result: Json, words: str) -> None:
    assert in_words(result) == words


def test_rows_become_a_table_with_numbers_to_the_right() -> None:
    rows: Json = [{"name": "Ada", "sum": 3.0}, {"name": "Bo\nb", "sum": 12.5}]
    assert in_words(rows) == "name   sum\n----  ----\nAda      3\nBo b  12.5"
    assert in_words([{"a": 1, "b": None}]) == "a  b\n-  -\n1"


def test_a_long_table_is_cut_and_says_so() -> None:
    lines = in_words([{"n": n} for n in range(53)]).split("\n")
    assert len(lines) == 2 + 50 + 1
    assert lines[-2:] == ["49", "... 3 more rows"]
    assert len(in_words([{"n": n} for n in range(50)]).split("\n")) == 52
    wide = in_words([{"a": "x" * 60, "b": "y" * 61}]).split("\n")[-1]
    assert wide == "x" * 60 + "  " + "y" * 57 + "..."


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.inf, "inf"), (-math.inf, "-inf"), (True, True), ([(1,), {2}], [[1], [2]]),
        (frozenset({"b", "a"}), ["a", "b"]), (2.5, 2.5), (10**4000, 10**4000),
        (date(2024, 3, 1), "2024-03-01"), (Decimal("1.50"), "1.50"),
    ],
)  # fmt: skip
def test_other_values_become_plain_json_too(value: object, expected: Json) -> None:
    assert plain(encode(value)) == expected
