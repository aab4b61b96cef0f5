"""Questions that documents answered before, so that the next one like it finds its passage."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Embedder
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.storage import Database

Floats = NDArray[np.float32]


class AnsweredBefore:
    """What earlier questions add to the chunks that answered them.

    Their vectors are kept in memory, so that a search embeds only what it has not seen.
    """

    def __init__(self, db: Database, embedder: Embedder | None) -> None:
        self._db = db
        self._embedder = embedder
        self._vectors: dict[str, Floats] = {}

    async def gains(
        self, question: Floats | None, tenant: str, policy: DocumentPolicy
    ) -> dict[int, float]:
        """What is added to each chunk, by its id, for a question's vector."""
        if question is None or self._embedder is None or not policy.past_weight:
            return {}
        known = await self._db.documents.answered(tenant, policy.past_questions)
        if not known:
            return {}
        texts = list(dict.fromkeys(one.question for one in known))
        rows = np.stack(await self._of(texts, policy.past_questions))
        alike = dict(zip(texts, (rows @ question).tolist(), strict=True))
        found: dict[int, float] = {}
        for one in known:
            over = alike[one.question] - policy.past_similarity
            if over > 0:
                gain = policy.past_weight * over / (1 - policy.past_similarity)
                found[one.chunk_id] = max(found.get(one.chunk_id, 0.0), gain)
        return found

    async def _of(self, texts: Sequence[str], most: int) -> list[Floats]:
        assert self._embedder is not None
        fresh = [text for text in texts if text not in self._vectors]
        if fresh:
            made = await self._embedder.embed(fresh)
            if len(self._vectors) + len(fresh) > 2 * most:  # several people's, and those gone
                self._vectors = {text: self._vectors[text] for text in texts if text not in fresh}
            for text, row in zip(fresh, made, strict=True):
                self._vectors[text] = np.asarray(row, np.float32)
        return [self._vectors[text] for text in texts]
