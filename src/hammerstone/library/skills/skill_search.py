"""Skills by meaning and words: the machinery that finds tools, on a shelf of its own."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.library.policies import FitPolicy, Policies, SearchPolicy
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.fit.gate import shipped_gate
from hammerstone.library.search.fit.signals import CROWD, read_signals, rivals
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.ranking import RankedTool, Ranker, Weights
from hammerstone.library.search.request_vectors import tool_vector, vector_of
from hammerstone.library.search.shipped_vectors import centre_of
from hammerstone.library.search.text.request_text import search_text
from hammerstone.library.skills.skill import SkillHit, SkillPolicy, agent_invocable, shortened
from hammerstone.storage import Database
from hammerstone.storage.stores.library.skills import SkillHead

MAX_REQUEST = 4_000


class SkillSearch:
    """One catalog a tenant, read again when any skill changed. Works with words alone too."""

    def __init__(self, db: Database, embedder: Embedder | None, policies: Policies) -> None:
        self._db = db
        self._embedder = embedder
        self._policies = policies
        self._catalogs: dict[str, tuple[int, Catalog]] = {}
        self._reading = asyncio.Lock()

    async def find(self, text: str, limit: int, tenant: str) -> list[SkillHit]:
        """The skills that the agent may choose, best first, their descriptions as long as those of
        idle ones.

        How likely the first one is meant is judged like the fit of a tool.
        """
        text = search_text(text[:MAX_REQUEST].encode("utf-8", "replace").decode("utf-8"))
        catalog = await self._catalog(tenant)
        if not text.strip() or limit <= 0 or not len(catalog):
            return []
        policy = self._policies.get(SearchPolicy)
        floor = self._policies.get(FitPolicy).retrieval_similarity_threshold
        vector = await vector_of(self._embedder, text)
        weights = Weights(policy.meaning_weight, policy.words_weight)
        ranked = Ranker(catalog, weights).rank(text, vector, max(limit, CROWD + 1))
        chars = self._policies.get(SkillPolicy).idle_chars
        found = [_hit(each, catalog, floor, chars) for each in ranked]
        if found and found[0].considered:
            others = ranked[1:]
            if vector is not None and self._embedder is not None:
                space = self._embedder.space
                others += rivals(catalog, weights, space, text, vector, ranked[0].name)
            others.sort(key=lambda each: -each.relevance)
            signals = read_signals(text, ranked[0], others, catalog, 0.0)
            fit = shipped_gate(meaning=vector is not None).probability(signals)
            found[0] = replace(found[0], probability=fit)
        return found[:limit]

    async def _catalog(self, tenant: str) -> Catalog:
        revision = await self._db.skills.revision()
        known = self._catalogs.get(tenant)
        if known is not None and known[0] == revision:
            return known[1]
        async with self._reading:
            catalog = Catalog()
            for head in await visible_heads(self._db, tenant):
                if agent_invocable(head.front_matter):
                    catalog.put(_facets(head), await self._vector_of(head))
            if self._embedder is not None:
                with suppress(HammerstoneError):
                    catalog.set_centre(await centre_of(self._embedder))
            # Remembering vectors counts as a change; only others' changes are to be read again.
            self._catalogs[tenant] = (await self._db.skills.revision(), catalog)
        return catalog

    async def _vector_of(self, head: SkillHead) -> NDArray[np.float32] | None:
        """The stored vector, or a new one where the embedder or the text is another."""
        if self._embedder is None:
            return None
        if head.vector is not None and head.space == self._embedder.space:
            return np.asarray(head.vector, np.float32)
        try:
            vector = await tool_vector(self._embedder, _facets(head))
        except HammerstoneError:  # words go on without it
            return None
        await self._db.skills.set_vector(
            head.name, self._embedder.space, vector.tolist(), head.tenant
        )
        return vector


async def visible_heads(db: Database, tenant: str) -> list[SkillHead]:
    """A tenant's own skills and everyone's, by name; of two with one name, its own."""
    found = {head.name: head for head in await db.skills.heads()}
    if tenant:
        found |= {head.name: head for head in await db.skills.heads(tenant)}
    return [found[name] for name in sorted(found)]


def _hit(found: RankedTool, catalog: Catalog, floor: float, chars: int) -> SkillHit:
    facets = catalog.facets(found.name)
    return SkillHit(
        name=found.name,
        description=shortened(facets.description, chars) if facets else "",
        score=found.relevance,
        cosine=found.cosine,
        words=found.words,
        considered=found.words > 0 if found.cosine is None else found.cosine >= floor,
    )


def _facets(head: SkillHead) -> Facets:
    return Facets.of(head.name, head.description, {})
