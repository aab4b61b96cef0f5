"""SQLite: one file, WAL, in a thread, with one trip to that thread a statement.

SQLAlchemy's own adapter makes five: for a cursor, to execute, to fetch, to close, and to roll
back a transaction that was never begun. A trip wakes two threads, which costs more than most of
our statements: a request took a hundred of them.

Words and vectors are compared in memory, so there is no index of them.
"""

import asyncio
import random
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, TypeVar

import aiosqlite
from aiosqlite import core
from sqlalchemy import Connection, Table, event
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.util.concurrency import await_

CLOSE_TIMEOUT_S = 5.0  # a connection that waits for a lock is left to its thread
BUSY_TIMEOUT_S = 30.0
BUSY_PIECE_S = 0.2  # of that time, between two looks whether somebody still waits
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
THREAD_NAME = "hammerstone-sqlite"
T = TypeVar("T")


class OneTripCursor(AsyncAdapt_aiosqlite_cursor):
    """Has all rows once it has executed; nothing is left open in the thread."""

    __slots__ = ("_last_id", "_row_count", "_shape")

    def __init__(self, adapt_connection: "OneTripConnection") -> None:
        self._adapt_connection = adapt_connection
        self._connection = adapt_connection.driver_connection
        self._rows = deque()
        self._shape: Any = None
        self._row_count = -1
        self._last_id: Any = None

    @property
    def description(self) -> Any:
        return self._shape

    @property
    def rowcount(self) -> int:
        return self._row_count

    @property
    def lastrowid(self) -> Any:
        return self._last_id

    def fetchmany(self, size: int | None = None) -> Sequence[Any]:
        return super().fetchmany(size or 1)

    async def _async_soft_close(self) -> None:
        """Nothing to do: it is closed already."""

    def close(self) -> None:
        self._rows.clear()

    def execute(self, operation: Any, parameters: Any = None) -> Any:
        self._run(lambda cursor: cursor.execute(operation, parameters or ()))

    def executemany(self, operation: Any, seq_of_parameters: Sequence[Any]) -> Any:
        self._run(lambda cursor: cursor.executemany(operation, seq_of_parameters))

    def _run(self, statement: Callable[[sqlite3.Cursor], Any]) -> None:
        adapter: Any = self._adapt_connection

        def work() -> tuple[Any, list[Any], int, Any]:
            cursor: sqlite3.Cursor = adapter.raw.cursor()
            try:
                adapter.wait_for_lock(lambda: statement(cursor))
                rows: list[Any] = cursor.fetchall() if cursor.description else []
                # Counted by SQLite only once the rows are fetched.
                return cursor.description, rows, cursor.rowcount, cursor.lastrowid
            finally:
                cursor.close()

        self._shape, rows, self._row_count, self._last_id = adapter.in_thread(work)
        self._rows = deque(rows)


class OneTripConnection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ("_unsure",)

    _cursor_cls = OneTripCursor

    def __init__(self, dbapi: Any, connection: Any) -> None:
        super().__init__(dbapi, connection)
        self._unsure = False

    @property
    def raw(self) -> sqlite3.Connection:
        """For use in its thread only."""
        driver: Any = self._connection
        return driver._conn

    def in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await_(self._connection._execute(work))
        except asyncio.CancelledError:
            self._unsure = True  # the thread may be about to begin a transaction
            raise
        except Exception as error:
            self._handle_exception(error)

    def wait_for_lock(self, statement: Callable[[], object]) -> None:
        """Run a statement in this connection's thread, again and again while another process has
        the file, unless it was in a transaction already; whoever is cancelled waits no longer."""
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            try:
                statement()
                break
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & _PRIMARY == sqlite3.SQLITE_BUSY
                late = self._unsure or time.monotonic() > deadline
                if not busy or late or self.raw.in_transaction:
                    raise
                time.sleep(random.uniform(0.001, 0.02))

    def rollback(self) -> None:
        connection = self._connection
        if connection._connection and (self._unsure or connection.in_transaction):
            super().rollback()
            self._unsure = False


class ThreadConnection(aiosqlite.Connection):
    """Ends in peace where aiosqlite's own thread dies with an error: whoever waited for it may be
    gone with the event loop, since a connection is closed in passing when its user is cancelled."""

    def __init__(self, connector: Callable[[], sqlite3.Connection], ended: Callable[[], None]):
        super().__init__(connector, iter_chunk_size=64)
        self._thread = Thread(target=self._work, args=(ended,), name=THREAD_NAME, daemon=True)

    def _work(self, ended: Callable[[], None]) -> None:
        driver: Any = core  # it and the queue are annotated in part only
        connection: Any = self
        result: Any = None
        try:
            while result is not driver._STOP_RUNNING_SENTINEL:
                future, function = connection._tx.get()
                try:
                    result = function()
                except BaseException as error:
                    _tell(future, driver.set_exception, error)
                else:
                    _tell(future, driver.set_result, result)
        finally:
            ended()

    def join(self, timeout_s: float) -> None:
        """Wait until the file is closed; called where the event loop is not."""
        if self._running:
            driver: Any = self
            driver.stop()
        self._thread.join(timeout_s)


def _tell(future: "asyncio.Future[Any] | None", tell: Callable[..., None], said: Any) -> None:
    if future is not None:
        with suppress(RuntimeError):  # its loop is closed: nobody waits any more
            future.get_loop().call_soon_threadsafe(tell, future, said)


class OneTripDriver(AsyncAdapt_aiosqlite_dbapi):
    """What `create_async_engine` takes as its `module`; it knows which connections are open."""

    def __init__(self) -> None:
        super().__init__(aiosqlite, sqlite3)
        self._open: dict[int, ThreadConnection] = {}

    def connect(self, *arg: Any, **kw: Any) -> OneTripConnection:
        found = super().connect(*arg, async_creator_fn=self._made, **kw)
        return OneTripConnection(self, found.driver_connection)

    def _made(self, database: str, **options: Any) -> ThreadConnection:
        def ended() -> None:
            self._open.pop(id(made), None)

        made = ThreadConnection(lambda: sqlite3.connect(database, **options), ended)
        self._open[id(made)] = made
        return made

    async def closed(self, timeout_s: float) -> None:
        """Wait until no thread has the file open, those of cancelled users included."""
        for one in list(self._open.values()):
            await asyncio.to_thread(one.join, timeout_s)


def prepare(connection: OneTripConnection, _record: object) -> None:
    """Set a new connection up."""
    connection.in_thread(lambda: _set_up(connection))


def _set_up(connection: OneTripConnection) -> None:
    for pragma in PRAGMAS:  # turning a new file to WAL does not wait for others who do the same
        connection.wait_for_lock(partial(connection.raw.execute, pragma))


def begin(connection: Connection) -> None:
    """Begin as the options of the connection say; a reading one begins nothing."""
    mode = connection.get_execution_options().get("begin", "IMMEDIATE")
    if mode is not None:
        connection.exec_driver_sql(f"BEGIN {mode}")


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
