"""The answer's text: the result first, by template; no model is asked to repeat a number."""

import json
from decimal import Decimal
from typing import Any, TypeGuard

from hammerstone.core.json_types import Json, is_dict, is_sequence, is_set
from hammerstone.core.wire import Opaque, Table, WireError, decode

_LONGEST_BITS = 14_000
_MOST_ROWS = 50
_WIDEST = 60


def plain(wire: Json) -> Json:
    """A wire form as plain JSON for programs: tuples and sets become lists, dates text."""
    try:
        return _plain(decode(wire))
    except WireError:
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
    if isinstance(value, Table):
        columns = [str(column) for column in value.columns]
        return [dict(zip(columns, map(_plain, row), strict=False)) for row in value.rows]
    return value.representation if isinstance(value, Opaque) else str(value)


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
