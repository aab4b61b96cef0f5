"""When a library is too large for memory, and the index that PostgreSQL needs then."""

import asyncio
import contextlib
import time

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.library.policies import Policies, SearchPolicy
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.fetched_index import FetchedIndex
from hammerstone.library.search.index.loaded_index import TOOL
from hammerstone.storage import Database

BATCH = 500  # tools whose words are written together
LOOK_AGAIN_S = 5.0  # while the index is being made
WORDS_ONLY = 1  # dimension of the index of a space without vectors


def large_library(
    db: Database, embedder: Embedder | None, policies: Policies
) -> "LargeLibrary | None":
    """None for a database that cannot find tools by itself, however many there are."""
    return LargeLibrary(db, embedder, policies) if db.tool_search is not None else None


class LargeLibrary:
    """Says once when a library is large and PostgreSQL is ready to find its tools.

    Until then search compares in memory. The index is made in the background, by one process.
    """

    def __init__(self, db: Database, embedder: Embedder | None, policies: Policies) -> None:
        self._db = db
        self._embedder = embedder
        self._policies = policies
        self._offered: bool | None = None
        self._tools = -1
        self._look_after = 0.0
        self._making: asyncio.Task[None] | None = None

    async def opened(self, in_memory: int) -> FetchedIndex | None:
        """The index of a library that is large by now; None while memory is the place."""
        search, policy = self._db.tool_search, self._policies.get(SearchPolicy)
        if search is None or self._offered is False or time.monotonic() < self._look_after:
            return None
        if self._tools < 0:
            self._tools = await self._db.index.count(TOOL)
        if max(self._tools, in_memory) < policy.database_from:
            return None
        if self._offered is None:
            self._offered = await search.offered()
            if not self._offered:
                return None
        space = self._embedder.space if self._embedder else ""
        if await search.ready(space):
            return FetchedIndex(self._db, space or None, policy.database_candidates)
        self._look_after = time.monotonic() + LOOK_AGAIN_S
        if self._making is None or self._making.done():
            self._making = asyncio.create_task(self._make_quietly(space))
        return None

    async def close(self) -> None:
        if self._making is not None:
            self._making.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._making

    async def make(self, space: str) -> None:
        """Write the words that are not written yet, then make the index of vectors."""
        search = self._db.tool_search
        if search is None:
            return
        while rows := await search.unwritten(BATCH):
            await search.write_words({key: sorted(Facets.parse(text).words) for key, text in rows})
        dimensions = WORDS_ONLY
        if self._embedder is not None:
            dimensions = len((await self._embedder.embed(["size"]))[0])
        await search.build(space, dimensions)
        self._look_after = 0.0

    async def _make_quietly(self, space: str) -> None:
        """Nobody waits for it: where it fails, memory stays the place."""
        with contextlib.suppress(HammerstoneError):
            await self.make(space)
