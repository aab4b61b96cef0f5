"""Connections, handed out for reading or writing, with errors translated on the way out."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

from sqlalchemy import BigInteger, Executable, Row, RowMapping, bindparam, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from hammerstone.core.clock import Clock
from hammerstone.core.errors import DatabaseDamaged, HammerstoneError
from hammerstone.storage import schema
from hammerstone.storage.dialects import Dialect
from hammerstone.storage.dialects.translate import translated
from hammerstone.storage.shared_time import SharedTime

V = TypeVar("V")


class Access(Protocol):
    """How a store reaches the database. A transaction is one, too."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def shared_time(self) -> SharedTime: ...

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]: ...

    def snapshot(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Reading that sees one moment throughout."""
        ...

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """One transaction: committed at the end of the block, undone when it raises."""
        ...


class PooledAccess:
    """Each block has its own connection from the pool."""

    def __init__(self, engine: AsyncEngine, dialect: Dialect, clock: Clock, shown_url: str) -> None:
        self.dialect = dialect
        self.clock = clock
        self.shared_time = SharedTime(clock, dialect)
        self._shown_url = shown_url
        self._errors = (SQLAlchemyError, *dialect.driver_errors)
        self._writer = engine
        self._reader = engine.execution_options(**dialect.read_options)
        self._snapshot = engine.execution_options(**dialect.snapshot_options)
        # SQLite has one writer at a time; waiting here is fair and costs nothing, while its own
        # waiting is sleeping and trying again.
        self._turn = asyncio.Lock() if dialect.one_writer else None
        self._damage: HammerstoneError | None = None

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection, None]:
        try:
            async with self._reader.connect() as connection:
                yield connection
        except self._errors as error:
            raise self._translated(error) from error

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[AsyncConnection, None]:
        """Reading that sees one moment throughout, whatever others write meanwhile."""
        try:
            async with self._snapshot.connect() as connection:
                yield connection
        except self._errors as error:
            raise self._translated(error) from error

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncConnection, None]:
        if self._damage:
            # Writing on top of damage spreads it. Reading goes on: it may still be exported.
            raise DatabaseDamaged(self._damage.message, hint=self._damage.hint, **self._damage.data)
        if self._turn is None:
            async with self._transaction() as connection:
                yield connection
        else:
            async with self._turn, self._transaction() as connection:
                yield connection

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[AsyncConnection, None]:
        try:
            async with self._writer.begin() as connection:
                yield connection
        except self._errors as error:
            raise self._translated(error) from error

    def _translated(self, error: BaseException) -> HammerstoneError:
        found = translated(error, self._shown_url)
        if isinstance(found, DatabaseDamaged):
            self._damage = found
        return found


class SingleAccess:
    """Every block is part of one transaction that somebody else ends."""

    def __init__(self, connection: AsyncConnection, access: Access) -> None:
        self.dialect = access.dialect
        self.clock = access.clock
        self.shared_time = access.shared_time
        self._connection = connection

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection, None]:
        yield self._connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[AsyncConnection, None]:
        yield self._connection

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncConnection, None]:
        yield self._connection


_BUMP = (
    update(schema.revisions)
    .where(schema.revisions.c.name == bindparam("which"))
    .values(number=schema.revisions.c.number + 1)
    .returning(schema.revisions.c.number)
)
_REVISION = select(schema.revisions.c.number.cast(BigInteger)).where(
    schema.revisions.c.name == bindparam("which")
)


async def bump(connection: AsyncConnection, which: str) -> int:
    """The next revision of `which`. Call it first in a transaction: it is also the lock that
    makes writers of one thing on PostgreSQL take turns."""
    return (await connection.execute(_BUMP, {"which": which})).scalar_one()


def columns_of(value: Any, /, **other: Any) -> dict[str, Any]:
    """The fields of a value with slots, which are called as its columns; some of them otherwise."""
    return {name: getattr(value, name) for name in value.__slots__} | other


def value_of(kind: type[V], row: Mapping[Any, Any], /, **other: Any) -> V:
    """The value whose fields are in the columns that are called so; some of them otherwise."""
    names: Any = kind
    return kind(**{name: row[name] for name in names.__slots__} | other)


class Store:
    """The statements about one noun. Each runs by itself, or in the transaction of the access."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def _rows(self, statement: Executable, values: Any = None) -> Sequence[Row[Any]]:
        async with self._access.reading() as connection:
            return (await connection.execute(statement, values)).all()

    async def _row(self, statement: Executable, values: Any = None) -> Row[Any] | None:
        async with self._access.reading() as connection:
            return (await connection.execute(statement, values)).first()

    async def _mappings(self, statement: Executable, values: Any = None) -> Sequence[RowMapping]:
        """Rows by the names of their columns."""
        async with self._access.reading() as connection:
            return (await connection.execute(statement, values)).mappings().all()

    async def _mapping(self, statement: Executable, values: Any = None) -> RowMapping | None:
        async with self._access.reading() as connection:
            return (await connection.execute(statement, values)).mappings().first()

    async def _values(self, statement: Executable, values: Any = None) -> Sequence[Any]:
        """The first column of each row."""
        async with self._access.reading() as connection:
            return (await connection.execute(statement, values)).scalars().all()

    async def _value(self, statement: Executable, values: Any = None) -> Any:
        """The first column of the first row; None without a row."""
        async with self._access.reading() as connection:
            return (await connection.execute(statement, values)).scalar()

    async def _revision(self, which: str) -> int:
        return await self._value(_REVISION, {"which": which})

    async def _write(self, statement: Executable, values: Any = None) -> int:
        """How many rows were written or deleted."""
        async with self._access.writing() as connection:
            return (await connection.execute(statement, values)).rowcount

    async def _found(self, statement: Executable, values: Any = None) -> bool:
        """Whether a statement gives a row, as one does that gives back what it wrote."""
        async with self._access.writing() as connection:
            return (await connection.execute(statement, values)).first() is not None
