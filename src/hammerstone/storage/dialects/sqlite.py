"""SQLite: one file, WAL. Words and vectors are compared in memory, so there is no index of them."""

import random
import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, event
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hammerstone.storage.dialects.sqlite_driver import OneTripConnection, OneTripDriver

BUSY_TIMEOUT_MS = 30_000
CLOSE_TIMEOUT_S = 5.0  # a connection that waits for a lock is left to its thread
_PRIMARY = 0xFF  # of an error code: the rest says more closely what
# Durable against a crash of this process; after a power cut the last moments may be missing,
# never half a transaction. FULL would wait for the disk on every event.
PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-16000",
)


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
            connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "isolation_level": None},
        )
        event.listen(engine.sync_engine, "connect", _prepare)
        event.listen(engine.sync_engine, "begin", _begin)
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


def _prepare(connection: OneTripConnection, _record: object) -> None:
    connection.in_thread(lambda: _set_up(connection.raw))


def _set_up(raw: sqlite3.Connection) -> None:
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    for pragma in PRAGMAS:
        while True:
            try:
                raw.execute(pragma)
                break
            except sqlite3.OperationalError as error:
                # Turning a new file to WAL does not wait for others who do the same.
                busy = error.sqlite_errorcode & _PRIMARY == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0.001, 0.02))


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get("begin", "IMMEDIATE")
    if mode is not None:
        connection.exec_driver_sql(f"BEGIN {mode}")
