"""Code that recites an example instead of computing it."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hammerstone.core.json_types import is_sequence
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.inputs import read_call


def recites(code: str, function: str, examples: Iterable[Case]) -> bool:
    """Whether the code compares with an example's arguments to return that example's result.

    Small numbers and empty values are no sign of it: `if n == 0: return 1` is how factorials
    begin, whatever the person wrote. A table counts when all its keys come from examples.
    """
    known = [
        (call.values, decoded(case.expected))
        for case in examples
        if case.kind is CaseKind.VALUE and (call := read_call(case.call.source or "", function))
    ]
    told = [(arguments, result) for arguments, result in known if not all(map(_small, arguments))]
    if not told:
        return False
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(_recited(node, told) for node in ast.walk(tree))


def _small(value: Any) -> bool:
    if isinstance(value, int | float):
        return abs(value) <= 2
    return value is None or len(repr(value)) < 4  # "", "a", [], ()


def _recited(node: ast.AST, told: Sequence[tuple[tuple[Any, ...], Any]]) -> bool:
    if isinstance(node, ast.If | ast.IfExp):
        compared = list(_compared(node.test))
        body = node.body if isinstance(node, ast.If) else [ast.Return(node.body)]
        returned = [value for part in body for value in _returned(part)]
        return any(
            any(_same(result, value) for value in returned)
            and any(_same(argument, value) for argument in arguments for value in compared)
            for arguments, result in told
        )
    if isinstance(node, ast.Dict) and node.keys:
        keys = [_constant(key) if key else _NONE for key in node.keys]
        first = [arguments[0] for arguments, _ in told if len(arguments) == 1]
        return all(any(_same(key, argument) for argument in first) for key in keys)
    return False


def _compared(test: ast.expr) -> Iterator[Any]:
    """The constants that a condition asks a variable to be equal to."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq) for op in node.ops):
            sides = (node.left, *node.comparators)
            if not any(isinstance(side, ast.Name | ast.Tuple | ast.List) for side in sides):
                continue  # what is compared was computed
            for side in sides:
                value = _constant(side)
                if value is not _NONE:
                    yield value
                    if is_sequence(value):
                        yield from value


def _returned(statement: ast.AST) -> Iterator[Any]:
    if isinstance(statement, ast.Return) and statement.value is not None:
        value = _constant(statement.value)
        if value is not _NONE:
            yield value


class _Nothing:
    """Stands for: no constant."""


_NONE = _Nothing()


def _constant(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _NONE


def _same(left: Any, right: Any) -> bool:
    return isinstance(left, bool) is isinstance(right, bool) and same(left, right)
