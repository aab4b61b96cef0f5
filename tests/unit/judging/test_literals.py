"""Values are read from source, and nothing is run."""

import ast
from typing import Any

import pytest

from hammerstone.judging.literals import NotLiteral, literal


def read(source: str) -> Any:
    return literal(ast.parse(source, mode="eval").body)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("[1, (2.5, 'a'), {'k': None}]", [1, (2.5, "a"), {"k": None}]),
        ("set()", set[Any]()),
        ("frozenset([1])", frozenset({1})),
        ("float('inf')", float("inf")),
        ("[-float('inf'), tuple([1])]", [float("-inf"), (1,)]),
        ("{'a': float('inf'), 'b': {1 + 1}}", {"a": float("inf"), "b": {2}}),
        ("2 + 3 * 4", 14),
        ("-(2 + 3)", -5),
    ],
)
def test_constants_and_a_little_more(source: str, value: Any) -> None:
    assert read(source) == value


@pytest.mark.parametrize(
    "source",
    [
        "x",
        "f(1)",
        "float('x')",
        "1 / 0",
        "10 ** 9",
        "1e16 * 2",
        "'a' + 'b'",
        "list(1, 2)",
        "[x]",
        "{**{}, 1: x}",
        "{[1 + 1]}",
    ],
)
def test_anything_else_is_refused(source: str) -> None:
    with pytest.raises(NotLiteral):
        read(source)


def test_the_part_that_is_no_literal_is_named() -> None:
    with pytest.raises(NotLiteral, match=r"^open\('x'\)$"):
        read("[1, open('x')]")
