"""Every tool of the library in memory: its words and one vector each."""

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from hammerstone.library.search.facets import Facets
from hammerstone.library.search.text.request_text import count_numbers, wording
from hammerstone.library.search.text.stems import stems
from hammerstone.library.search.text.words import Corpus, WordIndex, with_room

Floats = NDArray[np.float32]

# How the vectors of description, whole text and name become the tool's one vector. A weighted
# sum of cosines is the cosine with a weighted sum, so three views cost one multiplication.
MIX = (0.50, 0.28, 0.22)
# A number more or less than this says no more.
MOST_MISSING = 2.0
# A number that a tool has no use for speaks against it less than one that it lacks.
SPARE_NUMBER = 1 / 6
# Places given up by changed tools, relative to living ones, before everything is built anew.
WASTE = 1.0


@lru_cache(maxsize=1)
def one_thread() -> None:
    """Keep numpy's matrix products on the calling thread.

    They are too short to share: while the other core runs the language model, waiting for a
    second thread made a product of 0.1 ms take 20.
    """
    threadpool_limits(1, "blas")


def mixed(description: Floats, whole: Floats, name: Floats, *requests: Floats) -> Floats:
    """A tool's vector: longer, so slightly preferred, where its views agree. Requests count as
    much as the description does."""
    if requests:
        both = description + np.mean(requests, axis=0)
        description = (both / np.linalg.norm(both)).astype(np.float32)
    total = MIX[0] * description + MIX[1] * whole + MIX[2] * name
    return (total / np.sqrt(np.linalg.norm(total))).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Scores:
    """What each place has in common with a request; dead places hold -inf in `meaning`."""

    cosine: Floats  # raw, between unit vectors; 0 where a tool has no vector
    meaning: Floats  # the cosine with what every request shares taken out
    words: Floats
    unfilled: Floats  # what keeps the tool from being called: 0 to 2, nothing to much


class Catalog:
    """Tools by place. All methods may be called from several threads.

    With a corpus it holds a part of a library, and words are as rare as they are in all of it.
    """

    def __init__(self, corpus: Corpus | None = None) -> None:
        one_thread()
        self._corpus = corpus
        self.lock = threading.RLock()
        self.layout = 0  # grows whenever a place changes hands
        self._centre: Floats | None = None
        self._clear()

    def _clear(self) -> None:
        # Texts, not facets: those of 100,000 tools would take 100 MB more, and a search looks
        # at a handful.
        self._texts: list[str | None] = []
        self._dead: list[int] = []
        self.places: dict[str, int] = {}
        self._wordings: dict[str, set[str]] = {}  # tools by the words of their typical requests
        self._words = WordIndex(self._corpus)
        self._vectors = np.zeros((0, 0), np.float32)
        self._lengths = np.zeros(0, np.float32)
        self._drift = np.zeros(0, np.float32)  # each vector's product with the centre
        # How many numbers each tool needs, and how many it can take.
        self._numbers = np.zeros((0, 2), np.float32)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def put(self, facets: Facets, vector: Floats | None) -> None:
        """Add a tool, or replace what is known about one."""
        with self.lock:
            place, text = self.places.get(facets.name), facets.text
            if place is None or self._texts[place] != text:
                self.remove(facets.name)
                place = self._add(facets, text)
            if vector is not None:
                self._set_vector(place, vector)

    def remove(self, name: str) -> None:
        with self.lock:
            place = self.places.pop(name, None)
            if place is None:
                return
            self.layout += 1
            facets, self._texts[place] = Facets.parse(self._texts[place] or name), None
            self._dead.append(place)
            for request in facets.requests:
                self._wordings.get(wording(request), set()).discard(name)
            self._words.drop(place, facets.words)
            if place < len(self._lengths):
                self._lengths[place] = 0
                self._vectors[place] = 0
            if len(self._texts) > 64 + len(self.places) * (1 + WASTE):
                self._rebuild()

    @property
    def size(self) -> int:
        """How many places there are, dead ones included."""
        return len(self._texts)

    def name_at(self, place: int) -> str | None:
        """The name of the tool at a place, or None when it went."""
        text = self._texts[place]
        return None if text is None else text.partition("\n")[0]

    def facets(self, name: str) -> Facets | None:
        """What a tool says about itself, or None when there is no such tool."""
        place = self.places.get(name)
        text = None if place is None else self._texts[place]
        return None if text is None else Facets.parse(text)

    def vector(self, name: str) -> Floats | None:
        """The tool's vector as stored, or None while it waits to be embedded."""
        place = self.places.get(name, -1)
        has = 0 <= place < len(self._lengths) and self._lengths[place] > 0
        return self._vectors[place] if has else None

    @property
    def centre(self) -> Floats | None:
        """What all requests have in common, once it is known."""
        return self._centre

    def set_centre(self, centre: Floats) -> None:
        """Take out of every comparison what all requests have in common."""
        with self.lock:
            self._centre = centre
            if self._vectors.shape[1:] == centre.shape:
                self._drift = self._vectors @ centre

    def scores(self, request: str, vector: Floats | None) -> Scores:
        """How every place compares with a request; `vector` None compares words only."""
        size = len(self._texts)
        words = self._words.scores(stems(request), size)
        cosine = np.zeros(size, np.float32)
        meaning = np.zeros(size, np.float32)
        if vector is not None and self._vectors.shape[1:] == vector.shape:
            # The centre's share is known beforehand: a second column here costs four times as
            # much as one at 100,000 tools.
            products = self._vectors[:size] @ vector
            known = len(products)
            cosine[:known] = products / np.maximum(self._lengths[:known], 1e-9)
            meaning[:known] = products - self._drift[:known]
        if self._dead:
            meaning[self._dead] = -np.inf
        return Scores(cosine, meaning, words, self._unfilled(count_numbers(request), size))

    def _unfilled(self, given: int, size: int) -> Floats:
        needs, takes = self._numbers[:size].T
        missing = np.clip(needs - given, 0, MOST_MISSING)
        return missing + np.float32(SPARE_NUMBER) * np.clip(given - takes, 0, MOST_MISSING)

    def same_wording(self, request: str) -> frozenset[str]:
        """The tools with a typical request that differs from this one in values alone."""
        return frozenset(self._wordings.get(wording(request), ()))

    def rarity(self, word: str) -> float:
        return self._words.rarity(word)

    def knows(self, word: str) -> bool:
        """Whether any tool says a word."""
        return self._words.uses(word) > 0

    def copy(self) -> "Catalog":
        """The same tools in a catalog of its own, to try things on."""
        with self.lock:
            texts, vectors, places = list(self._texts), self._vectors.copy(), dict(self.places)
            lengths = self._lengths.copy()
        other = Catalog(self._corpus)
        other._centre = self._centre
        for place in places.values():
            if text := texts[place]:
                has = place < len(lengths) and lengths[place] > 0
                other.put(Facets.parse(text), vectors[place] if has else None)
        return other

    @contextmanager
    def without(self, names: Iterable[str]) -> Generator[None]:
        """As if some tools did not exist, for the length of a block; not on one that is in use."""
        with self.lock:
            gone = [(facets, self.vector(name)) for name in names if (facets := self.facets(name))]
            gone = [(facets, None if v is None else v.copy()) for facets, v in gone]
            for facets, _ in gone:
                self.remove(facets.name)
            try:
                yield
            finally:
                for facets, vector in gone:
                    self.put(facets, vector)

    def _add(self, facets: Facets, text: str) -> int:
        self.layout += 1
        place = len(self._texts)
        self._texts.append(text)
        self.places[facets.name] = place
        for request in facets.requests:
            if words := wording(request):
                self._wordings.setdefault(words, set()).add(facets.name)
        self._words.add(place, [(stems(text), weight) for text, weight in facets.weighted_texts()])
        if place >= len(self._numbers):
            self._numbers = with_room(self._numbers, max(64, place + 1 + place // 4))
        self._numbers[place] = facets.numbers
        return place

    def _set_vector(self, place: int, vector: Floats) -> None:
        if self._vectors.shape[1:] != vector.shape:
            self._vectors = np.zeros((0, len(vector)), np.float32)
            self._lengths = self._drift = np.zeros(0, np.float32)
        if place >= len(self._vectors):
            # A quarter more each time: doubling would waste 150 MB at 100,000 tools.
            rows = max(64, place + 1 + len(self._vectors) // 4)
            self._vectors = with_room(self._vectors, rows)
            self._lengths = with_room(self._lengths, rows)
            self._drift = with_room(self._drift, rows)
        self._vectors[place] = vector
        self._lengths[place] = np.linalg.norm(vector)
        if self._centre is not None and self._centre.shape == vector.shape:
            self._drift[place] = vector @ self._centre

    def _rebuild(self) -> None:
        """Give back the places of tools that changed or went."""
        texts, vectors, places = self._texts, self._vectors, self.places
        self._clear()
        for place in places.values():
            if text := texts[place]:
                has = place < len(vectors) and bool(vectors[place].any())
                self.put(Facets.parse(text), vectors[place] if has else None)
