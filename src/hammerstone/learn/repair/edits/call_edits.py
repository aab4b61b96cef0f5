"""Edits of a call: without it, with other arguments, or with the ones its function often needs."""

import ast
from collections.abc import Iterator

from hammerstone.learn.repair.edits.edit_scope import EditScope, NodeEdit
from hammerstone.learn.repair.edits.node_changes import (
    add_keyword,
    drop_argument,
    drop_keyword,
    swap_arguments,
)

_SORT_KEYS = ("abs", "len", "str", "lambda x: x[0]", "lambda x: x[1]", "lambda x: -x")


def call_edits(node: ast.Call, _scope: EditScope) -> Iterator[NodeEdit]:
    yield from _without(node)
    yield from _arguments(node)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name == "range" and len(node.args) == 1:
        yield "range from 1", lambda n: n.args.insert(0, ast.Constant(1))
        yield "range from 2", lambda n: n.args.insert(0, ast.Constant(2))
    if not node.keywords:
        yield from _order(name, method)
    if name == "round" and len(node.args) == 1:
        yield "rounded to 2 places", lambda n: n.args.append(ast.Constant(2))


def _without(node: ast.Call) -> Iterator[NodeEdit]:
    if len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
        yield "a call removed", lambda n: n.args[0]
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield "a method call removed", lambda n: n.func.value


def _arguments(node: ast.Call) -> Iterator[NodeEdit]:
    if len(node.args) > 1:
        for index in range(len(node.args)):
            yield "an argument removed", drop_argument(index)
    for index in range(len(node.keywords)):
        yield "a named argument removed", drop_keyword(index)
    if len(node.args) == 2:
        yield "two arguments swapped", swap_arguments


def _order(name: str, method: str) -> Iterator[NodeEdit]:
    if name in ("sorted", "max", "min") or method == "sort":
        for source in _SORT_KEYS:
            yield f"key={source}", add_keyword("key", source)
    if name == "sorted" or method == "sort":
        yield "reverse=True", add_keyword("reverse", "True")
