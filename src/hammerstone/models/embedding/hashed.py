"""An embedder without a model: texts that share letters are close. For tests and dry runs."""

import re
import zlib
from collections.abc import Sequence

import numpy as np

from hammerstone.core.errors import HammerstoneError

_WORD = re.compile(r"\w+")


class HashedEmbedder:
    """Counts of hashed words and word beginnings, as unit vectors. Knows spelling, no meaning.

    `failure`, when set, is raised instead: that is how an outage is tried.
    """

    def __init__(self, dimensions: int = 64, name: str = "hashed") -> None:
        self._dimensions = dimensions
        self._name = name
        self.failure: HammerstoneError | None = None

    @property
    def space(self) -> str:
        return f"{self._name}@{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.failure is not None:
            raise self.failure
        return [self._vector(text) for text in texts]

    async def close(self) -> None:
        pass

    def _vector(self, text: str) -> list[float]:
        counts = np.zeros(self._dimensions)
        for word in _WORD.findall(text.lower()) or [text]:
            for part in (word, word[:4]):
                code = zlib.crc32(f"{self._name}:{part}".encode())
                counts[code % self._dimensions] += 1 if code & 1 << 20 else -1
        if not counts.any():
            counts[0] = 1
        return (counts / np.linalg.norm(counts)).tolist()
