"""Column types that give back exactly what was stored, on either database."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ARRAY, JSON, DateTime, Double, LargeBinary, Text, TypeDecorator
from sqlalchemy import REAL as REAL4
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeEngine

from hammerstone.core.json_types import is_dict, is_sequence

REAL: TypeEngine[float] = Double()

# PostgreSQL's text holds no NUL and no driver sends half a surrogate pair; a Python string may
# hold both. They travel behind this character, which Unicode reserves for never being text.
_ESCAPE = "\U0010ffff"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff\U0010ffff]")
_ESCAPED = re.compile(_ESCAPE + "(.{4})", re.DOTALL)


def escape_text(text: str) -> str:
    """`text` in a form both databases can hold."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub(lambda m: f"{_ESCAPE}{min(ord(m[0]), 0xFFFF):04x}", text)


def unescape_text(text: str) -> str:
    if _ESCAPE not in text:
        return text
    return _ESCAPED.sub(lambda m: _ESCAPE if m[1] == "ffff" else chr(int(m[1], 16)), text)


class AnyText(TypeDecorator[str]):
    """Text of any kind, NUL and lone surrogates included; sorted by code point everywhere."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text(collation="C" if _is_postgres(dialect) else None))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else escape_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else unescape_text(value)


class ExactJson(TypeDecorator[Any]):
    """JSON kept to the letter: order of keys, 1e16 against 10000000000000000, odd characters.

    JSONB would change all three, and a tool's arguments and results must not change.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(JSON() if _is_postgres(dialect) else Text())

    def bind_processor(self, dialect: Dialect) -> Any:
        return dump

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return None if _is_postgres(dialect) else _load  # psycopg parses by itself


class Bytes(TypeDecorator[bytes]):
    """A file's content, as it is."""

    impl = LargeBinary
    cache_ok = True


class SearchableJson(TypeDecorator[Any]):
    """JSON that may be asked about in SQL: JSONB on PostgreSQL, text on SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if not _is_postgres(dialect):
            return dialect.type_descriptor(Text())
        from sqlalchemy.dialects.postgresql import JSONB  # SQLite does without

        return dialect.type_descriptor(JSONB())

    def bind_processor(self, dialect: Dialect) -> Any:
        return _dump_escaped

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return _unescaped if _is_postgres(dialect) else _load_escaped


def _is_postgres(dialect: Dialect) -> bool:
    return dialect.name == "postgresql"


def dump(value: Any) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"), allow_nan=False)


def _load(value: str | None) -> Any:
    return None if value is None else json.loads(value)


def _dump_escaped(value: Any) -> str | None:
    text = dump(value)
    if text is not None and ("\\u0000" in text or "\\ud" in text):
        return dump(_each_string(value, escape_text))
    return text


def _load_escaped(value: str | None) -> Any:
    return _unescaped(_load(value))


def _unescaped(value: Any) -> Any:
    return _each_string(value, unescape_text)


def _each_string(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if is_sequence(value):
        return [_each_string(item, change) for item in value]
    if is_dict(value):
        return {change(key): _each_string(item, change) for key, item in value.items()}
    return value


class UtcTime(TypeDecorator[datetime]):
    """A moment. Goes in with a time zone, comes out in UTC, to the microsecond."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(DateTime(timezone=_is_postgres(dialect)))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        value = value.astimezone(UTC)
        return value if _is_postgres(dialect) else value.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Vector(TypeDecorator[NDArray[np.float32]]):
    """A float32 vector of any length: little-endian bytes on SQLite; on PostgreSQL pgvector's
    type, or an array of numbers where the server does not have it. An array fits both."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(ARRAY(REAL4) if _is_postgres(dialect) else LargeBinary())

    def bind_processor(self, dialect: Dialect) -> Any:
        return _vector_list if _is_postgres(dialect) else _vector_bytes

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return _vector


def _vector_list(value: Any) -> list[float] | None:
    return None if value is None else _checked(value).tolist()


def _vector_bytes(value: Any) -> bytes | None:
    return None if value is None else _checked(value).tobytes()


def _checked(value: Any) -> NDArray[np.float32]:
    array = np.asarray(value, dtype="<f4")
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ValueError("a vector is a list of finite numbers")
    return array


def _vector(value: Any) -> NDArray[np.float32] | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return np.frombuffer(value, dtype="<f4")
    if isinstance(value, str):  # as pgvector writes it: [1,2,3]
        value = json.loads(value)
    return np.asarray(value, dtype="<f4")
