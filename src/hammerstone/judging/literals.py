"""Values read from Python source, without running anything."""

import ast
import operator
from typing import Any

LARGEST = 1e15  # numbers that arithmetic is done with
_MAKERS: dict[str, Any] = {
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "list": list,
    "float": float,
    "dict": dict,
}
_OPERATORS: Any = operator
_ARITHMETIC: dict[type[ast.operator], Any] = {
    ast.Add: _OPERATORS.add,
    ast.Sub: _OPERATORS.sub,
    ast.Mult: _OPERATORS.mul,
    ast.Div: _OPERATORS.truediv,
    ast.FloorDiv: _OPERATORS.floordiv,
    ast.Mod: _OPERATORS.mod,
}


class NotLiteral(ValueError):
    """The expression is more than constants."""


def literal(node: ast.expr) -> Any:
    """The value of an expression of constants; raises `NotLiteral` for anything else.

    Beyond Python's own literals: `set()`, `float("inf")` and the like, and small arithmetic.
    """
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        pass
    return _built(node)


def _built(node: ast.expr) -> Any:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _MAKERS:
            if len(args) <= 1:
                return _attempt(node, _MAKERS[name], *map(literal, args))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            numbers = [literal(left), literal(right)]
            if all(isinstance(one, int | float) and abs(one) < LARGEST for one in numbers):
                return _attempt(node, _ARITHMETIC[type(op)], *numbers)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = literal(operand)
            if isinstance(value, int | float):
                return -value
        case ast.List(elts=items):
            return [literal(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(literal(item) for item in items)
        case ast.Set(elts=items):
            return _attempt(node, set, [literal(item) for item in items])
        case ast.Dict(keys=keys, values=values):
            if all(keys):  # `**other` has none
                named = zip(filter(None, keys), values, strict=True)
                return _attempt(node, dict, [(literal(k), literal(v)) for k, v in named])
        case _:
            pass
    raise _not_literal(node)


def _attempt(node: ast.expr, function: Any, *values: Any) -> Any:
    try:
        return function(*values)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise _not_literal(node) from None


def _not_literal(node: ast.expr) -> NotLiteral:
    return NotLiteral(ast.unparse(node)[:100])
