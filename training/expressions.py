"""Requests that are an expression themselves: arithmetic or logic to be worked out as it is."""

import ast
import re

_PIECE = re.compile(r"\d+(?:\.\d+)?|\*\*|//|[-+*/%()]|\b(?:True|False|and|or|not)\b")
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.BoolOp)
_LEAST = 3  # operations: "12 - 5" is a word problem as well


def is_expression(request: str) -> bool:
    """Whether a request holds an expression of some length and few words besides it.

    A function with each of its numbers as an argument is no more general than the expression,
    and easily written wrongly.
    """
    run = max(_runs(request), key=len, default="")
    try:
        tree = ast.parse(run, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    operations = sum(isinstance(node, _OPERATIONS) for node in ast.walk(tree))
    return operations >= _LEAST and len(run) >= len(request.replace(run, "")) / 2


def _runs(request: str) -> list[str]:
    """Pieces of expressions that follow each other with nothing but spaces between them."""
    runs: list[str] = []
    end = -1
    for piece in _PIECE.finditer(request):
        if end >= 0 and not request[end : piece.start()].strip():
            runs[-1] += request[end : piece.end()]
        else:
            runs.append(piece.group())
        end = piece.end()
    return runs
