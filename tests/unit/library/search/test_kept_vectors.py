"""Vectors of measured texts: computed once, and again where a file was broken off."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hammerstone.evaluation.retrieval.kept_vectors import KeptVectors
from hammerstone.models.embedding.hashed import HashedEmbedder


class Counting(HashedEmbedder):
    def __init__(self, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return await super().embed(texts)


TEXTS = ["a circle", "two circles", "a circle"]


async def test_a_text_is_embedded_once_and_for_good(tmp_path: Path):
    first = Counting()
    kept = KeptVectors(first, tmp_path)
    found = await kept.embed(TEXTS)
    assert first.texts == ["a circle", "two circles"]
    assert found == [pytest.approx(each) for each in await HashedEmbedder(64).embed(TEXTS)]
    second = Counting()
    assert await KeptVectors(second, tmp_path).embed(TEXTS) == found
    assert second.texts == []


async def test_what_was_broken_off_is_computed_again(tmp_path: Path):
    found = await KeptVectors(Counting(), tmp_path).embed(TEXTS)
    (rows,) = tmp_path.glob("*.f32")
    with rows.open("r+b") as file:
        file.truncate(rows.stat().st_size - 5)
    again = Counting()
    kept = KeptVectors(again, tmp_path)
    assert await kept.embed(TEXTS) == found
    assert again.texts == ["two circles"]
    assert await KeptVectors(Counting(), tmp_path).embed(TEXTS) == found


async def test_another_embedder_has_vectors_of_its_own(tmp_path: Path):
    await KeptVectors(Counting(64), tmp_path).embed(TEXTS)
    wide = Counting(32)
    assert [len(each) for each in await KeptVectors(wide, tmp_path).embed(TEXTS)] == [32] * 3
    assert wide.texts
