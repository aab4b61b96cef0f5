"""Rows read one by one, so that a broken one costs only itself."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import (
    Boolean,
    Column,
    Dialect,
    Executable,
    RowMapping,
    Table,
    TypeDecorator,
    literal,
    select,
    tuple_,
    type_coerce,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import NullType

from hammerstone.core.documents import version_id
from hammerstone.storage.schema import versions
from hammerstone.storage.stores.tools.versions import version_of

BATCH = 500

GoodRow: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A row that cannot be used: its table, its key or line, and why."""

    table: str
    row: str
    reason: str
    key: Key = ()

    def __str__(self) -> str:
        return f"{self.table} {self.row}: {self.reason}"


async def rows_of(
    connection: AsyncConnection, table: Table
) -> AsyncGenerator[GoodRow | BrokenRow, None]:
    """Every row in key order, or what is wrong with it.

    Where the file itself is damaged, reading goes on from the other end.
    """
    last: Key | None = None
    try:
        async for key, row in _read(connection, table, backwards=False):
            last = key
            yield row
    except DBAPIError as error:
        yield BrokenRow(table.name, "some rows", f"cannot be read: {error.orig}")
        with suppress(DBAPIError):
            async for key, row in _read(connection, table, backwards=True):
                if last is not None and key <= last:
                    break
                yield row


async def _read(
    connection: AsyncConnection, table: Table, *, backwards: bool
) -> AsyncGenerator[tuple[Key, GoodRow | BrokenRow], None]:
    """Keys and rows, page by page; row by row towards a place that cannot be read."""
    keys = [column.name for column in table.primary_key.columns]
    convert = {column.name: _reader(column, connection.dialect) for column in table.columns}
    after: Key | None = None
    size = BATCH
    while True:
        try:
            async with connection.begin_nested():  # a failure must not end the transaction
                page = _page(table, after, size, backwards)
                rows = (await connection.execute(page)).mappings().all()
        except DBAPIError:
            if size == 1:
                raise
            size = 1
            continue
        for row in rows:
            after = tuple(row[name] for name in keys)
            yield after, _converted(table, row, convert, after)
        if len(rows) < size:
            return


def _page(table: Table, after: Key | None, size: int, backwards: bool) -> Executable:
    """Values as they lie there: the database's own conversion would give up the whole page at
    the first bad one."""
    raw = [type_coerce(column, NullType()).label(column.name) for column in table.columns]
    keys = list(table.primary_key.columns)
    page = select(*raw).limit(size).order_by(*(k.desc() if backwards else k for k in keys))
    if after is None:
        return page
    reached = tuple_(*(literal(part, NullType()) for part in after))
    return page.where(tuple_(*keys) < reached if backwards else tuple_(*keys) > reached)


def _converted(
    table: Table, row: RowMapping, convert: Mapping[str, Callable[[Any], Any]], key: Key
) -> GoodRow | BrokenRow:
    try:
        good = {name: read(row[name]) for name, read in convert.items()}
        _must_make_sense(table, good)
    except Exception as error:  # whatever a value's own reader raises
        name = ", ".join(str(part) for part in key)
        return BrokenRow(table.name, name, f"{type(error).__name__}: {error}", key)
    return good


def _reader(column: Column[Any], dialect: Dialect) -> Callable[[Any], Any]:
    """What turns a value as it lies there into the one the stores see, or raises."""
    kind = column.type
    if isinstance(kind, TypeDecorator):
        own = kind.dialect_impl(dialect)
        return own.result_processor(dialect, None) or _unchanged
    return _truth if isinstance(kind, Boolean) else _number


def _unchanged(value: Any) -> Any:
    return value


def _truth(value: Any) -> bool | None:
    if value in (0, 1, None):
        return None if value is None else bool(value)
    raise ValueError(f"not a truth value: {value!r}")


def _number(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    raise ValueError(f"not a number: {value!r}")


def _must_make_sense(table: Table, row: GoodRow) -> None:
    for column in table.columns:
        if row[column.name] is None and not column.nullable:
            raise ValueError(f"{column.name} is missing")
    if table is versions:
        version = version_of(row)
        if version_id(version.code, version.spec, version.suite) != version.id:
            raise ValueError("its content does not match its hash")
