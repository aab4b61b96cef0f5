"""Each storage test runs on SQLite and on PostgreSQL, each time on a database of its own."""

import asyncio
import os
import secrets
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from hammerstone.storage import Database
from tests.storage.postgres_server import CannotRun, PostgresServer, shared_server

TEMPLATE = "migrated"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    run_id = os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex(6)
    try:
        with shared_server(run_id) as server:
            _make_template(server)
            yield server
    except CannotRun as reason:
        pytest.skip(f"cannot run here: {reason}")


def _make_template(server: PostgresServer) -> None:
    with _admin(server) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")  # one worker makes it
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (TEMPLATE,))
        if known.fetchone() is None:
            connection.execute(f"CREATE DATABASE building_{TEMPLATE}")
            asyncio.run(_migrate(server.url(f"building_{TEMPLATE}")))
            connection.execute(f"ALTER DATABASE building_{TEMPLATE} RENAME TO {TEMPLATE}")


def _admin(server: PostgresServer) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(f"user=postgres host={server.home} dbname=postgres", autocommit=True)


async def _migrate(url: str) -> None:
    database = await Database.open_url(url)
    await database.close()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "hammerstone.db"
    asyncio.run(_migrate(f"sqlite:///{path}"))
    return path


@pytest.fixture
def empty_postgres(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a PostgreSQL database without any table."""
    yield from _own_database(postgres, "template1")


@pytest.fixture
def migrated_postgres(postgres: PostgresServer) -> Iterator[str]:
    yield from _own_database(postgres, TEMPLATE)


@pytest.fixture
def second_postgres(postgres: PostgresServer) -> Iterator[str]:
    """Another one, for tests that bring something from one database to another."""
    yield from _own_database(postgres, TEMPLATE)


def _own_database(server: PostgresServer, template: str) -> Iterator[str]:
    name = f"test_{secrets.token_hex(6)}"
    with _admin(server) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield server.url(name)
    with _admin(server) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect_name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def empty_url(dialect_name: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Where a database is to be made."""
    if dialect_name == "sqlite":
        return f"sqlite:///{tmp_path}/data/hammerstone.db"
    return request.getfixturevalue("empty_postgres")


@pytest.fixture
def database_url(dialect_name: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database with the current schema and nothing in it."""
    if dialect_name == "postgresql":
        return request.getfixturevalue("migrated_postgres")
    return copy_of(request.getfixturevalue("migrated_file"), tmp_path / "data")


def copy_of(migrated: Path, folder: Path) -> str:
    """The URL of a database with the current schema, copied from one that was migrated."""
    folder.mkdir()
    target = folder / "hammerstone.db"
    with (
        closing(sqlite3.connect(migrated)) as template,
        closing(sqlite3.connect(target)) as copy,
    ):
        template.backup(copy)
    return f"sqlite:///{target}"


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    database = await Database.open_url(database_url)
    yield database
    await database.close()
