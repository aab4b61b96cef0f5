"""Writes what is shipped with the starter set: the proof and the vector of each tool.

    python -m evals.starter_files

Stores what proving finds in library/starter/evidence.json, by the hash of each version, so that
seeding need not prove again, and the tools' vectors in library/starter/vectors.npz, so that nobody
need compute them. `--vectors` writes only the latter.
"""

import asyncio
import json
import sys

import numpy as np
from numpy.typing import NDArray

from evals.starter_tools import proofs
from hammerstone.core.settings import load_settings
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.request_vectors import tool_vector
from hammerstone.library.search.shipped_vectors import VECTORS, text_digest
from hammerstone.library.tools.seeding import EVIDENCE, starter_id, starter_tools
from hammerstone.models.embedding.embedder_opening import why_words_only
from hammerstone.models.embedding.local import LocalEmbedder
from hammerstone.sandbox import open_sandbox

Floats = NDArray[np.float32]


async def write_evidence() -> None:
    """Only when every tool is verified."""
    sandbox = await open_sandbox(load_settings())
    found: dict[str, object] = {}
    try:
        async for files, proof in proofs(sandbox, starter_tools()):
            if proof.status != "verified":
                sys.exit(f"{files.name} is not verified: {', '.join(proof.problems)}")
            found[starter_id(files)] = {"tool": files.name, **proof.evidence}
    finally:
        await sandbox.close()
    EVIDENCE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")


async def write_vectors() -> None:
    settings = load_settings()
    if why := why_words_only(settings):
        sys.exit(why)
    embedder = LocalEmbedder(settings.models_dir)
    facets = [Facets.of_spec(files.spec) for files in starter_tools()]
    # One at a time: int8 sums depend a little on what else is in the batch.
    vectors = {each.text: await tool_vector(embedder, each) for each in facets}
    await embedder.close()
    texts = sorted(vectors)
    rows, steps = in_steps(np.stack([vectors[text] for text in texts]))
    digests = np.array([text_digest(text) for text in texts])
    np.savez_compressed(
        VECTORS, space=np.array(embedder.space), texts=digests, vectors=rows, steps=steps
    )


def in_steps(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Each vector in 255 steps, and how large a step of it is: half the size of half precision."""
    steps = np.abs(vectors).max(axis=1) / 127
    return np.rint(vectors / steps[:, None]).astype(np.int8), steps.astype(np.float32)


if __name__ == "__main__":
    asyncio.run(write_vectors())
    if "--vectors" not in sys.argv:
        asyncio.run(write_evidence())
