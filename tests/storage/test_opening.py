"""Opening makes, migrates or refuses; afterwards the schema is exactly the one in the code."""

import asyncio
import sqlite3
from importlib.resources import files
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from hammerstone.core.errors import DatabaseTooNew, StorageError
from hammerstone.storage import Database, migrate
from hammerstone.storage.migrate import HEAD, REVISIONS, VERSION_TABLE
from hammerstone.storage.schema import metadata


async def execute(database: Database, statement: str) -> None:
    schema = database.dialect.schema
    async with database.engine.begin() as connection:
        if schema:
            await connection.execute(text(f"SET LOCAL search_path TO {schema}, public"))
        await connection.execute(text(statement))


async def test_a_missing_database_is_made(empty_url: str):
    database = await Database.open_url(empty_url)
    assert database.found_revision is None
    await database.sessions.create("ada")
    await database.close()
    again = await Database.open_url(empty_url)
    assert again.found_revision == HEAD
    assert len(await again.sessions.list("ada")) == 1
    await again.close()


@pytest.mark.filterwarnings("ignore:Did not recognize type 'vector'")
async def test_the_migrations_lead_to_the_schema_in_the_code(db: Database):
    def differences(connection: Connection) -> list[object]:
        if db.dialect.schema:
            connection.execute(text(f"SET LOCAL search_path TO {db.dialect.schema}, public"))
        context = MigrationContext.configure(
            connection,
            opts={"include_object": _ours, "compare_type": False},
        )
        return compare_metadata(context, metadata)

    async with db.engine.begin() as connection:
        assert await connection.run_sync(differences) == []


def _ours(item: object, name: str | None, kind: str, reflected: bool, other: object) -> bool:
    """Leave out what belongs to PostgreSQL's word search and to Alembic."""
    return name not in (VERSION_TABLE, "word_vector", "ix_entries_word_vector")


def test_every_migration_is_known_and_in_order():
    folder = files("hammerstone.storage") / "migrations" / "versions"
    names = sorted(f.name for f in folder.iterdir() if f.name.endswith(".py"))
    assert tuple(name.partition("_")[0] for name in names) == REVISIONS


async def test_an_older_database_is_migrated_with_what_it_holds(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr("hammerstone.storage.migrate.HEAD", "0001")
        old = await Database.open_url(empty_url)
    await old.sessions.create("ada")
    stamp = "'2024-01-01 00:00:00+00'" if old.dialect.schema else "'2024-01-01 00:00:00.000000'"
    await execute(
        old,
        'INSERT INTO traces (id, "user", status, started_at, session_id, run_id, skill, '
        f"iterations, metadata) VALUES ('t', 'ada', 'error', {stamp}, '', '', '', 0, '{{}}')",
    )
    for name, error in (("fine", "NULL"), ("broken", "'boom'")):
        await execute(
            old,
            "INSERT INTO spans (trace_id, id, name, kind, started_at, duration_s, error, "
            f"attributes) VALUES ('t', '{name}', 'n', 'step', {stamp}, 0.5, {error}, '{{}}')",
        )
    await old.close()
    new = await Database.open_url(empty_url)
    assert new.found_revision == "0001"
    assert len(await new.sessions.list("ada")) == 1
    _, spans = await new.traces.get("t")
    assert {span.id: span.status for span in spans} == {"fine": "success", "broken": "error"}
    await new.close()


async def test_a_newer_database_is_refused(db: Database, database_url: str):
    await execute(db, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(DatabaseTooNew, match="newer Hammerstone") as refused:
        await Database.open_url(database_url)
    assert "9999" in str(refused.value)
    assert "upgrade" in refused.value.hint


async def test_an_unknown_schema_is_refused(db: Database, database_url: str):
    await execute(db, f"UPDATE {VERSION_TABLE} SET version_num = '0000beta'")
    with pytest.raises(StorageError, match="unknown schema"):
        await Database.open_url(database_url)


async def test_many_open_a_new_database_at_once(empty_url: str):
    opened = await asyncio.gather(*(Database.open_url(empty_url) for _ in range(5)))
    await asyncio.gather(*(db.sessions.create("ada") for db in opened))
    assert len(await opened[0].sessions.list("ada")) == 5
    for database in opened:
        await database.close()


async def test_a_new_file_that_another_is_writing_to_is_waited_for(tmp_path: Path):
    """Turning a file to WAL is refused at once while somebody writes, whatever the timeout."""
    path = tmp_path / "h.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    opening = asyncio.create_task(Database.open_url(f"sqlite:///{path}"))
    await asyncio.sleep(0.3)
    assert not opening.done()
    other.close()
    database = await opening
    await database.sessions.create("ada")
    await database.close()


async def test_an_interrupted_migration_leaves_nothing_and_can_be_repeated(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
):
    upgrade = migrate._upgrade

    def interrupted(connection: Connection, target: str) -> None:
        upgrade(connection, target)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "_upgrade", interrupted)
        with pytest.raises(KeyboardInterrupt):
            await Database.open_url(empty_url)
    database = await Database.open_url(empty_url)
    assert database.found_revision is None  # none of the tables had stayed
    await database.index.upsert("a", "mini", None, "word")
    assert await database.index.count() == 1
    await database.close()


async def test_a_transaction_is_all_or_nothing(db: Database):
    with pytest.raises(ZeroDivisionError):
        async with db.transaction() as stores:
            await stores.sessions.create("ada", "s")
            await stores.messages.append("s", "user", "hello")
            assert len(await stores.messages.recent("s")) == 1
            raise ZeroDivisionError
    assert await db.sessions.find("s") is None
    async with db.transaction() as stores:
        await stores.sessions.create("ada", "s")
        await stores.messages.append("s", "user", "hello")
    assert len(await db.messages.recent("s")) == 1


async def test_a_cancelled_write_leaves_the_database_usable(db: Database):
    async def stopped_half_way() -> None:
        async with db.transaction() as stores:
            await stores.sessions.create("ada", "half")
            await asyncio.sleep(60)

    for _ in range(15):  # more often than there are connections
        task = asyncio.create_task(stopped_half_way())
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await db.sessions.find("half") is None
    await db.sessions.create("ada", "whole")


async def test_a_busy_pool_is_a_clear_error(database_url: str):
    database = await Database.open_url(database_url, pool_size=2, pool_timeout_s=0.1)
    async with database.access.reading(), database.access.reading():
        with pytest.raises(StorageError, match="all database connections are busy") as error:
            await database.sessions.find("s")
    assert "POOL_SIZE" in error.value.hint
    assert await database.sessions.find("s") is None
    await database.close()


async def test_more_work_than_connections_queues_up(database_url: str):
    database = await Database.open_url(database_url, pool_size=2)
    await asyncio.gather(*(database.sessions.create("ada", f"s{n}") for n in range(40)))
    assert len(await database.sessions.list("ada", 100)) == 40
    await database.close()


async def test_sqlite_files_are_private(tmp_path: Path):
    database = await Database.open_url(f"sqlite:///{tmp_path}/new/deep/h.db")
    await database.sessions.create("ada")
    folder = tmp_path / "new" / "deep"
    assert folder.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == dict.fromkeys(("h.db", "h.db-wal", "h.db-shm", "h.db-hold"), 0o600)
    await database.close()


async def test_postgres_keeps_out_of_the_public_schema(empty_postgres: str):
    database = await Database.open_url(empty_postgres)
    query = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    async with database.engine.connect() as connection:
        assert (await connection.execute(text(query))).scalar_one() == 0
    await database.close()
