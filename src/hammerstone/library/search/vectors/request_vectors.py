"""Requests and tools as vectors, or the reason why there are none."""

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog, mixed
from hammerstone.library.search.vectors.centre import centre_of
from hammerstone.library.search.vectors.shipped_vectors import shipped_vectors

Floats = NDArray[np.float32]


async def embed(embedder: Embedder, texts: Sequence[str]) -> Floats:
    return np.array(await embedder.embed(texts), np.float32)


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
