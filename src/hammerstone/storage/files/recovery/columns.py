"""The columns of a table as SQLite reads them from its CREATE statement."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from hammerstone.storage.files.recovery.trees import Record, Value


@dataclass(frozen=True, slots=True)
class Columns:
    """Names in order, which one is the rowid by another name, and values of columns added later."""

    names: tuple[str, ...]
    defaults: tuple[Value, ...]
    required: tuple[bool, ...]
    kinds: tuple[str, ...]
    rowid: int | None

    def row(self, record: Record) -> list[Value] | None:
        """The record as a row of this table; None when it cannot be one."""
        values = list(record.values)
        if len(values) > len(self.names) or not values:
            return None
        values += self.defaults[len(values) :]
        if self.rowid is not None:
            if values[self.rowid] is not None:
                return None  # SQLite leaves its place in the record empty
            values[self.rowid] = record.rowid
        pairs = zip(values, self.required, strict=True)
        return None if any(value is None and needed for value, needed in pairs) else values

    def fits(self, record: Record) -> bool:
        """Whether the record has exactly these columns with values of their kinds."""
        row = self.row(record) if len(record.values) == len(self.names) else None
        if row is None:
            return False
        pairs = zip(row, self.kinds, strict=True)
        return all(value is None or isinstance(value, _python(kind)) for value, kind in pairs)


def _python(kind: str) -> tuple[type, ...]:
    """What SQLite gives back from a column of this kind, by its rules of affinity."""
    if "INT" in kind or "BOOL" in kind:
        return (int,)
    if any(part in kind for part in ("REAL", "FLOA", "DOUB", "NUM")):
        return (int, float)
    return (bytes,) if "BLOB" in kind else (str, bytes) if not kind else (str,)


def columns_of(create: str) -> Columns | None:
    """The columns that a CREATE TABLE statement makes; None when it cannot be read."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        try:
            scratch.execute(create)
            (name,) = scratch.execute(
                "SELECT name FROM sqlite_schema WHERE type='table'"
            ).fetchone()
            rows = scratch.execute(f'PRAGMA table_info("{name}")').fetchall()
            return _columns(scratch, rows)
        except (sqlite3.Error, TypeError):
            return None


def _columns(scratch: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> Columns:
    keys = [row for row in rows if row[5]]
    rowid = None
    if len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER":
        rowid = int(str(keys[0][0]))
    defaults = [
        None if row[4] is None else scratch.execute(f"SELECT {row[4]}").fetchone()[0]
        for row in rows
    ]
    return Columns(
        tuple(str(row[1]) for row in rows),
        tuple(defaults),
        tuple(bool(row[3]) for row in rows),
        tuple(str(row[2]).upper() for row in rows),
        rowid,
    )
