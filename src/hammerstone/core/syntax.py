"""Python text as a syntax tree: the one place where text of people and models is parsed.

`ast.parse` answers text that nests too deeply with a `RecursionError` or a `MemoryError`, and
what goes through the tree afterwards meets the same limit. Here all of that is a `SyntaxError`,
as for any other text that is no program.

Python 3.11 before 3.11.8 counts the depth of all trees being made in one place. Where a garbage
collection in the midst of one runs a finalizer that has a tree made (to format a traceback is
enough), the count is off, and a `SystemError` says so about a tree that is sound. It is made anew.
"""

import ast
from typing import Literal, overload

MOST_LEVELS = 220  # of an expression; Python itself ends brackets at 200
LONGEST_SOURCE = 4 << 20  # characters
_ATTEMPTS = 5


class SourceTooLarge(SyntaxError):
    """Text that is too long or nests too deeply to be read."""


@overload
def syntax_tree(source: str, mode: Literal["exec"] = "exec") -> ast.Module: ...


@overload
def syntax_tree(source: str, mode: Literal["eval"]) -> ast.Expression: ...


def syntax_tree(source: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """The tree of a program, or of one expression; raises `SyntaxError`, and `ValueError` for
    text with null bytes."""
    if len(source) > LONGEST_SOURCE:
        raise SourceTooLarge(f"longer than {LONGEST_SOURCE} characters")
    try:
        tree = _made(source, mode)
    except (RecursionError, MemoryError):
        raise SourceTooLarge("nested too deeply") from None
    if mode == "eval" and len(source) > MOST_LEVELS and _levels(tree) > MOST_LEVELS:
        raise SourceTooLarge(f"nested deeper than {MOST_LEVELS} levels")
    return tree


def _made(source: str, mode: Literal["exec", "eval"]) -> ast.Module | ast.Expression:
    def once() -> ast.Module | ast.Expression:
        return ast.parse(source, mode="exec") if mode == "exec" else ast.parse(source, mode="eval")

    for _ in range(_ATTEMPTS - 1):
        try:
            return once()
        except SystemError:
            continue
    return once()


def _levels(tree: ast.AST) -> int:
    """How deep the tree is, counted up to the first level too many."""
    level: list[ast.AST] = [tree]
    count = -1  # the expression as such is no level
    while level and count <= MOST_LEVELS:
        count += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return count


def last_name(node: ast.expr) -> str:
    """The name of a function or type as it stands there, without where it comes from."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
