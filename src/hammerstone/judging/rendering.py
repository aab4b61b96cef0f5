"""Values and calls as Python source, the form in which people, models and files see them.

And what a check of a test demands of the result, in words where it has a usual form.
"""

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.formatting import decimal
from hammerstone.core.json_types import Json, is_collection, is_dict
from hammerstone.judging.equality import decoded

MAX_SHOWN = 400


def show(value: Json) -> str:
    """A result as Python source, shortened for reading."""
    text = expression_of(decoded(value))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def expression_of(value: Any) -> str:
    """An expression that evaluates to the value, or the best there is to read."""
    return source_of(value) or repr(value)


def source_of(value: Any, *, readable: bool = False) -> str | None:
    """An expression that evaluates to the value, or None where there is none.

    With `readable`, only one that `literals.literal` reads back: no complex numbers, no ranges.
    """
    if isinstance(value, float):
        return repr(value) if value - value == 0 else f'float("{value}")'
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    if isinstance(value, complex | range):
        return None if readable else repr(value)
    if is_collection(value):
        return _items_source(value, readable)
    if is_dict(value):
        pairs = [[source_of(part, readable=readable) for part in pair] for pair in value.items()]
        if any(part is None for pair in pairs for part in pair):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    return None


def _items_source(items: Iterable[Any], readable: bool) -> str | None:
    unordered = isinstance(items, set | frozenset)
    ordered = sorted(items, key=repr) if unordered else items
    parts = [source_of(item, readable=readable) for item in ordered]
    if any(part is None for part in parts):
        return None
    inner = ", ".join(map(str, parts))
    if unordered:
        inner = "{" + inner + "}" if parts else "set()"
        return f"frozenset({inner})" if isinstance(items, frozenset) else inner
    if isinstance(items, list):
        return f"[{inner}]"
    return f"({inner},)" if len(parts) == 1 else f"({inner})"


def wire_source(value: Json, *, readable: bool = False) -> str | None:
    """The source of a value in wire form."""
    try:
        return source_of(wire.decode(value), readable=readable)
    except (wire.WireError, TypeError):
        return None


def call_source(call: Call, function: str, *, readable: bool = False) -> str | None:
    """A call as an expression."""
    if call.source is not None:
        return call.source
    args = [wire_source(argument, readable=readable) for argument in call.args]
    named = {name: wire_source(value, readable=readable) for name, value in call.kwargs.items()}
    return joined_call(function, args, named)


def joined_call(
    function: str, args: Iterable[str | None], named: Mapping[str, str | None]
) -> str | None:
    """A call of sources, or None where an argument has none."""
    parts = list(args)
    if any(part is None for part in (*parts, *named.values())):
        return None
    inner = [*map(str, parts), *(f"{name}={part}" for name, part in named.items())]
    return f"{function}({', '.join(inner)})"


RESULT = "result"
_WRAPPERS = ("float", "int", "round", "str")  # a result is compared as this


def check_words(check: str) -> str:
    """The check as the end of a sentence that begins with the call: "is within 0.5 of 24".

    One of another form stays the code it is.
    """
    plain = f"must satisfy: {check}"
    try:
        compared = ast.parse(check, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return plain
    if not isinstance(compared, ast.Compare) or len(compared.ops) != 1:
        return plain
    left, right, how = compared.left, compared.comparators[0], compared.ops[0]
    if isinstance(how, ast.Lt | ast.LtE):
        return _near(left, right) or plain
    if isinstance(how, ast.Eq) and isinstance(right, ast.Constant) and _is_result(left):
        loosely = "" if isinstance(left, ast.Name) else ", whatever its form"
        return f"is {ast.unparse(right)}{loosely}"
    return plain


def _near(distance: ast.expr, most: ast.expr) -> str:
    """`abs(result - number) <= most`, in either order; empty for anything else."""
    if not (isinstance(distance, ast.Call) and _named(distance, "abs") and len(distance.args) == 1):
        return ""
    apart = distance.args[0]
    if not (isinstance(apart, ast.BinOp) and isinstance(apart.op, ast.Sub)):
        return ""
    sides = [apart.left, apart.right]
    values = [side for side in sides if not _is_result(side)]
    number, margin = _number(values[0]) if len(values) == 1 else None, _number(most)
    if number is None or margin is None:
        return ""
    return f"is within {decimal(round(margin, 8))} of {decimal(number)}"


def _is_result(node: ast.expr) -> bool:
    """The result itself, also as a number or a text of it."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            node = node.func.value  # a method, such as strip
        elif isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS and node.args:
            node = node.args[0]
        else:
            return False
    return isinstance(node, ast.Name) and node.id == RESULT


def _named(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
