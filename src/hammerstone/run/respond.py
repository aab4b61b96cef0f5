"""The answer's text: the result first, by template; no model is asked to repeat a number."""

import json
from decimal import Decimal
from typing import Any

from hammerstone.core.json_types import Json
from hammerstone.core.wire import Opaque, Table, WireError, decode

_LONGEST_BITS = 14_000


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
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
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
    return json.dumps(_tidy(result), ensure_ascii=False)


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
