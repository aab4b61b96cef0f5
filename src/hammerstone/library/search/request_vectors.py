"""Requests, tools and all entries of the index as vectors, or the reason why there are none."""

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog, mixed
from hammerstone.library.search.index.loaded_index import TOOL
from hammerstone.library.search.shipped_vectors import centre_of, shipped_vectors
from hammerstone.storage import Database

Floats = NDArray[np.float32]


async def embed(embedder: Embedder, texts: Sequence[str]) -> Floats:
    return np.array(await embedder.embed(texts), np.float32)


async def vector_of(embedder: Embedder | None, text: str) -> Floats | None:
    """A question's vector; None while there is no embedder or it fails: words go on without it."""
    try:
        return (await embed(embedder, [text]))[0] if embedder is not None else None
    except HammerstoneError:
        return None


async def tool_vector(embedder: Embedder, facets: Facets) -> Floats:
    return mixed(*await embed(embedder, facets.embedded()))


class RequestVectors:
    """An embedder that may be missing or fail: `missing` says why when it does."""

    def __init__(self, embedder: Embedder | None, catalog: Catalog, missing: str) -> None:
        self._embedder = embedder
        self.catalog = catalog  # that is told what all requests have in common
        self.missing = missing or ("" if embedder else "there is no embedder")
        self._centred = False
        self._coming: dict[str, asyncio.Task[Floats | None]] = {}

    def expect(self, request: str) -> bool:
        """Begin with what `of` will be asked for soon; whether it was begun by now."""
        if self._embedder is None or not request.strip():
            return False
        if request not in self._coming:
            coming = self._coming[request] = asyncio.create_task(self._embedded(request))
            coming.add_done_callback(lambda _: self._coming.pop(request, None))
        return True

    async def of(self, request: str) -> Floats | None:
        coming = self._coming.get(request)
        return await (self._embedded(request) if coming is None else asyncio.shield(coming))

    async def of_tool(self, facets: Facets) -> Floats | None:
        if self._embedder is None:
            return None
        shipped = shipped_vectors().find(self._embedder.space, facets.text)
        if shipped is not None:
            return shipped
        try:
            return await tool_vector(self._embedder, facets)
        except HammerstoneError as error:
            self.missing = error.message
            return None

    async def close(self) -> None:
        await asyncio.gather(*self._coming.values(), return_exceptions=True)

    async def _embedded(self, request: str) -> Floats | None:
        if self._embedder is None:
            return None
        try:
            if not self._centred:
                centre = await centre_of(self._embedder)
                self.catalog.set_centre(centre)
                self._centred = True
            vector = (await embed(self._embedder, [request]))[0]
        except HammerstoneError as error:
            self.missing = error.message
            return None
        self.missing = ""
        return vector


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
