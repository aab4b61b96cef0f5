"""What the index keeps of a tool: its text, and its vector where one is known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.tools import Tool
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.loaded_index import tool_key
from hammerstone.library.search.vectors.shipped_vectors import shipped_vectors
from hammerstone.storage import Database, Stores

Floats = NDArray[np.float32]


async def put_entry(stores: Stores, facets: Facets, space: str, vector: Floats | None) -> int:
    """Store a tool's entry; the revision of the index that it made.

    Without an embedder (no space) a starter tool gets the vector it was shipped with, which
    counts as soon as the embedder is there.
    """
    if not space:
        space = shipped_vectors().space
        vector = shipped_vectors().find(space, facets.text)
    stored = None if vector is None else vector.tolist()
    words = sorted(facets.words)
    return await stores.index.upsert(tool_key(facets.name), space, stored, facets.text, words=words)


async def put_entries(db: Database, tools: Sequence[Tool], space: str) -> None:
    """Store many at once, with no vector but a shipped one."""
    shipped = shipped_vectors()
    space = space or shipped.space
    facets = {tool_key(tool.name): Facets.of_spec(tool.version.spec) for tool in tools}
    texts = {key: each.text for key, each in facets.items()}
    found = {key: shipped.find(space, text) for key, text in texts.items()}
    known = {key: one.tolist() for key, one in found.items() if one is not None}
    words = {key: sorted(each.words) for key, each in facets.items()}
    await db.index.upsert_all(texts, space, known, words)
