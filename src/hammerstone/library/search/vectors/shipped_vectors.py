"""Vectors of the starter tools, computed with the shipped embedder before the package was made.

With them a fresh library is found by meaning from its first request on, without embedding
anything, and also when the embedder arrives only after the tools.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

VECTORS = Path(__file__).parents[2] / "starter" / "vectors.npz"


@dataclass(frozen=True, slots=True)
class ShippedVectors:
    """One vector a text of `Facets`, all in one space; empty when nothing was shipped."""

    space: str = ""
    by_text: Mapping[str, Floats] = field(default_factory=dict[str, Floats])

    def find(self, space: str, text: str) -> Floats | None:
        """The vector of a tool's text, if it was computed in this very space."""
        return self.by_text.get(_digest(text)) if space and space == self.space else None


@lru_cache(maxsize=1)
def shipped_vectors() -> ShippedVectors:
    try:
        with np.load(VECTORS, allow_pickle=False) as stored:
            vectors = stored["vectors"].astype(np.float32)
            rows = zip(stored["texts"].tolist(), vectors, strict=True)
            return ShippedVectors(str(stored["space"]), dict(rows))
    except FileNotFoundError:
        return ShippedVectors()


def write_shipped(space: str, vectors: Mapping[str, Floats], path: Path = VECTORS) -> None:
    """Keep the vectors of these texts for the next package."""
    texts = sorted(vectors)
    digests = np.array([_digest(text) for text in texts])
    # Half precision: it moves no cosine by more than a thousandth, and halves the file.
    rows = np.stack([vectors[text] for text in texts]).astype(np.float16)
    np.savez_compressed(path, space=np.array(space), texts=digests, vectors=rows)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
