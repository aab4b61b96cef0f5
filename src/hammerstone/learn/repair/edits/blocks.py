"""Edits of blocks: statements too many, in the wrong order, or one level too deep."""

import ast
from collections.abc import Iterator
from typing import Any

from hammerstone.judging.edit_operators import Change
from hammerstone.learn.repair.edits.node_changes import NodeEdit

_BLOCKS = (ast.For, ast.While, ast.If)


def block_edits(node: ast.AST) -> Iterator[NodeEdit]:
    """Statements dropped, moved out of a block, exchanged; loops left or continued."""
    body: list[ast.stmt] = getattr(node, "body", [])
    for index, statement in enumerate(body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring
        if len(body) > 1:
            yield "a statement removed", _drop_statement("body", index)
        if index + 1 < len(body):
            yield "two statements swapped", _swap_statements("body", index)
        yield from _statement(statement, index, last=index + 1 == len(body))
    if getattr(node, "orelse", []):
        yield "without else", lambda n: setattr(n, "orelse", [])


def _statement(statement: ast.stmt, index: int, last: bool) -> Iterator[NodeEdit]:
    if isinstance(statement, ast.If):
        yield "only what the condition guards", _unwrap(index)
    if isinstance(statement, _BLOCKS):
        if len(statement.body) > 1:
            yield "the last statement after the block", _dedent(index)
        if not last:
            yield "the next statement inside the block", _indent(index)
    if isinstance(statement, ast.Break):
        yield "continue instead of break", _put_statement("body", index, ast.Continue())
    if isinstance(statement, ast.Continue):
        yield "break instead of continue", _put_statement("body", index, ast.Break())


def _drop_statement(part: str, index: int) -> Change:
    return lambda node: getattr(node, part).pop(index) and None


def _put_statement(part: str, index: int, new: ast.stmt) -> Change:
    return lambda node: getattr(node, part).__setitem__(index, new)


def _swap_statements(part: str, index: int) -> Change:
    def change(node: Any) -> None:
        body = getattr(node, part)
        body[index], body[index + 1] = body[index + 1], body[index]

    return change


def _unwrap(index: int) -> Change:
    def change(node: Any) -> None:
        body = node.body
        body[index : index + 1] = body[index].body

    return change


def _dedent(index: int) -> Change:
    def change(node: Any) -> None:
        body = node.body
        body.insert(index + 1, body[index].body.pop())

    return change


def _indent(index: int) -> Change:
    def change(node: Any) -> None:
        body = node.body
        body[index].body.append(body.pop(index + 1))

    return change
