"""What search keeps comes back the same from both databases, and every change is seen."""

import numpy as np
import pytest

from hammerstone.core.errors import NotFound, StorageError
from hammerstone.storage import Database


async def texts(db: Database) -> dict[str, str]:
    return dict(await db.index.missing("no such space", 99))


async def test_a_changed_text_takes_the_place_of_the_old(db: Database):
    await db.index.upsert("mean_of", "mini", None, "average")
    await db.index.upsert("mean_of", "mini", None, "median", tenant="ada")
    assert await texts(db) == {"mean_of": "median"}
    await db.index.remove("mean_of")
    assert await texts(db) == {}


async def test_a_huge_text_is_kept_whole(db: Database):
    text = "percentage " + " ".join(f"w{n}" for n in range(500_000)) + "x" * 5000
    await db.index.upsert("huge", "mini", None, text)
    assert await texts(db) == {"huge": text}


async def test_what_changed_since_a_revision_is_told_once(db: Database):
    async def news(since: int) -> list[tuple[str, list[float]]]:
        rows = await db.index.changed("mini", since)
        return [(key, vector.tolist()) for key, _, vector, _ in rows]

    first = await db.index.upsert("a", "mini", [1.0, 0.0], "a")
    assert await news(0) == [("a", [1.0, 0.0])]
    await db.index.upsert("b", "mini", [1.0, 1.0], "b")
    second = await db.index.upsert("a", "mini", [0.0, 1.0], "a")
    assert await news(first) == [("b", [1.0, 1.0]), ("a", [0.0, 1.0])]
    assert await db.index.revision() == second
    third = await db.index.remove("b")
    assert (await news(second), third > second) == ([], True)
    assert await db.index.keys("") == ["a"]


async def test_another_process_sees_the_change_too(db: Database, database_url: str):
    seen = await db.index.upsert("a", "mini", [1.0, 0.0], "a")
    other = await Database.open_url(database_url)
    await other.index.upsert("b", "mini", [1.0, 0.0], "b")
    await other.close()
    assert [row[0] for row in await db.index.changed("mini", seen)] == ["b"]


async def test_many_are_put_at_once(db: Database):
    await db.index.upsert("a", "mini", [1.0, 0.0], "old")
    await db.index.upsert_all({"a": "new", "b": "other"}, "mini", {"b": [0.0, 1.0]})
    assert await texts(db) == {"a": "new", "b": "other"}
    assert [row[0] for row in await db.index.changed("mini", 0)] == ["b"]


async def test_vectors_come_back_bit_for_bit(db: Database):
    vector = np.random.default_rng(7).normal(size=384).astype("<f4")
    await db.index.upsert("v", "mini", vector.tolist(), "v")
    ((key, text, found, _),) = await db.index.changed("mini", 0)
    assert (key, text, found.dtype) == ("v", "v", np.float32)
    assert np.array_equal(found, vector)
    assert await db.index.changed("other", 0) == []


async def test_a_new_space_fills_beside_the_old(db: Database):
    await db.index.upsert("a", "old", [1.0, 0.0], "text a")
    await db.index.upsert("b", "old", [1.0, 0.0], "text b")
    assert await db.index.missing("new", 9) == [("a", "text a"), ("b", "text b")]
    await db.index.set_vector("a", "new", [0.5, 0.5, 0.5])
    assert await db.index.missing("new", 9) == [("b", "text b")]
    assert await db.index.spaces() == {"old": 2, "new": 1}
    assert await db.index.drop_space("old") == 2
    assert await db.index.spaces() == {"new": 1}
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
