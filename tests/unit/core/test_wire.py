"""What crosses the sandbox's border keeps its meaning, and decoding runs nothing."""

import datetime as dt
import decimal
import fractions
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.wire import MAX_DEPTH, Opaque, Table, WireError, decode, encode

_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=20,
)


@given(_plain)
def test_values_survive_the_border_with_their_types(value: object) -> None:
    crossed = decode(json.loads(json.dumps(encode(value))))
    assert crossed == value
    assert repr(crossed) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        {1, 2, 3},
        b"\x00\xff",
        dt.date(2024, 2, 29),
        dt.datetime(2024, 2, 29, 12, 30),
        dt.timedelta(days=1, seconds=3),
        decimal.Decimal("1.10"),
        2**100,
        1 + 2j,
        {"$tuple": [1]},
        range(1, 10, 2),
    ],
)
def test_special_values_survive(value: object) -> None:
    assert decode(json.loads(json.dumps(encode(value)))) == value


def test_numbers_beyond_pythons_decimal_limit_survive() -> None:
    assert decode(json.loads(json.dumps(encode(-(7**9000))))) == -(7**9000)


def test_nan_and_infinity_survive() -> None:
    assert math.isnan(decode(encode(math.nan)))
    assert decode(encode(-math.inf)) == -math.inf


def test_what_has_no_wire_form_is_named_not_hidden() -> None:
    crossed = decode(encode(object()))
    assert isinstance(crossed, Opaque)
    assert crossed.type_name == "object"


def test_tables_keep_columns_and_rows() -> None:
    import numpy as np

    assert decode(encode(np.array([[1, 2], [3, 4]]))) == [[1, 2], [3, 4]]
    assert decode({"$table": {"columns": ["a"], "rows": [[1]], "kind": "frame"}}) == Table(
        ["a"], [[1]]
    )


def test_nesting_is_bounded_both_ways() -> None:
    deep: list[object] = []
    for _ in range(MAX_DEPTH + 5):
        deep = [deep]
    with pytest.raises(WireError):
        encode(deep)


@pytest.mark.parametrize(
    "hostile",
    [{"$int": "x"}, {"$unknown": 1}, {"$table": 3}, {"$dict": [[1]]}, {"$set": [{"a": 1}]}],
)
def test_malformed_wire_is_an_error_of_its_own(hostile: object) -> None:
    with pytest.raises(WireError):
        decode(hostile)


@pytest.mark.parametrize(
    "sent",
    [
        {"$decimal": "1e99999999"},
        {"$decimal": "1" * 5_000},
        {"$fraction": "1/" + "7" * 5_000},
        {"$int": "0x" + "f" * 300_000},
    ],
)
def test_a_number_that_would_take_minutes_is_text(sent: dict[str, str]) -> None:
    assert isinstance(decode(sent), Opaque)


@pytest.mark.parametrize("text", ["1e99999999", "0.5", "1/2/3", "١/٢ ", "", "1_000"])
def test_a_fraction_is_two_whole_numbers(text: str) -> None:
    with pytest.raises(WireError):
        decode({"$fraction": text})


def test_large_numbers_that_can_be_handled_come_back() -> None:
    for value in (2**12_000, decimal.Decimal("1.5e300"), fractions.Fraction(10**300, 7)):
        assert decode(encode(value)) == value
