"""Single changes that mutants and repairs share."""

import ast
import pickle

import pytest

from hammerstone.judging.edit_operators import (
    Change,
    edited,
    exchange_and_or,
    negate_test,
    set_comparison,
    set_part,
)


def changed(code: str, kind: type[ast.AST], change: Change) -> str:
    """The code after a change of the first node of a kind."""
    tree = ast.parse(code)
    place = next(n for n, node in enumerate(ast.walk(tree)) if isinstance(node, kind))
    return edited(pickle.dumps(tree), place, change)


@pytest.mark.parametrize(
    ("code", "kind", "change", "result"),
    [
        ("a and b", ast.BoolOp, exchange_and_or, "a or b"),
        ("a or b", ast.BoolOp, exchange_and_or, "a and b"),
        ("a < b < c", ast.Compare, set_comparison(1, ast.GtE), "a < b >= c"),
        ("a + b", ast.BinOp, set_part("op", ast.Sub), "a - b"),
        ("a + 1", ast.Constant, set_part("value", 2), "a + 2"),
        ("b if a else c", ast.IfExp, negate_test, "b if not a else c"),
        ("b if not a else c", ast.IfExp, negate_test, "b if a else c"),
        ("f(a)", ast.Call, lambda node: node.args[0], "a"),
    ],
)
def test_one_place_is_changed(code: str, kind: type[ast.AST], change: Change, result: str) -> None:
    assert changed(code, kind, change) == result


def test_what_cannot_be_changed_gives_nothing() -> None:
    assert changed("a + b", ast.BinOp, set_comparison(0, ast.Eq)) == ""
