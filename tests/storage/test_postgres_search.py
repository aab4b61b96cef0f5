"""Search inside PostgreSQL: words in any form, never syntax; nearest vectors first."""

from collections.abc import AsyncIterator

import pytest

from hammerstone.storage import Database
from hammerstone.storage.dialects.postgres_search import PostgresSearch

TEXTS = {
    "percent_of": "percent_of: the percentage of a number. rate, base",
    "parse_date": "parseDate: reads dates and weeks from text. text, format",
    "mean_of": "mean_of: average of numbers. values",
    "cafe_near": "cafés/bistros of Paris.",
}


async def fill(db: Database) -> None:
    for key, text in TEXTS.items():
        await db.index.upsert(key, "mini", None, text)


async def keys(search: PostgresSearch, query: str, **options: object) -> list[str]:
    return [key for key, _ in await search.words(query, 10, **options)]  # type: ignore[arg-type]


@pytest.fixture
async def db(migrated_postgres: str) -> AsyncIterator[Database]:
    database = await Database.open_url(migrated_postgres)
    yield database
    await database.close()


@pytest.fixture
def search(db: Database) -> PostgresSearch:
    return PostgresSearch(db.access)


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("percentages", "percent_of"),
        ("DATE", "parse_date"),
        ("what week is it?", "parse_date"),
        ("averaging", "mean_of"),
        ("mean", "mean_of"),
        ("büse base", "percent_of"),
        ("Paris cafe", "cafe_near"),
    ],
)
async def test_words_are_found_in_any_form(
    db: Database, search: PostgresSearch, query: str, best: str
):
    await fill(db)
    assert (await keys(search, query))[0] == best


@pytest.mark.parametrize(
    "query",
    [
        'percent" OR "1"="1',
        "percent*) NEAR(x, 2",
        "words:percent AND NOT rate",
        "percent & | ! <-> :*",
        "'; DROP TABLE entries; -- percent",
        "percent\x00\ud800",
        "{percent} ^percent -percent +percent",
    ],
)
async def test_a_query_is_text_never_syntax(db: Database, search: PostgresSearch, query: str):
    await fill(db)
    assert "percent_of" in await keys(search, query)
    assert await db.index.count() == len(TEXTS)


@pytest.mark.parametrize("query", ["", "   ", "the of and", "!!! ()", "\x00", "*"])
async def test_a_query_without_words_finds_nothing(
    db: Database, search: PostgresSearch, query: str
):
    await fill(db)
    assert await keys(search, query) == []


async def test_scores_are_positive_and_fall(db: Database, search: PostgresSearch):
    await fill(db)
    await db.index.upsert("both", "mini", None, "percentage average numbers")
    scores = [score for _, score in await search.words("percentage of average numbers", 10)]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert len(await search.words("numbers", 1)) == 1


async def test_a_huge_query_is_no_problem(db: Database, search: PostgresSearch):
    await fill(db)
    assert await keys(search, "percent " + " ".join(f"w{n}" for n in range(100_000))) == [
        "percent_of"
    ]


async def test_a_huge_text_is_found_by_how_it_begins(db: Database, search: PostgresSearch):
    text = "percentage " + " ".join(f"w{n}" for n in range(500_000))
    await db.index.upsert("huge", "mini", None, text + "x" * 5000)
    assert await keys(search, "percentages") == ["huge"]


async def test_tenants_can_be_kept_apart(db: Database, search: PostgresSearch):
    await db.index.upsert("a", "mini", None, "shared word", tenant="one")
    await db.index.upsert("b", "mini", None, "shared word", tenant="two")
    assert await keys(search, "shared", tenant="one") == ["a"]
    assert sorted(await keys(search, "shared")) == ["a", "b"]


async def test_the_nearest_vectors_come_first(db: Database, search: PostgresSearch):
    for key, vector in {"x": [1, 0, 0], "y": [0, 2, 0], "xy": [3, 3, 0]}.items():
        await db.index.upsert(key, "mini", [float(v) for v in vector], key)
    found = await search.nearest("mini", [1.0, 0.1, 0.0], 2)
    assert [key for key, _ in found] == ["x", "xy"]
    assert found[0][1] == pytest.approx(0.995037, abs=1e-5)
    assert found[1][1] == pytest.approx(0.773957, abs=1e-5)
    assert await search.nearest("mini", [1.0, 0.0, 0.0], 0) == []
    assert len(await search.nearest("mini", [1.0, 0.0, 0.0], 99)) == 3
    assert await search.nearest("nowhere", [1.0, 0.0, 0.0], 3) == []


async def test_vectors_of_another_length_are_never_near(db: Database, search: PostgresSearch):
    await db.index.upsert("x", "mini", [1.0, 0.0, 0.0], "x")
    assert await search.nearest("mini", [1.0, 0.0], 3) == []


async def test_the_zero_vector_is_near_nothing(db: Database, search: PostgresSearch):
    await db.index.upsert("zero", "mini", [0.0, 0.0], "zero")
    await db.index.upsert("away", "mini", [-1.0, 0.0], "away")
    assert await search.nearest("mini", [1.0, 0.0], 2) == [("zero", 0.0), ("away", -1.0)]


async def test_a_changed_text_is_found_by_its_new_words_only(db: Database, search: PostgresSearch):
    await fill(db)
    await db.index.upsert("mean_of", "mini", None, "median")
    assert await keys(search, "average") == []
    assert await keys(search, "median") == ["mean_of"]
    await db.index.remove("mean_of")
    assert await keys(search, "median") == []
