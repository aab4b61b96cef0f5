"""Tools that the best hit of a small library is held against: the shipped ones.

How far a tool leads says something only beside others, and the gate was fitted among hundreds of
them. Where a library has few, the shipped tools fill the ranks; none of them is ever found.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hammerstone.library.search.catalog import Catalog
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.fit.signals import CROWD
from hammerstone.library.search.ranking import RankedTool, Ranker, Weights
from hammerstone.library.search.vectors.shipped_vectors import shipped_vectors

Floats = NDArray[np.float32]

FEW = 50  # tools; from there on the library's own are crowd enough
COPY = 0.6  # cosine from which a shipped tool is the same as the best hit, and no rival of it


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
    from hammerstone.library.seeding import starter_tools

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
