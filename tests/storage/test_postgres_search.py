"""Candidates found by PostgreSQL itself: words never syntax, nearest first, an index made once."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from hammerstone.storage import Database
from hammerstone.storage.dialects.postgres_search import PostgresSearch

SPACE = "mini: 'odd' \\ space"
TOOLS = {
    "tool/percent_of": (["percent", "number", "rate"], [1.0, 0.0, 0.0]),
    "tool/parse_date": (["pars", "date", "text"], [0.6, 0.8, 0.0]),
    "tool/mean_of": (["mean", "averag", "number"], [0.0, 0.5, 0.0]),
    "tool/bare": (["number"], None),
}


@pytest.fixture
async def db(migrated_postgres: str) -> AsyncIterator[Database]:
    database = await Database.open_url(migrated_postgres)
    for key, (words, vector) in TOOLS.items():
        await database.index.upsert(key, SPACE, vector, key, words=words)
    await database.index.upsert("past/x", SPACE, [1.0, 0.0, 0.0], "a request")
    yield database
    await database.close()


@pytest.fixture
def search(db: Database) -> PostgresSearch:
    found = db.tool_search
    assert found is not None
    return found


async def test_the_nearest_tools_come_first_by_inner_product(db: Database, search: PostgresSearch):
    assert await search.build(SPACE, 3)
    found = await search.nearest(SPACE, np.array([1.0, 0.2, 0.0], "f4"), 2)
    assert list(found) == ["tool/percent_of", "tool/parse_date"]  # and no past request
    assert await search.nearest("another space", np.array([1.0, 0.0, 0.0], "f4"), 2) == {}
    many = await search.nearest(SPACE, np.array([1.0, 0.2, 0.0], "f4"), 5_000)
    assert len(many) == 3


async def test_rare_words_count_more(search: PostgresSearch):
    uses = await search.uses(["number", "date", "percent", "nobody"])
    assert uses == {"number": 3, "date": 1, "percent": 1, "nobody": 0}
    weighed = {"number": 0.5, "percent": 2.0, "nobody": 5.0}
    found = await search.by_words(SPACE, weighed, uses, 10)
    assert next(iter(found)) == "tool/percent_of"
    assert set(found) == {"tool/percent_of", "tool/mean_of", "tool/bare"}
    assert found["tool/bare"] is None  # no vector yet
    assert await search.by_words(SPACE, {"nobody": 1.0}, uses, 10) == {}


@pytest.mark.parametrize("word", ["'", "a & b", "!x", "\\", "(", "drop:*", "日本", "é"])
async def test_a_word_is_text_never_syntax(db: Database, search: PostgresSearch, word: str):
    await db.index.upsert("tool/odd", SPACE, None, "odd", words=[word])
    uses = await search.uses([word])
    assert uses == {word: 1}
    assert list(await search.by_words(SPACE, {word: 1.0}, uses, 3)) == ["tool/odd"]


async def test_rows_revisions_and_what_is_gone(db: Database, search: PostgresSearch):
    (row,) = await search.rows(SPACE, ["tool/parse_date", "tool/none"])
    assert row.text == "tool/parse_date" and row.vector is not None
    assert np.allclose(row.vector, [0.6, 0.8, 0.0])
    before = await search.revisions(SPACE, ["tool/parse_date"])
    await db.index.upsert("tool/parse_date", SPACE, [0.0, 0.0, 1.0], "tool/parse_date")
    assert await search.revisions(SPACE, ["tool/parse_date"]) != before
    await db.index.remove("tool/parse_date")
    assert await search.revisions(SPACE, ["tool/parse_date"]) == {}


async def test_a_changed_text_has_its_new_words_only(db: Database, search: PostgresSearch):
    await db.index.upsert("tool/bare", SPACE, None, "other", words=["median"])
    assert await search.uses(["median", "number"]) == {"median": 1, "number": 2}


async def test_words_that_are_not_written_yet_are_named(db: Database, search: PostgresSearch):
    assert not await search.unwritten(5)
    await db.index.upsert("tool/old", SPACE, None, "as an older version wrote it")
    assert await search.unwritten(5) == [("tool/old", "as an older version wrote it")]
    assert await search.build(SPACE, 3)
    assert not await search.ready(SPACE)
    await search.write_words({"tool/old": ["old", "x" * 5_000, ""]})
    assert await search.ready(SPACE)
    assert await search.uses(["old"]) == {"old": 1}


async def test_one_process_makes_the_index(db: Database, search: PostgresSearch):
    assert not await search.ready(SPACE)
    made = await asyncio.gather(*(search.build(SPACE, 3) for _ in range(3)))
    assert any(made)
    assert await search.ready(SPACE)
    assert await search.build(SPACE, 3)  # once more changes nothing
    assert not await search.build("too long", 5_000)


async def test_common_words_are_known_without_counting(db: Database, search: PostgresSearch):
    for number in range(300):
        await db.index.upsert(
            f"tool/t{number}", SPACE, None, "x", words=["often", f"w{number % 7}"]
        )
    assert await search.build(SPACE, 3)
    common = await search.common_words(304)
    assert abs(common["often"] - 300) <= 3
    texts = await search.sample(304, 50)
    assert 0 < len(texts) <= 50


async def test_a_sample_of_a_few_pages_is_never_empty(db: Database, search: PostgresSearch):
    # A share of nearly nothing draws no page.
    assert 0 < len(await search.sample(10**9, 1)) <= 1
