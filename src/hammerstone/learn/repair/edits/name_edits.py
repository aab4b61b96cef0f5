"""Edits of a name: one that is taken for it, another of the function, a part or a sum of it."""

import ast
from collections.abc import Iterator

from hammerstone.judging.edit_operators import MISTAKEN_NAMES, set_part
from hammerstone.learn.repair.edits.node_changes import EditScope, NodeEdit, become, expression

_RELATED = (
    *MISTAKEN_NAMES,
    ("floor", "ceil"),
    ("floor", "round"),
    ("ceil", "round"),
    ("int", "round"),
    ("sum", "len"),
    ("sum", "max"),
    ("list", "set"),
    ("list", "sorted"),
    ("set", "sorted"),
    ("isupper", "islower"),
    ("upper", "swapcase"),
    ("lower", "swapcase"),
    ("append", "extend"),
    ("append", "insert"),
    ("lstrip", "rstrip"),
    ("strip", "lstrip"),
    ("isdigit", "isalpha"),
    ("isalnum", "isalpha"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("split", "rsplit"),
    ("keys", "values"),
    ("union", "intersection"),
    ("add", "discard"),
)
_JOINED = (
    "{x}[{y}:]",
    "{x}[:{y}]",
    "{x}[{y}]",
    "{x} + {y}",
    "{x} - {y}",
    "{x} * {y}",
    "{x} % {y}",
    "{x} // {y}",
)
_ALONE = (
    "{x}[1:]",
    "{x}[:-1]",
    "{x}[::-1]",
    "{x}[0]",
    "{x}[-1]",
    "{x}.lower()",
    "{x}.upper()",
    "{x}.strip()",
    "{x}.split()",
    "{x} ** 2",
    "{x} * 2",
    "{x} // 2",
    "{x} / 2",
    "-{x}",
    "not {x}",
    "{x} % 2",
)


def name_edits(node: ast.Name, scope: EditScope) -> Iterator[NodeEdit]:
    if not isinstance(node.ctx, ast.Load):
        return
    for other in _related(node.id):
        yield f"{node.id} becomes {other}", set_part("id", other)
    if node.id in scope.names:
        yield from _variable(node.id, scope)
    elif node.id in scope.functions:
        for other in scope.functions:
            if other != node.id:
                yield f"{node.id} becomes {other}", set_part("id", other)


def attribute_edits(node: ast.Attribute, _scope: EditScope) -> Iterator[NodeEdit]:
    for other in _related(node.attr):
        yield f"{node.attr} becomes {other}", set_part("attr", other)


def _variable(name: str, scope: EditScope) -> Iterator[NodeEdit]:
    for other in scope.names:
        if other != name:
            yield f"{name} becomes {other}", set_part("id", other)
            for template in _JOINED:
                source = template.format(x=name, y=other)
                yield f"{name} becomes {source}", become(expression(source))
    for template in _ALONE:
        source = template.format(x=name)
        yield f"{name} becomes {source}", become(expression(source))


def _related(name: str) -> list[str]:
    return [b if a == name else a for a, b in _RELATED if name in (a, b)]
