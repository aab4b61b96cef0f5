"""A passage that answered a question is found sooner by the next one like it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hammerstone.library.documents import DocumentPolicy
from hammerstone.library.documents.passage_search import PassageSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from tests.integration.engine import Script, scripted_engine, services_of


class CountingEmbedder(HashedEmbedder):
    def __init__(self) -> None:
        super().__init__(256)
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += texts
        return await super().embed(texts)


async def test_what_answered_before_comes_first_and_is_embedded_once(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Rooms\n\nThe key of the red room hangs at the door.\n")
    (docs / "b.md").write_text("# Office\n\nWhoever lost a badge asks Ms Lind for another.\n")
    question = "Who can help me with a key?"
    async with scripted_engine(Script(), tmp_path / "data") as hs:
        await hs.documents.add(str(docs))
        db = services_of(hs).records.db
        embedder = CountingEmbedder()
        search = PassageSearch(db, embedder, services_of(hs).guards.policies)
        await search.embed_missing()
        before = await search.find(question, [""])
        first, second = before
        assert not first.past and not second.past
        await db.documents.note_answer("", second.chunk_id, question)
        after = await search.find(question, [""])
        assert after[0].path == second.path
        assert after[0].past == pytest.approx(DocumentPolicy().past_weight)
        embedder.embedded.clear()
        await search.find("Who helps me with a badge?", [""])
        assert embedder.embedded == ["Who helps me with a badge?"]
        await hs.documents.remove(str(docs))
        assert await search.find(question, [""]) == []
        assert not await db.documents.answered("", 10)
