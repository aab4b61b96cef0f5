"""Simpler ways to find passages: words alone, vectors alone."""

from collections.abc import Sequence

import numpy as np

from hammerstone.core.seams import Embedder
from hammerstone.evaluation.documents.question_sets import DocumentQuestion
from hammerstone.library.search.text.stems import all_stems
from hammerstone.library.search.text.words import WordIndex

Texts = Sequence[tuple[str, str]]


def word_ranks(questions: Sequence[DocumentQuestion], passages: Texts) -> list[int | None]:
    """The rank of the right passage by BM25 over whole passages."""
    index = WordIndex()
    for place, (_, text) in enumerate(passages):
        index.add(place, [(list(all_stems(text)), 1.0)])
    found = (index.scores(list(all_stems(one.text)), len(passages)) for one in questions)
    return [_rank(q, s, passages) for q, s in zip(questions, found, strict=True)]


async def vector_ranks(
    questions: Sequence[DocumentQuestion], passages: Texts, embedder: Embedder
) -> list[int | None]:
    """The rank of the right passage by one vector a passage."""
    rows = np.array(await embedder.embed([text for _, text in passages]), np.float32)
    asked = np.array(await embedder.embed([one.text for one in questions]), np.float32)
    return [_rank(q, rows @ vector, passages) for q, vector in zip(questions, asked, strict=True)]


def _rank(question: DocumentQuestion, scored: np.ndarray, passages: Texts) -> int | None:
    for rank, place in enumerate(np.argsort(-scored, kind="stable")):
        if question.said_in(*passages[int(place)]):
            return rank
    return None
