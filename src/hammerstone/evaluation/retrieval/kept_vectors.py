"""Vectors of measured texts, kept in a folder: a set is embedded once, however often measured."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Embedder

Floats = NDArray[np.float32]

CHUNK = 256  # texts embedded before they are written down: what a stop can cost


class KeptVectors:
    """An embedder that looks in its folder first. Not for taking times."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(inner.space.encode()).hexdigest()[:16]
        self._keys = folder / f"{name}.keys"
        self._rows = folder / f"{name}.f32"
        self._known: dict[str, Floats] = {}
        self._load()

    @property
    def space(self) -> str:
        return self._inner.space

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        names = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]
        unknown = {n: t for n, t in zip(names, texts, strict=True) if n not in self._known}
        waiting = list(unknown.items())
        for start in range(0, len(waiting), CHUNK):
            chunk = waiting[start : start + CHUNK]
            found = np.array(await self._inner.embed([text for _, text in chunk]), np.float32)
            self._keep([name for name, _ in chunk], found)
        return [self._known[name].tolist() for name in names]

    async def close(self) -> None:
        await self._inner.close()

    def _keep(self, names: list[str], vectors: Floats) -> None:
        # Vectors first: broken off in between, they are rows without a name, which are cut off.
        with self._rows.open("ab") as rows:
            rows.write(vectors.tobytes())
        with self._keys.open("a") as keys:
            keys.writelines(f"{name}\n" for name in names)
        self._known |= zip(names, vectors, strict=True)

    def _load(self) -> None:
        if not self._keys.exists() or not self._rows.exists():
            return
        names = self._keys.read_text().split()
        wide = self._inner.dimensions
        vectors = np.fromfile(self._rows, np.float32)
        vectors = vectors[: len(vectors) // wide * wide].reshape(-1, wide)
        kept = min(len(names), len(vectors))
        self._known = dict(zip(names[:kept], vectors[:kept], strict=True))
        with self._rows.open("r+b") as rows:
            rows.truncate(kept * wide * 4)
        self._keys.write_text("".join(f"{name}\n" for name in names[:kept]))
