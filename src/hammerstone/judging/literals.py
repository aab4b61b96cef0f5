"""Values read from Python source, without running anything."""

import ast
import operator
from collections.abc import Callable
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
    build = _BUILDERS.get(type(node))
    if build is None:
        raise _not_literal(node)
    return build(node)


def _literal_call(node: ast.Call) -> Any:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _MAKERS:
            if len(args) <= 1:
                return _attempt(node, _MAKERS[name], *map(literal, args))
        case _:
            pass
    raise _not_literal(node)


def _arithmetic(node: ast.BinOp) -> Any:
    function = _ARITHMETIC.get(type(node.op))
    if function is None:
        raise _not_literal(node)
    numbers = [literal(node.left), literal(node.right)]
    if all(isinstance(one, int | float) and abs(one) < LARGEST for one in numbers):
        return _attempt(node, function, *numbers)
    raise _not_literal(node)


def _negative(node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.USub):
        value = literal(node.operand)
        if isinstance(value, int | float):
            return -value
    raise _not_literal(node)


def _list(node: ast.List) -> Any:
    return [literal(item) for item in node.elts]


def _tuple(node: ast.Tuple) -> Any:
    return tuple(literal(item) for item in node.elts)


def _set(node: ast.Set) -> Any:
    return _attempt(node, set, [literal(item) for item in node.elts])


def _dict(node: ast.Dict) -> Any:
    if not all(node.keys):  # `**other` has none
        raise _not_literal(node)
    named = zip(filter(None, node.keys), node.values, strict=True)
    return _attempt(node, dict, [(literal(k), literal(v)) for k, v in named])


_BUILDERS: dict[type[ast.expr], Callable[[Any], Any]] = {
    ast.Call: _literal_call,
    ast.BinOp: _arithmetic,
    ast.UnaryOp: _negative,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
}


def _attempt(node: ast.expr, function: Any, *values: Any) -> Any:
    try:
        return function(*values)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise _not_literal(node) from None


def _not_literal(node: ast.expr) -> NotLiteral:
    return NotLiteral(ast.unparse(node)[:100])
