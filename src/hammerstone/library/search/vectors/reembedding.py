"""Giving every entry of the index a vector in the embedder's space."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Embedder
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import mixed
from hammerstone.library.search.index.loaded_index import TOOL
from hammerstone.library.search.vectors.request_vectors import embed
from hammerstone.library.search.vectors.shipped_vectors import shipped_vectors
from hammerstone.storage import Database

Floats = NDArray[np.float32]

BATCH = 32


async def reembed(db: Database, embedder: Embedder) -> int:
    """Embed what has no vector in this space yet; how many entries that were.

    Can be stopped and started again at any time. Vectors of other spaces are deleted only once
    nothing is missing here.
    """
    space, done = embedder.space, 0
    while missing := await db.index.missing(space, BATCH):
        for key, vector in await _vectors(embedder, missing):
            await db.index.set_vector(key, space, vector.tolist())
        done += len(missing)
    for other in await db.index.spaces():
        if other != space:
            await db.index.drop_space(other)
    return done


async def _vectors(
    embedder: Embedder, missing: Sequence[tuple[str, str]]
) -> list[tuple[str, Floats]]:
    """The vectors of a batch: tools from their views, anything else from its text.

    What was shipped with the package is not computed again.
    """
    found: list[tuple[str, Floats]] = []
    views: list[tuple[str, tuple[str, ...]]] = []
    for key, text in missing:
        shipped = shipped_vectors().find(embedder.space, text)
        if shipped is not None:
            found.append((key, shipped))
        elif key.startswith(TOOL):
            views.append((key, Facets.parse(text).embedded()))
        else:
            views.append((key, (text or " ",)))
    texts = [view for _, each in views for view in each]
    rows = iter(await embed(embedder, texts) if texts else ())
    for key, each in views:
        own = [next(rows) for _ in each]
        found.append((key, mixed(*own) if key.startswith(TOOL) else own[0]))
    return found
