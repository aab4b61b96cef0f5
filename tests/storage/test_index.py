"""Finding by words and by direction gives the same on both databases."""

import numpy as np
import pytest

from hammerstone.core.errors import NotFound, StorageError
from hammerstone.storage import Database

TEXTS = {
    "percent_of": "percent_of: the percentage of a number. rate, base",
    "parse_date": "parseDate: reads dates and weeks from text. text, format",
    "mean_of": "mean_of: average of numbers. values",
}


async def fill(db: Database) -> None:
    for key, text in TEXTS.items():
        await db.index.upsert(key, "mini", None, text)


async def keys(db: Database, query: str, **options: object) -> list[str]:
    return [key for key, _ in await db.index.words(query, 10, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("percentages", "percent_of"),
        ("DATE", "parse_date"),
        ("what week is it?", "parse_date"),
        ("averaging", "mean_of"),
        ("mean", "mean_of"),
        ("büse base", "percent_of"),
    ],
)
async def test_words_are_found_in_any_form(db: Database, query: str, best: str):
    await fill(db)
    assert (await keys(db, query))[0] == best


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
async def test_a_query_is_text_never_syntax(db: Database, query: str):
    await fill(db)
    assert "percent_of" in await keys(db, query)
    assert await db.index.count() == 3


@pytest.mark.parametrize("query", ["", "   ", "the of and", "!!! ()", "\x00", "*"])
async def test_a_query_without_words_finds_nothing(db: Database, query: str):
    await fill(db)
    assert await keys(db, query) == []


async def test_scores_are_positive_and_fall(db: Database):
    await fill(db)
    await db.index.upsert("both", "mini", None, "percentage average numbers")
    scores = [score for _, score in await db.index.words("percentage of average numbers", 10)]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert len(await db.index.words("numbers", 1)) == 1


async def test_a_huge_query_is_no_problem(db: Database):
    await fill(db)
    assert await keys(db, "percent " + " ".join(f"w{n}" for n in range(100_000))) == ["percent_of"]


async def test_a_huge_text_is_found_by_how_it_begins(db: Database):
    text = "percentage " + " ".join(f"w{n}" for n in range(500_000))
    await db.index.upsert("huge", "mini", None, text + "x" * 5000)
    assert await keys(db, "percentages") == ["huge"]
    assert await db.index.text("huge") == text + "x" * 5000


async def test_a_changed_text_is_found_by_its_new_words_only(db: Database):
    await fill(db)
    await db.index.upsert("mean_of", "mini", None, "median")
    assert await keys(db, "average") == []
    assert await keys(db, "median") == ["mean_of"]
    assert await db.index.text("mean_of") == "median"
    await db.index.remove("mean_of")
    assert await keys(db, "median") == []
    assert await db.index.text("mean_of") is None


async def test_tenants_can_be_kept_apart(db: Database):
    await db.index.upsert("a", "mini", None, "shared word", tenant="one")
    await db.index.upsert("b", "mini", None, "shared word", tenant="two")
    assert await keys(db, "shared", tenant="one") == ["a"]
    assert sorted(await keys(db, "shared")) == ["a", "b"]


async def test_the_nearest_vectors_come_first(db: Database):
    for key, vector in {"x": [1, 0, 0], "y": [0, 2, 0], "xy": [3, 3, 0]}.items():
        await db.index.upsert(key, "mini", [float(v) for v in vector], key)
    found = await db.index.nearest("mini", [1.0, 0.1, 0.0], 2)
    assert [key for key, _ in found] == ["x", "xy"]
    assert found[0][1] == pytest.approx(0.995037, abs=1e-5)
    assert found[1][1] == pytest.approx(0.773957, abs=1e-5)
    assert await db.index.nearest("mini", [1.0, 0.0, 0.0], 0) == []
    assert len(await db.index.nearest("mini", [1.0, 0.0, 0.0], 99)) == 3
    assert await db.index.nearest("nowhere", [1.0, 0.0, 0.0], 3) == []


async def test_vectors_of_another_length_are_never_near(db: Database):
    await db.index.upsert("x", "mini", [1.0, 0.0, 0.0], "x")
    assert await db.index.nearest("mini", [1.0, 0.0], 3) == []


async def test_the_zero_vector_is_near_nothing(db: Database):
    await db.index.upsert("zero", "mini", [0.0, 0.0], "zero")
    await db.index.upsert("away", "mini", [-1.0, 0.0], "away")
    assert await db.index.nearest("mini", [1.0, 0.0], 2) == [("zero", 0.0), ("away", -1.0)]


async def test_search_sees_every_change(db: Database):
    async def near() -> list[str]:
        return [key for key, _ in await db.index.nearest("mini", [1.0, 0.0], 9)]

    await db.index.upsert("a", "mini", [1.0, 0.0], "a")
    assert await near() == ["a"]
    await db.index.upsert("b", "mini", [1.0, 1.0], "b")
    assert await near() == ["a", "b"]
    await db.index.upsert("a", "mini", [0.0, 1.0], "a")
    assert await near() == ["b", "a"]
    await db.index.remove("b")
    assert await near() == ["a"]
    await db.index.upsert("c", "mini", [1.0, 0.0], "c")
    await db.index.remove("a")
    assert await near() == ["c"]


async def test_another_process_sees_the_change_too(db: Database, database_url: str):
    await db.index.upsert("a", "mini", [1.0, 0.0], "a")
    assert len(await db.index.nearest("mini", [1.0, 0.0], 9)) == 1
    other = await Database.open_url(database_url)
    await other.index.upsert("b", "mini", [1.0, 0.0], "b")
    await other.close()
    assert len(await db.index.nearest("mini", [1.0, 0.0], 9)) == 2


async def test_vectors_come_back_bit_for_bit(db: Database):
    vector = np.random.default_rng(7).normal(size=384).astype("<f4")
    await db.index.upsert("v", "mini", vector.tolist(), "v")
    found, matrix = await db.index.vectors("mini")
    assert found == ["v"]
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix[0], vector)
    empty, nothing = await db.index.vectors("other")
    assert (empty, len(nothing)) == ([], 0)


async def test_a_new_space_fills_beside_the_old(db: Database):
    await db.index.upsert("a", "old", [1.0, 0.0], "text a")
    await db.index.upsert("b", "old", [1.0, 0.0], "text b")
    assert await db.index.missing("new", 9) == [("a", "text a"), ("b", "text b")]
    await db.index.set_vector("a", "new", [0.5, 0.5, 0.5])
    assert await db.index.missing("new", 9) == [("b", "text b")]
    assert await db.index.spaces() == {"old": 2, "new": 1}
    assert [key for key, _ in await db.index.nearest("new", [1.0, 1.0, 1.0], 9)] == ["a"]
    assert await db.index.drop_space("old") == 2
    assert await db.index.nearest("old", [1.0, 0.0], 9) == []
    with pytest.raises(NotFound):
        await db.index.set_vector("none", "new", [1.0])


async def test_vectors_of_an_old_text_are_dropped(db: Database):
    await db.index.upsert("a", "old", [1.0, 0.0], "text")
    await db.index.upsert("a", "new", [0.0, 1.0], "text")
    assert await db.index.spaces() == {"old": 1, "new": 1}
    await db.index.upsert("a", "new", [0.0, 1.0], "other text")
    assert await db.index.spaces() == {"new": 1}


async def test_a_vector_that_is_none_is_refused(db: Database):
    for wrong in ([float("nan"), 1.0], [], [[1.0]]):
        with pytest.raises(StorageError):
            await db.index.upsert("a", "mini", wrong, "text")  # type: ignore[arg-type]
    assert await db.index.count() == 0
