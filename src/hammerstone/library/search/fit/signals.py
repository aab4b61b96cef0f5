"""What can be seen about a request and the tool found for it, before anything runs.

How far a tool leads says something only beside others, and the gate was fitted among hundreds of
them. Where a library has few, the shipped tools fill the ranks; none of them is ever found.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.ranking import RankedTool, Ranker, Weights
from hammerstone.library.search.shipped_vectors import shipped_vectors
from hammerstone.library.search.text.request_text import count_numbers, count_values
from hammerstone.library.search.text.stems import split_name, stems

Floats = NDArray[np.float32]

# A lead beyond this says no more; without a cap, being the only tool would look like a fit.
CLEAR = 0.15
CROWD = 5  # how many runners-up the best one is compared with
FEW = 50  # tools; from there on the library's own are crowd enough
COPY = 0.6  # cosine from which a shipped tool is the same as the best hit, and no rival of it


@dataclass(frozen=True, slots=True)
class Signals:
    """All about 0 to 1. `cosine` and `meaning` are 0 when nothing was embedded."""

    cosine: float  # raw likeness of request and tool
    words: float  # share of a perfect match by words
    margin: float  # relevance beyond that of the second best, up to CLEAR
    lead: float  # relevance beyond the mean of the next five, up to twice CLEAR
    name_said: float  # share of the tool's name that the request says, by rarity
    request_told: float  # share of the request that the tool's text says, by rarity
    words_known: float  # share of the request's words that any tool says
    rarest_untold: float  # rarity of the rarest word of the request that the tool does not say
    numbers_missing: float  # share of required numbers that the request does not give
    values_missing: float  # share of other required values that nothing in the request can fill
    past: float  # likeness to the closest request that the tool answered well

    def to_json(self) -> dict[str, float]:
        return {key: round(value, 4) for key, value in asdict(self).items()}


def read_signals(
    request: str, best: RankedTool, others: Sequence[RankedTool], catalog: Catalog, past: float
) -> Signals:
    """What speaks for and against the best hit; `others` are the runners-up, best first."""
    facets = catalog.facets(best.name) or Facets(best.name, "")
    asked = set(stems(request))
    named = set(stems(split_name(facets.name)))
    told = facets.words
    numbers, values = _missing(request, facets)
    behind = [each.relevance for each in others[:CROWD]]
    second, crowd = (behind[0], fmean(behind)) if behind else (0.0, 0.0)
    untold = max((catalog.rarity(word) for word in asked - told), default=0.0)
    return Signals(
        cosine=best.cosine or 0.0,
        words=best.words,
        margin=min(CLEAR, best.relevance - second),
        lead=min(2 * CLEAR, best.relevance - crowd),
        name_said=_share(named & asked, named, catalog),
        request_told=_share(asked & told, asked, catalog),
        words_known=sum(map(catalog.knows, asked)) / len(asked) if asked else 0.0,
        rarest_untold=untold / catalog.rarity(""),
        numbers_missing=numbers,
        values_missing=values,
        past=past,
    )


def _share(part: set[str], whole: set[str], catalog: Catalog) -> float:
    total = sum(catalog.rarity(word) for word in whole)
    return sum(catalog.rarity(word) for word in part) / total if total else 0.0


def _missing(request: str, facets: Facets) -> tuple[float, float]:
    """Shares of required numbers and of other required values that have no source."""
    numbers, values = count_numbers(request), count_values(request)
    numeric = [p for p in facets.parameters if p.required and p.numeric]
    others = [p for p in facets.parameters if p.required and not p.numeric]
    short = max(0, len(numeric) - numbers) / len(numeric) if numeric else 0.0
    lacking = max(0, len(others) - values) / len(others) if others else 0.0
    return short, lacking


def rivals(
    catalog: Catalog, weights: Weights, space: str, request: str, vector: Floats, best: str
) -> Sequence[RankedTool]:
    """The shipped tools that are closest to a request, as if the library had them; none where
    it has enough of its own, or they were embedded in another space."""
    own, centre = catalog.vector(best), catalog.centre
    if len(catalog) >= FEW or own is None or centre is None:
        return ()
    shipped = _shipped(space)
    if shipped is None:
        return ()
    shipped.set_centre(centre)
    found = Ranker(shipped, weights).rank(request, vector, 2 * CROWD)
    return [
        each
        for each in found
        if each.name not in catalog and _cosine(shipped.vector(each.name), own) < COPY
    ]


@lru_cache(maxsize=2)
def _shipped(space: str) -> Catalog | None:
    from hammerstone.library.tools.seeding import starter_tools

    known, catalog = shipped_vectors(), Catalog()
    for files in starter_tools():
        facets = Facets.of_spec(files.spec)
        vector = known.find(space, facets.text)
        if vector is None:
            return None
        catalog.put(facets, vector)
    return catalog


def _cosine(one: Floats | None, other: Floats) -> float:
    if one is None:
        return 0.0
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
