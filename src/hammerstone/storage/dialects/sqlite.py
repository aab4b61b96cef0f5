"""SQLite: one file, WAL. Words and vectors are compared in memory, so there is no index of them."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, event
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hammerstone.storage.dialects.sqlite_driver import (
    BUSY_PIECE_S,
    OneTripDriver,
    begin,
    prepare,
)

CLOSE_TIMEOUT_S = 5.0  # a connection that waits for a lock is left to its thread


class SqliteDialect:
    name = "sqlite"
    schema: str | None = None
    driver_errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    one_writer = True
    read_options: Mapping[str, Any] = {"begin": None}
    snapshot_options: Mapping[str, Any] = {"begin": "DEFERRED"}

    def engine(self, url: URL, pool_size: int, pool_timeout_s: float) -> AsyncEngine:
        engine = create_async_engine(
            url,
            module=OneTripDriver(),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=pool_timeout_s,
            # The driver's own transactions begin too late (a reader that turns into a writer is
            # refused at once, whatever the timeout) and leave schema changes outside.
            connect_args={"timeout": BUSY_PIECE_S, "isolation_level": None},
        )
        event.listen(engine.sync_engine, "connect", prepare)
        event.listen(engine.sync_engine, "begin", begin)
        return engine

    async def close(self, engine: AsyncEngine) -> None:
        await engine.dispose()
        driver = engine.dialect.dbapi
        assert isinstance(driver, OneTripDriver)
        await driver.closed(CLOSE_TIMEOUT_S)

    def insert(self, table: Table) -> Insert:
        return insert(table)

    def lock_for_migration(self, connection: Connection) -> None:
        """Nothing to add: a writing transaction already excludes every other."""

    async def take_turns(self, connection: AsyncConnection, name: str) -> None:
        """Nothing to add: writing transactions follow each other."""

    def search(self, access: object) -> None:
        return None

    async def put_words(
        self, connection: AsyncConnection, words: Mapping[str, Sequence[str]]
    ) -> None:
        pass

    async def damage(self, connection: AsyncConnection) -> list[str]:
        try:
            lines = (await connection.exec_driver_sql("PRAGMA integrity_check(20)")).scalars()
            return [f"file: {line}" for line in lines if line != "ok"]
        except DBAPIError as error:  # too damaged even to be examined
            return [f"file: {error.orig}"]

    async def dangling(self, connection: AsyncConnection) -> list[str]:
        try:
            rows = (await connection.exec_driver_sql("PRAGMA foreign_key_check")).all()
        except DBAPIError as error:
            return [f"file: {error.orig}"]
        return [f"{row.table}: row {row.rowid} points at nothing in {row.parent}" for row in rows]

    async def fix_numbering(self, connection: AsyncConnection, table: Table) -> None:
        """Nothing to do: SQLite goes on after the highest id."""
