"""Rows read one by one, so that a broken one costs only itself."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Boolean, Column, Dialect, Table, TypeDecorator, select, type_coerce
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import NullType

from hammerstone.core.documents import version_id
from hammerstone.storage.schema import versions
from hammerstone.storage.versions import version_of

BATCH = 500

GoodRow: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A row that cannot be used: its table, its key or line, and why."""

    table: str
    row: str
    reason: str

    def __str__(self) -> str:
        return f"{self.table} {self.row}: {self.reason}"


async def rows_of(
    connection: AsyncConnection, table: Table
) -> AsyncGenerator[GoodRow | BrokenRow, None]:
    """Every row in key order, or what is wrong with it.

    The database's own conversion would give up the whole table at the first bad value, so
    values are fetched as they lie there and converted here.
    """
    keys = list(table.primary_key.columns)
    dialect = connection.dialect
    convert = {column.name: _reader(column, dialect) for column in table.columns}
    raw = [type_coerce(column, NullType()).label(column.name) for column in table.columns]
    try:
        async with connection.stream(select(*raw).order_by(*keys)) as result:
            async for batch in result.mappings().partitions(BATCH):
                for row in batch:
                    try:
                        good = {name: read(row[name]) for name, read in convert.items()}
                        _must_make_sense(table, good)
                    except Exception as error:  # whatever a value's own reader raises
                        name = ", ".join(str(row[key.name]) for key in keys)
                        yield BrokenRow(table.name, name, f"{type(error).__name__}: {error}")
                    else:
                        yield good
    except DBAPIError as error:
        yield BrokenRow(table.name, "the rest", f"cannot be read: {error.orig}")


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
