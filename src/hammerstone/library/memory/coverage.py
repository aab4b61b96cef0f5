"""How many of a question's words an earlier text has, rare words counting more."""

import math
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

# A person with three exchanges has no rare words yet; each counts as if there were this many.
_AS_IF = 50


class Coverage:
    """Texts by place, a number the caller hands out.

    Not BM25: among few texts a word that nobody used would outweigh all that match, and how
    often an exchange repeats a word says nothing.
    """

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}
        self._size = 0

    def add(self, place: int, words: Iterable[str]) -> None:
        for word in set(words):
            self._places.setdefault(word, array("i")).append(place)
        self._size += 1

    def scores(self, words: Sequence[str], size: int) -> NDArray[np.float32]:
        """For each place the share of the question's words it has, by weight, from 0 to 1."""
        found = np.zeros(size, np.float32)
        total = 0.0
        for word in set(words):
            places = self._places.get(word)
            weight = math.log(1 + max(self._size, _AS_IF) / (1 + len(places or ())))
            total += weight
            if places is not None:
                found[np.frombuffer(places, np.int32)] += weight
        return found / np.float32(total) if total else found
