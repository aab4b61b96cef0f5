"""Values and calls as source, which evaluates to what it was made from."""

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.judging.equality import same
from hammerstone.judging.literals import literal
from hammerstone.judging.rendering import call_source, joined_call, show, source_of, wire_source


def test_values_are_shown_as_python() -> None:
    assert show({"$tuple": [1]}) == "(1,)"
    assert show({"$set": [2, 1]}) == "{1, 2}"
    assert show({"$float": "nan"}) == 'float("nan")'
    assert show(["x" * 1000]).endswith("...")


@pytest.mark.parametrize(
    ("call", "source"),
    [
        (Call(source="f(1) + 1"), "f(1) + 1"),
        (Call(), "f()"),
        (Call(args=(1, "a"), kwargs={"k": None}), "f(1, 'a', k=None)"),
        (Call(args=({"$tuple": []},), kwargs={"s": {"$set": []}}), "f((), s=set())"),
        (Call(args=({"$float": "-inf"},)), 'f(float("-inf"))'),
        (Call(args=({"$date": "2024-03-01"},)), None),
        (Call(kwargs={"a": {"$unheard": 1}}), None),
    ],
)
def test_calls_are_expressions(call: Call, source: str | None) -> None:
    assert call_source(call, "f") == source


def test_a_call_without_the_source_of_an_argument_has_none() -> None:
    assert joined_call("f", ["1"], {"k": "2"}) == "f(1, k=2)"
    assert joined_call("f", ["1", None], {}) is None
    assert joined_call("f", [], {"k": None}) is None


@pytest.mark.parametrize("value", [1 + 2j, range(3), [range(3)], {"a": (1j,)}])
def test_what_cannot_be_read_back_is_left_out_where_it_has_to_be(value: Any) -> None:
    assert source_of(value) == repr(value)
    assert source_of(value, readable=True) is None


def test_a_malformed_value_has_no_source() -> None:
    malformed: Json = {"$tuple": 3}
    assert wire_source(malformed) is None


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers() | st.text(max_size=3), max_size=3)
    ),
    max_leaves=8,
)


@given(plain)
def test_what_is_readable_is_read_back(value: Any) -> None:
    source = source_of(value, readable=True)
    assert source is not None
    assert same(literal(ast.parse(source, mode="eval").body), value)
