"""Numbers that say how good an order, or a probability, is."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class Quality:
    """Recall, MRR and nDCG over many requests, each as its ten best names and the right ones."""

    seconds: list[float] = field(default_factory=list[float])
    _recalls: dict[int, list[float]] = field(default_factory=lambda: {1: [], 3: [], 5: []})
    _mrr: list[float] = field(default_factory=list[float])
    _ndcg: list[float] = field(default_factory=list[float])

    def add(self, names: Sequence[str], right: frozenset[str]) -> None:
        hits = [name in right for name in names[:10]]
        for cut, found in self._recalls.items():
            # With one right tool this is whether it was found; with more, the share that was.
            found.append(sum(hits[:cut]) / min(cut, len(right)))
        first = next((rank for rank, hit in enumerate(hits, start=1) if hit), None)
        self._mrr.append(1 / first if first else 0.0)
        gained = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits, 1) if hit)
        best = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(right)) + 1))
        self._ndcg.append(gained / best)

    def to_json(self) -> dict[str, float]:
        spread = sorted(self.seconds) or [0.0]
        return {
            **{
                f"recall_at_{cut}": round(statistics.fmean(found), 4)
                for cut, found in self._recalls.items()
            },
            "mrr_at_10": round(statistics.fmean(self._mrr), 4),
            "ndcg_at_10": round(statistics.fmean(self._ndcg), 4),
            "p50_ms": round(spread[len(spread) // 2] * 1000, 2),
            "p95_ms": round(spread[int(len(spread) * 0.95)] * 1000, 2),
        }


def auroc(probabilities: Sequence[float], fits: Sequence[bool]) -> float:
    """The chance that a fitting pair scores higher than one that does not; ties count half."""
    values = np.asarray(probabilities)
    right = np.asarray(fits, bool)
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    for value in np.unique(values):
        same = values == value
        if same.sum() > 1:
            ranks[same] = ranks[same].mean()
    positives, negatives = int(right.sum()), int((~right).sum())
    if not positives or not negatives:
        return math.nan
    return float((ranks[right].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def calibration_error(probabilities: Sequence[float], fits: Sequence[bool]) -> float:
    """How far stated probabilities are from what happened, over ten bins."""
    values, right = np.asarray(probabilities), np.asarray(fits, float)
    bins = np.minimum((values * 10).astype(int), 9)
    gaps = [
        abs(values[bins == each].mean() - right[bins == each].mean()) * (bins == each).mean()
        for each in np.unique(bins)
    ]
    return float(sum(gaps))
