"""The SQLite driver of one trip a statement: rows, counts, and no transaction left behind."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from hammerstone.storage.dialects.sqlite import (
    BUSY_TIMEOUT_S,
    THREAD_NAME,
    SqliteDialect,
    ThreadConnection,
)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "x.db"))
    engine = SqliteDialect().engine(url, pool_size=1, pool_timeout_s=10.0)
    async with engine.begin() as connection:
        await connection.exec_driver_sql("CREATE TABLE things (id INTEGER PRIMARY KEY, n INTEGER)")
    yield engine
    await SqliteDialect().close(engine)


async def test_rows_and_counts(engine: AsyncEngine):
    async with engine.begin() as connection:
        many = [{"n": number} for number in range(5)]
        done = await connection.execute(text("INSERT INTO things (n) VALUES (:n)"), many)
        assert done.rowcount == 5
        changed = await connection.execute(
            text("UPDATE things SET n = n + 10 WHERE n > 2 RETURNING n")
        )
        assert [row.n for row in changed] == [13, 14]
        gone = await connection.execute(text("DELETE FROM things WHERE n < 2"))
        assert gone.rowcount == 2
    async with engine.connect() as connection:
        found = await connection.execute(text("SELECT n FROM things ORDER BY n"))
        assert found.fetchmany() == [(2,)]
        assert found.fetchmany(5) == [(13,), (14,)]


async def test_an_error_undoes_the_transaction(engine: AsyncEngine):
    with pytest.raises(IntegrityError) as raised:
        async with engine.begin() as connection:
            await connection.exec_driver_sql("INSERT INTO things VALUES (1, 1)")
            await connection.exec_driver_sql("INSERT INTO things VALUES (1, 2)")
    assert isinstance(raised.value.orig, sqlite3.IntegrityError)
    assert await _count(engine) == 0


async def test_who_is_cancelled_while_writing_leaves_no_transaction_open(
    engine: AsyncEngine, tmp_path: Path
):
    async def write() -> None:
        async with engine.begin() as connection:
            await connection.exec_driver_sql("INSERT INTO things (n) VALUES (1)")
            await asyncio.sleep(3600)

    other = sqlite3.connect(tmp_path / "x.db", timeout=10, isolation_level=None)
    for turns in range(12):  # cancelled at every point of its way
        task = asyncio.create_task(write())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert await _count(engine) == 0
        other.execute("BEGIN IMMEDIATE")  # nobody holds the write lock
        other.execute("ROLLBACK")
    other.close()


@pytest.mark.parametrize("connected", [True, False])
async def test_who_waits_for_anothers_lock_and_is_cancelled_waits_no_longer(
    engine: AsyncEngine, tmp_path: Path, connected: bool
):
    if not connected:
        await engine.dispose()
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def write() -> None:
        async with engine.begin() as connection:
            await connection.exec_driver_sql("INSERT INTO things (n) VALUES (1)")

    task = asyncio.create_task(write())
    await asyncio.sleep(1.0)
    assert not task.done()
    began_s = time.monotonic()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert time.monotonic() - began_s < BUSY_TIMEOUT_S / 3
    patient = asyncio.create_task(write())
    await asyncio.sleep(1.0)
    assert not patient.done()
    other.execute("ROLLBACK")
    await patient
    assert await _count(engine) == 1
    other.close()


async def test_closing_waits_for_the_threads_of_those_that_were_cancelled(tmp_path: Path):
    for turns in range(1, 14):  # cancelled at every point of its way, connecting included
        dialect = SqliteDialect()
        engine = dialect.engine(
            URL.create("sqlite+aiosqlite", database=str(tmp_path / "x.db")), 1, 10.0
        )
        task = asyncio.create_task(_count_of_nothing(engine))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await dialect.close(engine)
        assert not _threads()


def test_a_loop_that_ends_first_is_no_error_in_the_thread(tmp_path: Path):
    ended = threading.Event()

    async def stopped_while_it_works() -> None:
        connection = ThreadConnection(lambda: sqlite3.connect(tmp_path / "x.db"), ended.set)
        await connection
        work = asyncio.create_task(connection._execute(time.sleep, 0.2))
        await asyncio.sleep(0)
        work.cancel()
        connection.stop()

    asyncio.run(stopped_while_it_works())
    assert ended.wait(10)  # an error in the thread would be an error of this test


async def _count_of_nothing(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS nothing (n INTEGER)")
        while True:
            await connection.exec_driver_sql("SELECT count(*) FROM nothing")


def _threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == THREAD_NAME]


async def _count(engine: AsyncEngine) -> int:
    async with engine.execution_options(begin=None).connect() as connection:
        return (await connection.exec_driver_sql("SELECT count(*) FROM things")).scalar_one()
