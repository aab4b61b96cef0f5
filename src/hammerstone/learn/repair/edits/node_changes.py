"""An edit of one node: what it may bring in, and the changes that it makes."""

import ast
import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

from hammerstone.judging.edit_operators import Change

NodeEdit: TypeAlias = tuple[str, Change]
"""What an edit says to a person, and the change itself."""


@dataclass(frozen=True, slots=True)
class EditScope:
    """What an edit may bring in: the function's own names and constants, and given texts."""

    names: tuple[str, ...]
    functions: tuple[str, ...]
    numbers: tuple[int | float, ...]
    texts: tuple[str, ...]


def expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def become(new: ast.expr) -> Change:
    return lambda _node: copy.deepcopy(new)


def wrap(name: str) -> Change:
    return lambda node: ast.Call(ast.Name(name, ast.Load()), [node], [])


def reverse(node: ast.expr) -> ast.AST:
    shape = expression("x[::-1]")
    assert isinstance(shape, ast.Subscript)
    shape.value = node
    return shape


def swap_sides(node: Any) -> None:
    assert isinstance(node, ast.Compare)
    node.left, node.comparators[0] = node.comparators[0], node.left


def swap_operands(node: Any) -> None:
    assert isinstance(node, ast.BinOp)
    node.left, node.right = node.right, node.left


def regroup_left(node: Any) -> ast.AST:
    assert isinstance(node, ast.BinOp) and isinstance(node.right, ast.BinOp)
    inner = ast.BinOp(node.left, node.op, node.right.left)
    return ast.BinOp(inner, node.right.op, node.right.right)


def regroup_right(node: Any) -> ast.AST:
    assert isinstance(node, ast.BinOp) and isinstance(node.left, ast.BinOp)
    inner = ast.BinOp(node.left.right, node.op, node.right)
    return ast.BinOp(node.left.left, node.left.op, inner)


def swap_ends(node: Any) -> None:
    assert isinstance(node, ast.Slice)
    node.lower, node.upper = node.upper, node.lower


def drop_value(index: int) -> Change:
    def change(node: Any) -> ast.AST | None:
        assert isinstance(node, ast.BoolOp)
        del node.values[index]
        return node.values[0] if len(node.values) == 1 else None

    return change


def drop_argument(index: int) -> Change:
    return lambda node: node.args.pop(index) and None


def drop_keyword(index: int) -> Change:
    return lambda node: node.keywords.pop(index) and None


def swap_arguments(node: Any) -> None:
    node.args.reverse()


def add_keyword(name: str, source: str) -> Change:
    return lambda node: node.keywords.append(ast.keyword(name, expression(source)))
