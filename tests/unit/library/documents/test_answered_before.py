"""What earlier questions add to the chunks that answered them."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.passage_search import AnsweredBefore

POLICY = DocumentPolicy(past_weight=0.3, past_similarity=0.7, past_questions=2)
ALONG, ACROSS = [1.0, 0.0], [0.0, 1.0]
QUESTION = np.asarray(ALONG, np.float32)


class Directions:
    """An embedder whose texts say their direction; it notes what it was asked."""

    space, dimensions = "directions", 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        found: list[list[float]] = []
        for text in texts:
            along = float(text.split()[-1])
            found.append([along, (1 - along**2) ** 0.5])
        return found

    async def close(self) -> None: ...


class Answered:
    """The database's answered questions, for one person."""

    def __init__(self, *rows: tuple[str, int]) -> None:
        self.rows = [SimpleNamespace(question=text, chunk_id=chunk) for text, chunk in rows]
        self.documents = self

    async def answered(self, tenant: str, most: int) -> list[Any]:
        assert (tenant, most) == ("ada", POLICY.past_questions)
        return self.rows


async def gains(*rows: tuple[str, int], policy: DocumentPolicy = POLICY) -> dict[int, float]:
    before = AnsweredBefore(cast(Any, Answered(*rows)), Directions())
    return await before.gains(QUESTION, "ada", policy)


async def test_a_question_adds_by_how_much_it_is_more_alike_than_it_has_to_be() -> None:
    found = await gains(("the same 1.0", 1), ("half 0.85", 2), ("border 0.7", 3), ("far 0.2", 4))
    assert found == pytest.approx({1: 0.3, 2: 0.15}, abs=1e-6)


async def test_a_chunk_gains_by_its_nearest_question_once() -> None:
    found = await gains(("nearest 1.0", 7), ("further 0.85", 7), ("between 0.9", 7))
    assert found == pytest.approx({7: 0.3}, abs=1e-6)


async def test_nothing_is_added_without_a_weight_a_question_or_an_embedder() -> None:
    known = ("the same 1.0", 1)
    assert await gains(known, policy=replace(POLICY, past_weight=0.0)) == {}
    assert await gains() == {}
    before = AnsweredBefore(cast(Any, Answered(known)), Directions())
    assert await before.gains(None, "ada", POLICY) == {}
    without = AnsweredBefore(cast(Any, Answered(known)), None)
    assert await without.gains(QUESTION, "ada", POLICY) == {}


async def test_a_question_is_embedded_once_until_there_are_too_many() -> None:
    stored, embedder = Answered(("a 1.0", 1), ("b 1.0", 2)), Directions()
    before = AnsweredBefore(cast(Any, stored), embedder)
    for _ in range(2):
        assert set(await before.gains(QUESTION, "ada", POLICY)) == {1, 2}
    assert embedder.asked == ["a 1.0", "b 1.0"]
    stored.rows = Answered(("b 1.0", 2), ("c 1.0", 3), ("d 1.0", 4)).rows
    assert set(await before.gains(QUESTION, "ada", POLICY)) == {2, 3, 4}
    assert embedder.asked[2:] == ["c 1.0", "d 1.0"]
    stored.rows = Answered(("e 1.0", 5)).rows  # the fifth: what nobody asks for is forgotten
    assert set(await before.gains(QUESTION, "ada", POLICY)) == {5}
    stored.rows = Answered(("a 1.0", 1)).rows
    assert set(await before.gains(QUESTION, "ada", POLICY)) == {1}
    assert embedder.asked[4:] == ["e 1.0", "a 1.0"]
