"""Chunks in memory, to be searched by words and meaning: two arrays and a list of words."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hammerstone.library.search.text.stems import all_stems
from hammerstone.library.search.text.words import K1, WordIndex, with_room
from hammerstone.storage.stores.library.documents import ChunkRow

Floats = NDArray[np.float32]
SENTENCE_WORDS = 20  # stems of a usual sentence
PASSAGE_WORDS = 80  # and of a usual passage


class PassageIndex:
    """Chunks by place. What is gone keeps its place until the index is made anew."""

    def __init__(self) -> None:
        self.words = WordIndex()
        self._ids: list[int] = []
        self._places: dict[int, int] = {}
        self._documents: list[int] = []
        self._alive = np.zeros(0, bool)
        self._vectors = np.zeros((0, 0), np.float32)
        self._said: dict[int, frozenset[str]] = {}
        self.bare: set[int] = set()  # without a vector yet
        self.newest = 0

    def __len__(self) -> int:
        return len(self._said)

    @property
    def ids(self) -> set[int]:
        return set(self._said)

    def add(self, chunk: ChunkRow, vector: Floats | None) -> None:
        place = len(self._ids)
        words = list(all_stems(f"{chunk.section}\n{chunk.text}"))
        self._ids.append(chunk.id)
        self._places[chunk.id] = place
        self._documents.append(chunk.document_id)
        self._said[chunk.id] = frozenset(words)
        self.words.add(place, [(words, 1.0)])
        self._grow(place + 1, 0 if vector is None else len(vector))
        self._alive[place] = True
        if vector is not None:
            self._vectors[place] = vector
        else:
            self.bare.add(chunk.id)
        self.newest = max(self.newest, chunk.id)

    def give_vector(self, id: int, vector: Floats) -> None:
        """The vector of a chunk that had none when it was added."""
        self._grow(len(self._ids), len(vector))
        self._vectors[self._places[id]] = vector
        self.bare.discard(id)

    def drop(self, id: int) -> None:
        self.bare.discard(id)
        place = self._places.pop(id)
        self.words.drop(place, self._said.pop(id))
        self._alive[place] = False

    def best(
        self,
        question: Sequence[str],
        vector: Floats | None,
        weights: tuple[float, float],
        limit: int,
        documents: frozenset[int] | None = None,
    ) -> list[int]:
        """The ids of the chunks that are nearest to a question, best first."""
        size = len(self._ids)
        if not size:
            return []
        total = weights[1] * self.words.scores(question, size)
        if vector is not None and self._vectors.shape[1] == len(vector):
            total = total + weights[0] * (self._vectors[:size] @ vector)
        total[~self._alive[:size]] = -np.inf
        if documents is not None:
            inside = np.fromiter((d in documents for d in self._documents), bool, size)
            total[~inside] = -np.inf
        most = min(limit, size)
        top = np.argpartition(-total, most - 1)[:most]
        ordered = sorted((int(at) for at in top), key=lambda at: (-float(total[at]), at))
        return [self._ids[at] for at in ordered if np.isfinite(total[at])]

    def share(
        self, question: Sequence[str], said: Sequence[str], usual: int = SENTENCE_WORDS
    ) -> float:
        """How much of a question's words a sentence says, rare ones counting more: BM25 of it
        as a share of the most that any could have. What is longer than `usual` counts less."""
        asked, counts = set(question), Counter(said)
        most = sum(self.words.rarity(word) for word in asked) * (K1 + 1)
        if not most:
            return 0.0
        length = 0.7 + 0.3 * len(said) / usual
        scored = sum(
            self.words.rarity(word) * (K1 + 1) * counts[word] / (counts[word] + K1 * length)
            for word in asked
            if counts[word]
        )
        return scored / most

    def said(self, question: Sequence[str], said: Collection[str]) -> float:
        """The share of a question's words that are said at all, rare ones counting more."""
        asked = {word: self.words.rarity(word) for word in question}
        most = sum(asked.values())
        return sum(rarity for word, rarity in asked.items() if word in said) / (most or 1.0)

    def _grow(self, size: int, wide: int) -> None:
        if size > len(self._alive):
            self._alive = with_room(self._alive, max(256, size * 3 // 2))
        if wide and self._vectors.shape[1] != wide:
            self._vectors = np.zeros((0, wide), np.float32)
        if wide and len(self._vectors) < size:
            self._vectors = with_room(self._vectors, max(256, size * 3 // 2))


def pairs_said(question: Sequence[str], said: Sequence[str]) -> float:
    """The share of a question's neighbouring words that are neighbours in what is said."""
    asked = set(pairwise(question))
    return len(asked & set(pairwise(said))) / max(1, len(asked))
