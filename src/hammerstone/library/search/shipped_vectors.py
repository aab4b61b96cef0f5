"""Vectors computed with the shipped embedder before the package was made.

With those of the starter tools a fresh library is found by meaning from its first request on,
without embedding anything, and also when the embedder arrives only after the tools.

And what all requests have in common, as a vector to take out of each. Some tools are close to any
request at all and crowd out the right one. Comparing with the request minus the mean of typical
requests takes that advantage away: 1.9 points of recall on ToolE, 0.3 on BFCL, the sets it was
chosen on. The requests must be full of matter; empty phrases made it worse.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Embedder

Floats = NDArray[np.float32]

VECTORS = Path(__file__).parents[1] / "starter" / "vectors.npz"


@dataclass(frozen=True, slots=True)
class ShippedVectors:
    """One vector a text of `Facets`, all in one space; empty when nothing was shipped."""

    space: str = ""
    by_text: Mapping[str, Floats] = field(default_factory=dict[str, Floats])

    def find(self, space: str, text: str) -> Floats | None:
        """The vector of a tool's text, if it was computed in this very space."""
        return self.by_text.get(text_digest(text)) if space and space == self.space else None


@lru_cache(maxsize=1)
def shipped_vectors() -> ShippedVectors:
    """Stored in 8 bits a number, with the size of a step for each vector."""
    try:
        with np.load(VECTORS, allow_pickle=False) as stored:
            vectors = stored["vectors"] * stored["steps"][:, None]
            rows = zip(stored["texts"].tolist(), vectors, strict=True)
            return ShippedVectors(str(stored["space"]), dict(rows))
    except FileNotFoundError:
        return ShippedVectors()


def text_digest(text: str) -> str:
    """What tells the text of a tool that a vector belongs to."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


async def centre_of(embedder: Embedder) -> NDArray[np.float32]:
    """The mean of the typical requests in an embedder's space; shipped for the local one."""
    shipped = _shipped()
    known = shipped["centres"].get(embedder.space)
    if known is not None:
        return np.array(known, np.float32)
    return np.array(await embedder.embed(shipped["requests"]), np.float32).mean(axis=0)


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Any]:
    package = resources.files("hammerstone.library.search")
    return json.loads(package.joinpath("typical_requests.json").read_text())
