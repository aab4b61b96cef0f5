"""How sure a gain is: the same cases with old and new values, whole sessions drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.json_types import JsonObject

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gain:
    """The mean difference a case, and the interval that holds the true one."""

    mean: float
    low: float
    high: float
    cases: int
    groups: int

    @property
    def sure(self) -> bool:
        """Whether all of the interval is a gain."""
        return self.low > 0

    def to_json(self) -> JsonObject:
        return {
            "mean": round(self.mean, 5),
            "low": round(self.low, 5),
            "high": round(self.high, 5),
            "cases": self.cases,
            "groups": self.groups,
        }

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ({self.low:+.4f} to {self.high:+.4f})"


def gain(
    differences: Numbers,
    weights: Numbers,
    groups: Sequence[str],
    *,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
) -> Gain:
    """The weighted mean difference with a bootstrap interval over whole groups."""
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    sums = np.bincount(place, differences * weights, len(names))
    masses = np.bincount(place, weights, len(names))
    total = masses.sum()
    mean = float(sums.sum() / total) if total else 0.0
    if not total or len(names) < 2:
        return Gain(mean, -np.inf, np.inf, len(differences), len(names))
    draw = np.random.default_rng(seed)
    means = np.empty(resamples)
    for row in range(resamples):
        chosen = draw.integers(0, len(names), len(names))
        mass = masses[chosen].sum()
        means[row] = sums[chosen].sum() / mass if mass else 0.0
    low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2])
    return Gain(mean, float(low), float(high), len(differences), len(names))


def capped(weights: Numbers, users: Sequence[str], share: float) -> Numbers:
    """Weights of which no one of several people has more than a share, where that can be."""
    names, place = np.unique(np.asarray(users), return_inverse=True)
    masses = np.bincount(place, weights, len(names))
    if len(names) < 2 or share >= 1:
        return weights
    top = int(masses.argmax())
    others = masses.sum() - masses[top]
    most = others * share / (1 - share)
    if masses[top] <= most or not others:
        return weights
    return np.where(place == top, weights * (most / masses[top]), weights)
