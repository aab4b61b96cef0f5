"""A database that is down, goes down, or cannot be written: said clearly, and survived."""

import secrets
import sqlite3
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError, StorageError
from hammerstone.core.settings import Settings
from hammerstone.storage import Database
from tests.storage.postgres_server import CannotRun, PostgresServer, shared_server


async def test_a_server_that_is_down_at_the_start(tmp_path: Path):
    with pytest.raises(StorageError, match="cannot be reached") as error:
        await Database.open_url(f"postgresql://ada:secret@/x?host={tmp_path}")
    assert error.value.data["reason"] == "unreachable"
    assert "secret" not in error.value.message + error.value.hint


async def test_a_port_nobody_listens_on():
    with pytest.raises(StorageError, match="cannot be reached"):
        await Database.open_url("postgresql://ada:secret@127.0.0.1:1/x")


async def test_a_database_that_does_not_exist(postgres: PostgresServer):
    with pytest.raises(StorageError, match="does not exist") as error:
        await Database.open_url(postgres.url("nowhere"))
    assert "database name" in error.value.hint


async def test_a_user_without_rights(migrated_postgres: str, postgres: PostgresServer):
    owner = await Database.open_url(migrated_postgres)
    role = f"reader_{secrets.token_hex(4)}"
    async with owner.engine.begin() as connection:
        await connection.exec_driver_sql(f"CREATE ROLE {role} LOGIN")
        await connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA hammerstone TO {role}")
        await connection.exec_driver_sql(
            f"GRANT SELECT ON ALL TABLES IN SCHEMA hammerstone TO {role}"
        )
    reader = await Database.open_url(migrated_postgres.replace("postgres@", f"{role}@"))
    assert await reader.sessions.list("ada") == []
    with pytest.raises(StorageError, match="does not allow") as error:
        await reader.sessions.create("ada")
    assert error.value.data["reason"] == "not_writable"
    await reader.close()
    async with owner.engine.begin() as connection:
        await connection.exec_driver_sql(f"DROP OWNED BY {role}")
        await connection.exec_driver_sql(f"DROP ROLE {role}")
    await owner.close()


async def test_a_server_that_restarts_costs_no_request_afterwards():
    try:
        with shared_server(f"restart{secrets.token_hex(2)}") as server:  # this one may be stopped
            database = await Database.open_url(server.url())
            await database.sessions.create("ada", "before")
            server.stop("fast")
            with pytest.raises(StorageError, match="cannot be reached"):
                await database.sessions.create("ada", "while down")
            with pytest.raises(StorageError, match="cannot be reached"):
                await database.sessions.list("ada")
            server.start()
            assert [s.id for s in await database.sessions.list("ada")] == ["before"]
            await database.sessions.create("ada", "after")
            await database.close()
    except CannotRun as reason:
        pytest.skip(f"cannot run here: {reason}")


async def test_a_connection_cut_in_the_middle(migrated_postgres: str):
    database = await Database.open_url(migrated_postgres)
    with pytest.raises(StorageError, match="cannot be reached"):
        async with database.access.writing() as connection:
            pid = (await connection.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one()
            async with database.access.writing() as other:
                await other.exec_driver_sql(f"SELECT pg_terminate_backend({pid})")
            await connection.exec_driver_sql("SELECT 1")
    await database.sessions.create("ada", "after")
    await database.close()


async def test_a_file_that_is_no_database(tmp_path: Path):
    (tmp_path / "h.db").write_bytes(b"This is a letter, not a database. " * 100)
    with pytest.raises(StorageError, match="damaged"):
        await Database.open_url(f"sqlite:///{tmp_path}/h.db")


async def test_a_database_of_somebody_else(tmp_path: Path):
    other = sqlite3.connect(tmp_path / "h.db")
    other.execute("CREATE TABLE sessions (theirs)")
    other.commit()
    other.close()
    with pytest.raises(StorageError, match="already exists"):
        await Database.open_url(f"sqlite:///{tmp_path}/h.db")
    other = sqlite3.connect(tmp_path / "h.db")
    names = [name for (name,) in other.execute("SELECT name FROM sqlite_master")]
    other.close()
    assert names == ["sessions"]


async def test_a_data_directory_that_is_a_file(tmp_path: Path):
    (tmp_path / "data").write_text("")
    with pytest.raises(DataDirectoryError) as error:
        await Database.open(Settings(data_dir=tmp_path / "data"))
    assert "HAMMERSTONE_DATA_DIR" in error.value.hint


async def test_settings_open_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("DATABASE_URL", "SUPABASE_URL", "HAMMERSTONE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    database = await Database.open(Settings(data_dir=tmp_path / "data", database_pool_size=3))
    assert database.url_for_display == str(tmp_path / "data" / "hammerstone.db")
    assert database.dialect_name == "sqlite"
    await database.close()
