"""A database of the schema that had a word index on both databases opens, and loses nothing."""

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from tests.storage.test_opening import execute

TOOLS = {
    "percent_of": "percent_of\nThe percentage of a number.",
    "mean_of": "mean_of\nThe average of numbers.",
}


async def old_database(url: str, patch: pytest.MonkeyPatch) -> dict[str, np.ndarray]:
    """Schema 0008 with two tools in it, as that version wrote them; their vectors."""
    embedder = HashedEmbedder()
    with patch.context() as context:
        context.setattr("hammerstone.storage.migrate.HEAD", "0008")
        old = await Database.open_url(url)
    if old.dialect.schema:
        await execute(old, "CREATE EXTENSION vector SCHEMA public")
        for table in ("vectors", "skills", "exchange_vectors"):
            await execute(
                old, f"ALTER TABLE {table} ALTER COLUMN vector TYPE vector USING vector::vector"
            )
    vectors: dict[str, np.ndarray] = {}
    for name, said in TOOLS.items():
        (numbers,) = await embedder.embed([said])
        vectors[name] = np.array(numbers, "<f4")
        stored = f"'{vectors[name].tolist()}'"
        if not old.dialect.schema:
            stored = f"x'{vectors[name].tobytes().hex()}'"
        words = said.lower().replace("\n", " ")
        await execute(
            old,
            "INSERT INTO entries (key, tenant, text, words) "
            f"VALUES ('tool/{name}', '', '{said}', '{words}')",
        )
        await execute(
            old,
            "INSERT INTO vectors (space, key, vector, revision) "
            f"VALUES ('{embedder.space}', 'tool/{name}', {stored}, 1)",
        )
    await execute(old, "UPDATE revisions SET number = 1 WHERE name = 'index'")
    await old.close()
    return vectors


async def test_tools_of_an_old_database_are_found_and_changed(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
):
    vectors = await old_database(empty_url, monkeypatch)
    db = await Database.open_url(empty_url)
    assert db.found_revision == "0008"
    found = {key: vector for key, _, vector, _ in await db.index.changed("hashed@64", 0)}
    assert all(np.array_equal(found[f"tool/{name}"], vectors[name]) for name in TOOLS)
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    hits = await search.find("percentage of a number")
    assert hits[0].name == "percent_of"
    await db.index.upsert("tool/mean_of", "hashed@64", None, "mean_of\nThe median.")
    await db.index.remove("tool/percent_of")
    assert await db.index.keys("tool/") == ["tool/mean_of"]
    assert (await check(db)).problems == []
    await search.close()
    await db.close()


async def test_sqlite_keeps_nothing_of_the_word_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    url = f"sqlite:///{tmp_path}/h.db"
    await old_database(url, monkeypatch)
    db = await Database.open_url(url)
    async with db.engine.connect() as connection:
        rows = await connection.execute(text("SELECT name, sql FROM sqlite_schema"))
        known = {row.name: row.sql for row in rows}
    await db.close()
    assert not [name for name in known if name.startswith(("entry_words", "entries_"))]
    assert "words" not in known["entries"]


async def test_postgres_finds_the_tools_of_an_old_database(
    empty_postgres: str, monkeypatch: pytest.MonkeyPatch
):
    """Their words are written, and the index is made, when the library counts as large."""
    await old_database(empty_postgres, monkeypatch)
    db = await Database.open_url(empty_postgres)
    policies = Policies(db)
    await policies.change("search", {"database_from": 1}, who="test", why="large")
    search = ToolSearch(db, HashedEmbedder(), policies)
    await search.make_index()
    assert (await search.find("percentage of a number"))[0].name == "percent_of"
    assert search.in_database
    await search.close()
    await db.close()
