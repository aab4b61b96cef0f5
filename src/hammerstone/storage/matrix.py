"""All vectors of a space in memory, kept up to date by fetching only what changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(slots=True)
class VectorMatrix:
    """Unit vectors by key. `revision` is that of the newest row in it."""

    revision: int = 0
    keys: list[str] = field(default_factory=list[str])
    rows: Array = field(default_factory=lambda: np.empty((0, 0), dtype=np.float32))
    _places: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, changed: Iterable[tuple[str, Array, int]]) -> None:
        """Put changed vectors in their place, new ones at the end."""
        added: list[Array] = []
        for key, vector, revision in changed:
            unit = _unit(vector)
            place = self._places.get(key)
            if place is None:
                self._places[key] = len(self.keys)
                self.keys.append(key)
                added.append(unit)
            elif place < len(self.rows):
                self.rows[place] = unit
            else:
                added[place - len(self.rows)] = unit
            self.revision = max(self.revision, revision)
        if added:
            new = np.stack(added)
            self.rows = new if not len(self.rows) else np.concatenate([self.rows, new])

    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Keys and cosines, nearest first; equal ones by key."""
        wanted = _unit(np.asarray(vector, dtype=np.float32))
        if not len(self.rows) or wanted.shape[0] != self.rows.shape[1] or limit <= 0:
            return []
        scores = self.rows @ wanted
        best = range(len(scores))
        if limit < len(scores):
            best = np.argpartition(-scores, limit - 1)[:limit].tolist()
        found = [(self.keys[i], float(scores[i])) for i in best]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector
