"""Every entry of the index gets a vector in the embedder's space."""

import numpy as np
import pytest

from hammerstone.core.errors import ModelUnavailable
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.request_vectors import BATCH, reembed, tool_vector
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

FACETS = Facets.of("mean_of", "The mean of numbers.", {})


async def vectors_of(db: Database, space: str) -> dict[str, list[float]]:
    found = [(key, vector) for key, _, vector, _ in await db.index.changed(space, 0)]
    return {key: vector.tolist() for key, vector in found if vector is not None}


async def test_a_tool_gets_the_vector_that_it_would_have_got(
    db: Database, embedder: HashedEmbedder
) -> None:
    await db.index.upsert("tool/mean_of", embedder.space, None, FACETS.text)
    await db.index.upsert("other/x", embedder.space, None, "some words")
    await db.index.upsert("other/empty", embedder.space, None, "")
    assert await reembed(db, embedder) == 3
    found = await vectors_of(db, embedder.space)
    assert found["tool/mean_of"] == pytest.approx((await tool_vector(embedder, FACETS)).tolist())
    assert np.linalg.norm(found["other/x"]) == pytest.approx(1.0)
    assert await reembed(db, embedder) == 0


async def test_vectors_that_are_there_stay_and_those_of_other_spaces_go(
    db: Database, embedder: HashedEmbedder
) -> None:
    mine = [0.5] * embedder.dimensions
    await db.index.upsert("other/mine", embedder.space, mine, "mine")
    await db.index.upsert("other/late", "another space", [1.0, 0.0], "late")
    assert await reembed(db, embedder) == 1
    assert (await vectors_of(db, embedder.space))["other/mine"] == pytest.approx(mine)
    assert list(await db.index.spaces()) == [embedder.space]


async def test_many_are_embedded_and_a_failure_deletes_nothing(
    db: Database, embedder: HashedEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 2 * BATCH + 3
    for number in range(count):
        await db.index.upsert(f"other/{number}", "another space", [1.0], f"number {number}")
    embed, asked = HashedEmbedder.embed, list[int]()

    async def failing(self: HashedEmbedder, texts: list[str]) -> list[list[float]]:
        asked.append(len(texts))
        if len(asked) == 2:
            raise ModelUnavailable("it is gone")
        return await embed(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(HashedEmbedder, "embed", failing)
        with pytest.raises(ModelUnavailable):
            await reembed(db, embedder)
    assert "another space" in await db.index.spaces()
    assert len(await vectors_of(db, embedder.space)) == BATCH
    assert await reembed(db, embedder) == count - BATCH
    assert list(await db.index.spaces()) == [embedder.space]
