"""Changes of one place in a program: what mutants and repairs have in common.

The two ask for different changes. A mutant (`judging.mutants`) shows whether a suite notices a
mistake: one change for each place, and always the same ones, or scores could not be compared. A
repair (`learn.repair.edit_operators`) takes back a mistake that nobody has seen: every alternative
at a place, each with how unlikely it is. So each keeps its own list of changes. The same for both
are opposites, names taken for each other, the single steps, and the way a change gets into a copy.
"""

import ast
import copy
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, cast

Change: TypeAlias = Callable[[Any], ast.AST | None]
"""Changes the node that it is given, or returns the one that takes its place."""

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
MISTAKEN_NAMES = (("min", "max"), ("any", "all"), ("upper", "lower"), ("startswith", "endswith"))
"""Functions and methods that are taken for each other, either way."""


Operator: TypeAlias = type[ast.cmpop] | type[ast.operator]


@cache
def sign_of(operator: Operator) -> str:
    """An operator as it is written in a program: `<=`, `not in`, `//`."""
    left, right = ast.Name("a", ast.Load()), ast.Name("b", ast.Load())
    if issubclass(operator, ast.cmpop):
        whole: ast.expr = ast.Compare(left, [operator()], [right])
    else:
        whole = ast.BinOp(left, operator(), right)
    return ast.unparse(whole)[2:-2]


def edited(frozen: bytes, place: int, change: Change) -> str:
    """The source of a pickled tree after one change; empty where it cannot be made.

    `place` counts in the order of `ast.walk`. A tree that is read back for each change is much
    quicker than a deep copy.
    """
    clone: ast.AST = pickle.loads(frozen)  # noqa: S301 - written a moment ago, by the caller
    node = next(node for number, node in enumerate(ast.walk(clone)) if number == place)
    try:
        new = change(node)
        if new is not None and new is not node:
            _Put(node, new).visit(clone)
        return ast.unparse(ast.fix_missing_locations(clone))
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError):
        return ""


class _Put(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def set_part(name: str, value: object) -> Change:
    """Gives a node's field a value, or a new node of a class."""

    def change(node: Any) -> None:
        new = cast(type[Any], value)() if isinstance(value, type) else copy.deepcopy(value)
        setattr(node, name, new)

    return change


def set_comparison(index: int, kind: type[ast.cmpop]) -> Change:
    """Makes one operator of a comparison another."""

    def change(node: Any) -> None:
        node.ops[index] = kind()

    return change


def exchange_and_or(node: Any) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def negate_test(node: Any) -> None:
    """Turns the condition of an `if` or a `while` round, without a double `not`."""
    test: ast.expr = node.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        node.test = test.operand
    else:
        node.test = ast.UnaryOp(ast.Not(), test)
