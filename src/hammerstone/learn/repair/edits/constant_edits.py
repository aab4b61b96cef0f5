"""Edits of a constant: the values near it, and those that the function has elsewhere."""

import ast
from collections.abc import Iterator

from hammerstone.judging.edit_operators import set_part
from hammerstone.learn.repair.edits.edit_scope import EditScope, NodeEdit
from hammerstone.learn.repair.edits.node_changes import become


def constant_edits(node: ast.Constant, scope: EditScope) -> Iterator[NodeEdit]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} becomes {not value}", set_part("value", not value)
    elif isinstance(value, int | float):
        yield from _number(value, scope)
    elif isinstance(value, str):
        yield from _text(value, scope)
    elif value is None:
        for other in (True, False, 0, "", -1):
            yield f"None becomes {other!r}", set_part("value", other)
        yield "None becomes []", become(ast.List([], ast.Load()))


def _number(value: int | float, scope: EditScope) -> Iterator[NodeEdit]:
    near = [value + 1, value - 1, -value, *scope.numbers, value + 2, value * 2, value * 10]
    if isinstance(value, int):
        near += [value // 2, value // 10, 10, 100]
    for other in dict.fromkeys(near):
        if other != value:
            yield f"{value} becomes {other}", set_part("value", other)
    for name in scope.names:
        yield f"{value} becomes {name}", become(ast.Name(name, ast.Load()))


def _text(value: str, scope: EditScope) -> Iterator[NodeEdit]:
    near = [*scope.texts, value.swapcase(), value.lower(), value.upper(), "", " ", value.strip()]
    for other in dict.fromkeys(near):
        if other != value:
            yield f"{value!r} becomes {other!r}", set_part("value", other)
    for index in range(min(len(value), 12)):
        shorter = value[:index] + value[index + 1 :]
        yield f"a letter of {value!r} removed", set_part("value", shorter)
    if value and len(set(value)) > 3:
        yield f"{value!r} in upper and lower case", set_part("value", value + value.swapcase())
