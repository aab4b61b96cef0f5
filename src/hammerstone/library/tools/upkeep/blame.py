"""Whether a failed call is the tool's own fault, read from its code and its error."""

import ast
from functools import lru_cache

from hammerstone.core.calls import Failure, error_type_of
from hammerstone.core.syntax import syntax_tree

_NOT_ITS_OWN = frozenset({Failure.LOST})
_REFUSALS = frozenset({"ValueError"})  # what tools say no with, unless they have words of their own


def own_fault(code: str, failure: Failure, error: str) -> bool:
    """An error that the code raises in so many words is an answer; any other is an accident.

    `error` is an `Outcome.error_line`, as executions store it. A sandbox that died says nothing
    about the tool.
    """
    if failure in _NOT_ITS_OWN:
        return False
    if failure is not Failure.RAISED:
        return True
    return error_type_of(error) not in refusals(code)


@lru_cache(maxsize=256)
def refusals(code: str) -> frozenset[str]:
    """The types of the errors that a program raises on purpose."""
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    named: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Raise) or node.exc is None:
            continue
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, ast.Name):
            named.add(raised.id)
        elif isinstance(raised, ast.Attribute):
            named.add(raised.attr)
    return frozenset(named) or _REFUSALS
