"""Small arithmetic and makers are read from source; what is beyond is refused with its text."""

import ast
from typing import Any

import pytest

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.judging.rendering import MAX_SHOWN, expression_of, show, source_of
from hammerstone.judging.result_types import type_mismatch, usual_type_mismatch


def read(source: str) -> Any:
    return literal(ast.parse(source, mode="eval").body)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("7 - 2", 5),
        ("7 / 2", 3.5),
        ("7 // 2", 3),
        ("7 % 2", 1),
        ("999999999999999 + 1", 10**15),
        ("-float('inf')", float("-inf")),
        ("list()", []),
        ("list((1, 2))", [1, 2]),
        ("tuple()", ()),
        ("dict()", {}),
        ("dict([(1, float('2'))])", {1: 2.0}),
        ("{1: float('2'), 3: 4}", {1: 2.0, 3: 4}),
        ("(float('2'),)", (2.0,)),
        ("{float('2'), 3}", {2.0, 3}),
        ("frozenset()", frozenset[Any]()),
    ],
)
def test_values_that_are_more_than_literals(source: str, value: Any) -> None:
    found = read(source)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "source",
    ["1e15 + 1", "1 + 1e15", "2 ** 3", "-set()", "~float('2')", "not float('2')", "7 % 0",
     "float(1, 2)", "float(x=1)", "f.set()", "set(5)", "{1: 2, **{3: float('4')}}", "dict(a=1)",
     "{[float('1')]: 2}", "float(10 ** 400)"],
)  # fmt: skip
def test_what_is_refused(source: str) -> None:
    with pytest.raises(NotLiteral):
        read(source)


def test_a_long_part_is_named_by_its_beginning() -> None:
    with pytest.raises(NotLiteral) as refused:
        read("[g(" + "1, " * 100 + ")]")
    assert len(str(refused.value)) == 100
    assert str(refused.value).startswith("g(1, 1")


def test_a_result_is_shown_up_to_a_length() -> None:
    fits = "x" * (MAX_SHOWN - 2)  # with its quotes
    assert show(fits) == repr(fits)
    shown = show(fits + "x")
    assert len(shown) == MAX_SHOWN
    assert shown == repr(fits + "x")[: MAX_SHOWN - 3] + "..."


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ((), "()"),
        ((1,), "(1,)"),
        ((1, 2), "(1, 2)"),
        ([1], "[1]"),
        (set[int](), "set()"),
        ({2, 1}, "{1, 2}"),
        (frozenset[int](), "frozenset(set())"),
        (frozenset({1}), "frozenset({1})"),
        ({"a": [True, None]}, "{'a': [True, None]}"),
        (float("inf"), 'float("inf")'),
        (1.5, "1.5"),
        (b"a", "b'a'"),
        (object, None),
        ([object], None),
        ({"a": object}, None),
        ({object: 1}, None),
    ],
)
def test_the_source_of_a_value(value: Any, source: str | None) -> None:
    assert source_of(value) == source
    assert expression_of(value) == (source or repr(value))


@pytest.mark.parametrize(
    ("values", "noticed"),
    [(["a", 1], False), (["a", "b", 1], True), (["a"], True), ([1], False), ([], False)],
)
def test_a_wrong_type_is_the_rule_when_more_than_half_have_it(
    values: list[Json], noticed: bool
) -> None:
    assert bool(usual_type_mismatch({"type": "number"}, values)) is noticed


@pytest.mark.parametrize(
    ("returns", "value", "problem"),
    [
        ({"type": "array"}, {"$set": [1]}, ""),
        ({"type": "array", "items": {"type": "array"}}, [{"$tuple": [1]}], ""),
        ({"type": "string"}, {"$date": "2024-03-01"}, ""),
        ({"type": "object", "required": ["a"]}, {"b": 1}, "'a' is a required property"),
        ({"type": "null"}, None, ""),
        ({"type": "boolean"}, 1, "1 is not of type 'boolean'"),
        ({"type": "array"}, "ab", "'ab' is not of type 'array'"),
    ],
)
def test_a_value_as_its_schema_sees_it(returns: JsonObject, value: Json, problem: str) -> None:
    assert type_mismatch(returns, value) == problem


def test_a_complaint_is_short() -> None:
    assert len(type_mismatch({"type": "number"}, "x" * 1000)) == 200
