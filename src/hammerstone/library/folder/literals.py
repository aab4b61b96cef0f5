"""Values as Python source and back, without running anything."""

import ast
from collections.abc import Iterable
from typing import Any, cast

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json


class NotLiteral(ValueError):
    """The expression is more than constants."""


def source_of(value: Any) -> str | None:
    """An expression that evaluates to the value, or None where there is none."""
    if isinstance(value, float):
        return repr(value) if value - value == 0 else f'float("{value}")'
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = [source_of(item) for item in _in_order(cast(Iterable[Any], value))]
        if any(item is None for item in items):
            return None
        inner = ", ".join(map(str, items))
        if isinstance(value, list):
            return f"[{inner}]"
        if isinstance(value, tuple):
            return f"({inner},)" if len(items) == 1 else f"({inner})"
        return "{" + inner + "}" if items else "set()"
    if isinstance(value, dict):
        pairs = [(source_of(k), source_of(v)) for k, v in cast(dict[Any, Any], value).items()]
        if any(part is None for pair in pairs for part in pair):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    return None


def _in_order(items: Iterable[Any]) -> Iterable[Any]:
    return sorted(items, key=repr) if isinstance(items, set | frozenset) else items


def wire_source(value: Json) -> str | None:
    """The source of a value in wire form."""
    try:
        return source_of(wire.decode(value))
    except (wire.WireError, TypeError):
        return None


def call_source(call: Call, function: str) -> str | None:
    """The call as an expression."""
    if call.source is not None:
        return call.source
    args = [wire_source(argument) for argument in call.args]
    named = [(name, wire_source(value)) for name, value in call.kwargs.items()]
    if any(part is None for part in args) or any(part is None for _, part in named):
        return None
    inner = [*map(str, args), *(f"{name}={part}" for name, part in named)]
    return f"{function}({', '.join(inner)})"


def literal(node: ast.expr) -> Any:
    """The value of an expression of constants; raises `NotLiteral` for anything else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        pass
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        values = [literal(argument) for argument in node.args]
        if node.func.id == "set" and not values:
            return set[Any]()
        if node.func.id == "float" and len(values) == 1:
            try:
                return float(values[0])
            except (ValueError, TypeError):
                pass
    raise NotLiteral(ast.unparse(node)[:100])
