"""A PostgreSQL that has no pgvector, or does not let us add it, serves a library all the same."""

import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest

from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.search.facets import Facets
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from hammerstone.storage.files.transfer import export_to, import_from
from tests.storage.postgres_server import PostgresServer


def administrate(server: PostgresServer, database: str, *statements: str) -> None:
    where = f"user=postgres host={server.home} dbname={database}"
    with psycopg.connect(where, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[arg-type]


@pytest.fixture(params=["not installed", "not allowed"])
def url(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[str]:
    """A database whose server does not offer pgvector, or offers it to others only."""
    name = f"plain_{secrets.token_hex(6)}"
    role = f"ordinary_{secrets.token_hex(6)}"
    administrate(postgres, "postgres", f"CREATE DATABASE {name}", f"CREATE ROLE {role} LOGIN")
    if request.param == "not installed":
        hidden = f"ALTER DATABASE {name} SET extension_control_path TO '/nowhere'"
        administrate(postgres, "postgres", hidden)
        yield postgres.url(name)
    else:
        administrate(postgres, "postgres", f"GRANT CREATE ON DATABASE {name} TO {role}")
        yield postgres.url(name).replace("postgres@", f"{role}@")
    administrate(postgres, "postgres", f"DROP DATABASE {name} WITH (FORCE)", f"DROP ROLE {role}")


@pytest.fixture
async def db(url: str) -> AsyncIterator[Database]:
    database = await Database.open_url(url)
    yield database
    await database.close()


async def test_vectors_come_back_bit_for_bit(db: Database):
    vector = np.random.default_rng(7).normal(size=384).astype("<f4")
    await db.index.upsert("v", "mini", vector.tolist(), "v")
    await db.index.upsert("v", "mini", (-vector).tolist(), "v")
    ((_, _, found, _),) = await db.index.changed("mini", 0)
    assert np.array_equal(found, -vector)
    assert (await check(db)).problems == []


async def test_tools_are_found_by_meaning_and_words(db: Database, url: str):
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    await search.index_facets(Facets("percent_of", "The percentage of a number.", ()))
    await search.index_facets(Facets("mean_of", "The average of numbers.", ()))
    await search.close()
    again = await Database.open_url(url)  # as another process would
    other = ToolSearch(again, HashedEmbedder(), Policies(again))
    hits = await other.find("percentage of a number")
    assert hits[0].name == "percent_of"
    assert hits[0].cosine is not None and hits[0].cosine > 0.5
    await other.close()
    await again.close()


async def test_a_large_library_stays_in_memory(db: Database):
    policies = Policies(db)
    await policies.change("search", {"database_from": 1}, who="test", why="large")
    search = ToolSearch(db, HashedEmbedder(), policies)
    await search.index_facets(Facets("percent_of", "The percentage of a number.", ()))
    assert (await search.find("percentage of a number"))[0].name == "percent_of"
    assert not search.in_database
    await search.close()


async def test_pgvector_that_comes_later_is_used(db: Database, url: str, postgres: PostgresServer):
    await db.index.upsert("tool/x", "mini", [1.0, 0.0], "x")
    await db.index.upsert("tool/y", "mini", [0.0, 1.0], "y")
    name = url.partition("@/")[2].partition("?")[0]
    administrate(
        postgres,
        name,
        "SET extension_control_path TO '$system'",
        "CREATE EXTENSION vector SCHEMA public",
    )
    assert db.tool_search is not None and await db.tool_search.build("mini", 2)
    found = await db.tool_search.nearest("mini", np.array([1.0, 0.1], "f4"), 1)
    assert list(found) == ["tool/x"]


async def test_a_library_moves_to_it_and_away(db: Database, migrated_postgres: str, tmp_path: Path):
    vector = np.random.default_rng(3).normal(size=384).astype("<f4")
    source = await Database.open_url(migrated_postgres)
    await source.index.upsert("v", "mini", vector.tolist(), "v")
    await export_to(source, tmp_path / "there")
    await source.close()
    assert (await import_from(db, tmp_path / "there")).broken == []
    await export_to(db, tmp_path / "back")
    target = await Database.open_url(f"sqlite:///{tmp_path}/h.db")
    assert (await import_from(target, tmp_path / "back")).broken == []
    ((_, _, found, _),) = await target.index.changed("mini", 0)
    assert np.array_equal(found, vector)
    await target.close()
