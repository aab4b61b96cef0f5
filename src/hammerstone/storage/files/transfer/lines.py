"""One row as one line of JSON, and back, with nothing lost between."""

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, Table

from hammerstone.core.json_types import is_dict
from hammerstone.storage.dialects.types import AnyText, Bytes, UtcTime, Vector


def line_of(table: Table, row: Mapping[str, Any]) -> str:
    document = {column.name: _written(column, row[column.name]) for column in table.columns}
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def row_of(table: Table, line: str) -> dict[str, Any]:
    """The row in a line; raises ValueError that says what is wrong with it."""
    data = json.loads(line)
    if not is_dict(data):
        raise ValueError("not an object")
    names = {column.name for column in table.columns}
    if unknown := set(data) - names:
        raise ValueError(f"unknown column {min(unknown)}")
    if missing := names - set(data):
        raise ValueError(f"column {min(missing)} is missing")
    return {column.name: _read(column, data[column.name]) for column in table.columns}


def _written(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, UtcTime):
        return value.isoformat()
    if isinstance(column.type, Bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(column.type, Vector):
        return base64.b64encode(np.asarray(value, dtype="<f4").tobytes()).decode("ascii")
    return value


def _read(column: Column[Any], value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise ValueError(f"{column.name} is missing")
        return None
    kind = column.type
    if isinstance(kind, UtcTime):
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError(f"{column.name} has no time zone")
        return moment
    if isinstance(kind, Bytes):
        return base64.b64decode(value, validate=True)
    if isinstance(kind, Vector):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    expected = _PLAIN.get(type(kind))
    if expected and (
        not isinstance(value, expected) or isinstance(value, bool) != (expected is bool)
    ):
        raise ValueError(f"{column.name} is not a {_NAMES[expected]}")
    return value


_PLAIN: dict[type, Any] = {
    AnyText: str,
    Boolean: bool,
    Integer: int,
    BigInteger: int,
    Double: (int, float),
}
_NAMES: dict[Any, str] = {
    str: "text",
    bool: "yes or no",
    int: "whole number",
    (int, float): "number",
}
