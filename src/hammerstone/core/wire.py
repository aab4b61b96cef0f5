# pyright: basic
"""Python values as JSON and back, for what crosses the sandbox's border.

Plain JSON stands for itself. Everything else is an object with one key that starts with "$":
tuples, sets, bytes, dates, NaN, tables and the like keep their type; a value that has no wire
form becomes {"$opaque": [type, repr]}. Decoding never runs code. This file is also what the
sandbox's inside uses, so it imports nothing but the standard library.
"""

import base64
import collections
import datetime as dt
import decimal
import fractions
import math
import re
from typing import Any

MAX_DEPTH = 200
MAX_REPR = 2000
# Digits of a number from the other side, and its powers of ten: what is beyond them is text.
# Turning "1e99999999" into a number takes minutes, and so does every comparison with it.
MAX_DIGITS = 4_000
MAX_EXPONENT = 4_000
MAX_BITS = 1_000_000
# Characters of a date, a time and the like, and members of a set that may share one hash: whole
# numbers that do are easily made, and a set of them takes time with the square of its size.
MAX_SCALAR = 200
MAX_ALIKE = 50
_UNKNOWN = object()
_PLAIN = frozenset({str, int, float, bool, type(None)})
_SHORT = frozenset({"$float", "$datetime", "$date", "$time", "$timedelta"})
_FRACTION = re.compile(r"-?\d+(/\d+)?")


class WireError(ValueError):
    """The value is nested too deeply, or the wire form is malformed."""


class Opaque:
    """A value that has no wire form: its type's name and its repr."""

    __slots__ = ("representation", "type_name")

    def __init__(self, type_name: str, representation: str) -> None:
        self.type_name = type_name
        self.representation = representation

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and (self.type_name, self.representation) == (
            other.type_name,
            other.representation,
        )

    def __hash__(self) -> int:
        return hash((self.type_name, self.representation))

    def __repr__(self) -> str:
        return f"<{self.type_name}: {self.representation}>"


class Table:
    """A data frame or series on the host: column names and rows, without pandas."""

    __slots__ = ("columns", "kind", "rows")

    def __init__(self, columns: list[Any], rows: list[list[Any]], kind: str = "frame") -> None:
        self.columns = columns
        self.rows = rows
        self.kind = kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and (self.kind, self.columns, self.rows) == (
            other.kind,
            other.columns,
            other.rows,
        )

    def __repr__(self) -> str:
        return f"<table {len(self.rows)} x {len(self.columns)}: {self.columns}>"


def encode(value: Any, depth: int = 0) -> Any:
    """The wire form of `value`."""
    if depth > MAX_DEPTH:
        raise WireError(f"nested deeper than {MAX_DEPTH}")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if value.bit_length() <= 63 else {"$int": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if kind is list:
        return [encode(item, depth + 1) for item in value]
    if kind is dict:
        return _encode_dict(value, depth)
    if kind is tuple:
        return {"$tuple": [encode(item, depth + 1) for item in value]}
    if kind is set or kind is frozenset:
        items = [encode(item, depth + 1) for item in value]
        return {"$set": sorted(items, key=repr)}
    if kind in _SCALARS:
        tag, to_text = _SCALARS[kind]
        return {tag: to_text(value)}
    return _encode_other(value, depth)


def _encode_dict(value: dict[Any, Any], depth: int) -> Any:
    if all(type(key) is str for key in value) and not (
        len(value) == 1 and next(iter(value)).startswith("$")
    ):
        return {key: encode(item, depth + 1) for key, item in value.items()}
    pairs = [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]
    return {"$dict": pairs}


_SCALARS: dict[type, tuple[str, Any]] = {
    bytes: ("$bytes", lambda v: base64.b64encode(v).decode("ascii")),
    bytearray: ("$bytes", lambda v: base64.b64encode(bytes(v)).decode("ascii")),
    complex: ("$complex", lambda v: [encode(v.real), encode(v.imag)]),
    dt.datetime: ("$datetime", lambda v: v.isoformat()),
    dt.date: ("$date", lambda v: v.isoformat()),
    dt.time: ("$time", lambda v: v.isoformat()),
    dt.timedelta: ("$timedelta", lambda v: v.total_seconds()),
    decimal.Decimal: ("$decimal", str),
    fractions.Fraction: ("$fraction", str),
    range: ("$range", lambda v: [v.start, v.stop, v.step]),
}


def _encode_other(value: Any, depth: int) -> Any:
    """Subclasses of the known types, numpy and pandas by their own methods, else opaque."""
    name = type(value).__name__
    module = type(value).__module__.partition(".")[0]
    if module in ("pandas", "numpy"):
        known = _encode_table(value, name, depth)
        if known is not _UNKNOWN:
            return known
    for base, plain in ((bool, bool), (int, int), (float, float), (str, str)):
        if isinstance(value, base):
            return encode(plain(value), depth + 1)
    for base in (dt.datetime, dt.date):
        if isinstance(value, base):
            tag, to_text = _SCALARS[base]
            return {tag: to_text(value)}
    if isinstance(value, dict):
        return _encode_dict(dict(value), depth)
    if isinstance(value, tuple):
        return {"$tuple": [encode(item, depth + 1) for item in value]}
    if isinstance(value, list):
        return [encode(item, depth + 1) for item in value]
    return {"$opaque": [name, _safe_repr(value)]}


def _encode_table(value: Any, name: str, depth: int) -> Any:
    """Frames, series, arrays and their items; `_UNKNOWN` for anything else of these libraries."""
    if name == "DataFrame":
        rows = [[_cell(item, depth) for item in row] for row in value.itertuples(False, None)]
        columns = [encode(c, depth + 1) for c in value.columns]
        return {"$table": {"columns": columns, "rows": rows, "kind": "frame"}}
    if name == "Series":
        rows = [[_cell(k, depth), _cell(v, depth)] for k, v in value.items()]
        return {"$table": {"columns": ["index", "value"], "rows": rows, "kind": "series"}}
    if name == "ndarray":
        return {"$array": encode(value.tolist(), depth + 1)}
    if type(value).__module__.startswith("numpy") and hasattr(value, "item"):
        return encode(value.item(), depth + 1)
    return _UNKNOWN


def _cell(value: Any, depth: int) -> Any:
    return None if type(value).__name__ in ("NAType", "NaTType") else encode(value, depth + 1)


def _safe_repr(value: Any) -> str:
    try:
        return repr(value)[:MAX_REPR]
    except Exception as error:
        return f"<repr failed: {type(error).__name__}>"


def decode(wire: Any, depth: int = 0) -> Any:
    """The Python value of a wire form; what the sandbox sent is data, so this runs none of it."""
    if depth > MAX_DEPTH * 2:
        raise WireError("nested too deeply")
    if isinstance(wire, list):
        return _decode_all(wire, depth)
    if not isinstance(wire, dict):
        return wire
    if len(wire) == 1:
        ((tag, body),) = wire.items()
        if isinstance(tag, str) and tag.startswith("$"):
            return _decode_tagged(tag, body, depth)
    return {key: decode(item, depth + 1) for key, item in wire.items()}


def _decode_all(items: list[Any], depth: int) -> list[Any]:
    below = depth + 1
    return [item if type(item) in _PLAIN else decode(item, below) for item in items]


def _decode_tagged(tag: str, body: Any, depth: int) -> Any:
    try:
        if tag in ("$tuple", "$set", "$array"):
            items = _decode_all(body, depth)
            return tuple(items) if tag == "$tuple" else items if tag == "$array" else _set(items)
        if tag == "$dict":
            keys = [_hashable(decode(key, depth + 1)) for key, _ in body]
            _must_spread(keys)
            values = [decode(value, depth + 1) for _, value in body]
            return dict(zip(keys, values, strict=True))
        if tag == "$opaque":
            return Opaque(str(body[0]), str(body[1]))
        if tag == "$table":
            rows = [_decode_all(row, depth) for row in body["rows"]]
            return Table(_decode_all(body["columns"], depth), rows, str(body["kind"]))
        if tag == "$complex":
            return complex(decode(body[0], depth + 1), decode(body[1], depth + 1))
        if type(body) is str and len(body) > MAX_SCALAR and tag in _SHORT:
            raise WireError(f"{tag} of {len(body)} characters")
        return _DECODERS[tag](body)
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"malformed {tag}: {error}") from error


def _set(items: list[Any]) -> Any:
    members = [_hashable(item) for item in items]
    _must_spread(members)
    return set(members)


def _must_spread(members: list[Any]) -> None:
    """Refuse values that were chosen to have the same hash; equal ones are no problem."""
    if len(members) <= MAX_ALIKE:
        return
    ((_, most),) = collections.Counter(map(hash, members)).most_common(1)
    if most > MAX_ALIKE:
        raise WireError(f"{most} members with the same hash")


def _hashable(value: Any) -> Any:
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value


def _whole(text: str) -> Any:
    """Hexadecimal: decimal digits are limited by Python."""
    number = int(text, 16)
    return number if number.bit_length() <= MAX_BITS else Opaque("int", text[:MAX_REPR])


def _decimal(text: str) -> Any:
    if len(text) > MAX_DIGITS:
        return Opaque("Decimal", text[:MAX_REPR])
    number = decimal.Decimal(text)
    far = number.is_finite() and abs(number.adjusted()) > MAX_EXPONENT
    return Opaque("Decimal", text[:MAX_REPR]) if far else number


def _fraction(text: str) -> Any:
    """Whole numbers only, as a fraction's own text has them: no exponent is worked out."""
    if not _FRACTION.fullmatch(text):
        raise WireError(f"{text[:40]!r} is no fraction")
    if len(text) > MAX_DIGITS:
        return Opaque("Fraction", text[:MAX_REPR])
    return fractions.Fraction(text)


_DECODERS: dict[str, Any] = {
    "$int": lambda b: _whole(b),
    "$float": float,
    "$bytes": lambda b: base64.b64decode(b, validate=True),
    "$datetime": dt.datetime.fromisoformat,
    "$date": dt.date.fromisoformat,
    "$time": dt.time.fromisoformat,
    "$timedelta": lambda b: dt.timedelta(seconds=b),
    "$decimal": lambda b: _decimal(b),
    "$fraction": lambda b: _fraction(b),
    "$range": lambda b: range(*b),
}
