"""Values as text and as plain JSON: in words, as a table, as Python source, and calls as source.

And what a check of a test demands of the result, in words where it has a usual form.
"""

import ast
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, TypeGuard

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.formatting import decimal
from hammerstone.core.json_types import Json, is_collection, is_dict, is_sequence, is_set
from hammerstone.judging.equality import decoded

MAX_SHOWN = 400
_LONGEST_BITS = 14_000
_MOST_ROWS = 50
_WIDEST = 60


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
    number, margin = _literal_number(values[0]) if len(values) == 1 else None, _literal_number(most)
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


def _literal_number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def plain(sent: Json) -> Json:
    """A wire form as plain JSON for programs: tuples and sets become lists, dates text."""
    try:
        return _plain(wire.decode(sent))
    except wire.WireError:
        return None


def _plain(value: Any) -> Json:
    if type(value) is int and value.bit_length() > _LONGEST_BITS:
        return f"{Decimal(value):f}"  # beyond what Python writes in decimal by itself
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if is_dict(value):
        return {str(key): _plain(item) for key, item in value.items()}
    if is_sequence(value):
        return [_plain(item) for item in value]
    if is_set(value):
        return sorted((_plain(item) for item in value), key=repr)
    if isinstance(value, wire.Table):
        columns = [str(column) for column in value.columns]
        return [dict(zip(columns, map(_plain, row), strict=False)) for row in value.rows]
    return value.representation if isinstance(value, wire.Opaque) else str(value)


def in_words(result: Json) -> str:
    """The result as a person would write it."""
    if result is None:
        return "nothing"
    if isinstance(result, bool):
        return "yes" if result else "no"
    if isinstance(result, float):
        return _number(result)
    if isinstance(result, str):
        return result
    if is_table(result):
        return text_table(result)
    return json.dumps(_tidy(result), ensure_ascii=False)


def is_table(result: Json) -> TypeGuard[list[dict[str, Json]]]:
    """Whether a result is rows with the same columns, more than one cell in all."""
    if not isinstance(result, list) or not result:
        return False
    first = result[0]
    if not isinstance(first, dict) or not first or len(result) * len(first) < 2:
        return False
    flat = (bool, int, float, str, type(None))
    return all(
        isinstance(row, dict)
        and row.keys() == first.keys()
        and all(isinstance(cell, flat) for cell in row.values())
        for row in result
    )


def text_table(rows: list[dict[str, Json]]) -> str:
    """Rows as a table in plain text; a long one is cut and says so."""
    columns = list(rows[0])
    shown = [[_cell(row[column]) for column in columns] for row in rows[:_MOST_ROWS]]
    widths = [max(len(c), *(len(row[n]) for row in shown)) for n, c in enumerate(columns)]
    numeric = [all(isinstance(row[c], int | float) for row in rows[:_MOST_ROWS]) for c in columns]

    def line(cells: list[str]) -> str:
        fitted = zip(cells, widths, numeric, strict=True)
        return "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in fitted).rstrip()

    lines = [line(columns), "  ".join("-" * width for width in widths), *map(line, shown)]
    if len(rows) > _MOST_ROWS:
        lines.append(f"... {len(rows) - _MOST_ROWS:,} more rows")
    return "\n".join(lines)


def _cell(value: Json) -> str:
    text = "" if value is None else in_words(value)
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _WIDEST else f"{one_line[: _WIDEST - 3]}..."


def _number(value: float) -> str:
    """Without the digits that binary fractions leave behind (0.1 + 0.2 reads 0.3)."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    # Up to a million twelve digits leave six decimals; beyond, they would cut the number itself.
    return f"{value:.12g}" if abs(value) < 1e6 else f"{value:.15g}"


def _tidy(result: Json) -> Json:
    if isinstance(result, float):
        small = result.is_integer() and abs(result) < 1e15
        return int(result) if small else float(_number(result))
    if isinstance(result, list):
        return [_tidy(item) for item in result]
    if isinstance(result, dict):
        return {key: _tidy(item) for key, item in result.items()}
    return result
