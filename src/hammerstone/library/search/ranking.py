"""From a request to an ordered list of tools, each score explained, and the numbers behind it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.library.policies import FitPolicy, Policies, SearchPolicy
from hammerstone.library.search.experience import Experience
from hammerstone.library.search.index.catalog import Catalog, Scores

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each kind of agreement counts. `whole` makes a perfect agreement in all about 1."""

    meaning: float = 1.0
    words: float = 0.7
    unfilled: float = 0.1  # share lost for each number that a tool needs and does not get

    @property
    def whole(self) -> float:
        return self.meaning + self.words


@dataclass(frozen=True, slots=True)
class RankedTool:
    """A tool found, with what speaks for it."""

    name: str
    relevance: float
    cosine: float | None  # None when nothing was embedded
    words: float
    learned: float
    unfilled: float = 0.0


class Ranker:
    """The order of a catalog's tools by relevance."""

    def __init__(self, catalog: Catalog, weights: Weights) -> None:
        self.catalog = catalog
        self.weights = weights

    def rank(
        self,
        request: str,
        vector: Floats | None,
        limit: int,
        experience: Experience | None = None,
        allowed: NDArray[np.intp] | None = None,
    ) -> list[RankedTool]:
        """The most relevant tools, best first; equal ones by name."""
        with self.catalog.lock:
            scores = self.catalog.scores(request, vector)
            base = self._base(scores)
            learned = np.zeros_like(base)
            if experience is not None and vector is not None:
                places, gains = experience.shifts(request, vector, self.catalog, base)
                learned[places] = gains
            total, lost = base + learned, self._lost(scores)
            if allowed is not None:
                barred = np.ones(len(total), bool)
                barred[allowed] = False
                total[barred] = -np.inf
            found = [
                RankedTool(
                    name,
                    float(total[place]) / self.weights.whole,
                    float(scores.cosine[place]) if vector is not None else None,
                    float(scores.words[place]),
                    float(learned[place]),
                    float(lost[place]),
                )
                for place in _highest(total, limit)
                if (name := self.catalog.name_at(int(place))) is not None
            ]
        found.sort(key=lambda each: (-each.relevance, each.name))
        return found[:limit]

    def relevance(self, request: str, vector: Floats) -> Floats:
        """The relevance of every place without experience, on the scale experience works on."""
        with self.catalog.lock:
            return self._base(self.catalog.scores(request, vector))

    def _base(self, scores: Scores) -> Floats:
        weighted = self.weights.meaning * scores.meaning + self.weights.words * scores.words
        # A share, not an amount: words alone reach small scores, and must not drown in it.
        weighted -= self._lost(scores) * np.maximum(weighted, 0)
        return weighted.astype(np.float32, copy=False)

    def _lost(self, scores: Scores) -> Floats:
        return np.minimum(self.weights.unfilled * scores.unfilled, 1).astype(np.float32)


def _highest(scores: Floats, count: int) -> NDArray[np.intp]:
    """The places of the highest scores that are not barred, in no order."""
    if count < len(scores):
        best = np.argpartition(-scores, count)[:count]
    else:
        best = np.arange(len(scores))
    return best[np.isfinite(scores[best])]


def weights_in_force(policies: Policies, floor: float | None = None) -> dict[str, float]:
    """The numbers of the policies by which search orders and judges at this moment, by the names
    of their fields; `floor` is a setting that overrides the policy's."""
    search, fit = policies.get(SearchPolicy), policies.get(FitPolicy)
    return {
        "meaning_weight": search.meaning_weight,
        "words_weight": search.words_weight,
        "relevance_share": search.relevance_share if search.rerank else 1.0,
        "success_share": search.success_share if search.rerank else 0.0,
        "frequency_share": search.frequency_share if search.rerank else 0.0,
        "high": fit.high,
        "middle": fit.middle,
        "retrieval_similarity_threshold": (
            fit.retrieval_similarity_threshold if floor is None else floor
        ),
    }
