"""Finding tools: hybrid search that knows when nothing fits and learns from use."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.core.tools import Status, Tool
from hammerstone.library.policies import FitPolicy, Policies, PolicyDecision, SearchPolicy
from hammerstone.library.search.experience import (
    Experience,
    ExperienceTraining,
    PastOutcome,
    PastRequest,
)
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.fit.gate import FitGate, TenantGates
from hammerstone.library.search.fit.refit import Refit, refit
from hammerstone.library.search.fit.signals import read_signals, rivals
from hammerstone.library.search.hits import (
    Band,
    Filters,
    Fit,
    Hit,
    led_by,
    passing_filters,
    reranked,
)
from hammerstone.library.search.index.fetched_index import FetchedIndex, large_library
from hammerstone.library.search.index.loaded_index import LoadedIndex, Standings, past_key, tool_key
from hammerstone.library.search.known_wordings import FoundTools, KnownWordings
from hammerstone.library.search.ranking import RankedTool, Ranker, Weights, weights_in_force
from hammerstone.library.search.request_vectors import RequestVectors, reembed
from hammerstone.library.search.text.request_text import search_text
from hammerstone.library.search.text.stems import split_name, stems
from hammerstone.storage import Database
from hammerstone.tracing import span

Floats = NDArray[np.float32]

# Above this many tools a search leaves the event loop: it would hold it for milliseconds.
INLINE_TOOLS = 20_000
SPARE_HITS = 20  # found beyond the limit, for re-ranking to choose from
FIRST_WAIT_S = 3.0  # at most, of the first search for tools that have no vector yet
WIDER = 8  # how much further to look each time filters leave too few


class ToolSearch:
    """The library's tools by what people ask for.

    Without an embedder, or while it fails, search goes on with words alone, and `words_only`
    says why.
    """

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        policies: Policies,
        *,
        words_only: str = "",
        floor: float | None = None,
    ) -> None:
        self._floor = floor  # a setting that overrides the policy's similarity floor
        self._db = db
        self._embedder = embedder
        self._policies = policies
        self._gates = TenantGates(policies)
        self.space = embedder.space if embedder else ""
        self._index: LoadedIndex = LoadedIndex(db, self.space or None)
        self.in_database = False  # whether the database finds the candidates
        self._large = large_library(db, embedder, policies)
        self._standings = Standings(db)
        self._known = KnownWordings(self._index, policies)
        self._vectors = RequestVectors(embedder, self._index.catalog, words_only)
        self._training = ExperienceTraining(self._train)
        self._catching_up: asyncio.Task[None] | None = None
        self._first_wait_s = FIRST_WAIT_S

    async def index(self, tool: Tool) -> None:
        """Make a tool findable as it is now; a retired one is taken out."""
        if tool.status is Status.RETIRED:
            await self.remove(tool.name)
        else:
            await self.index_facets(Facets.of_spec(tool.version.spec))

    async def index_facets(self, facets: Facets) -> None:
        """Make something findable by what it says about itself."""
        await self._index.store(facets, await self._vectors.of_tool(facets))

    async def index_all(self, tools: Sequence[Tool]) -> None:
        """Make many tools findable in one transaction, without starting the embedder: what has no
        shipped vector is found by words until `catch_up` has embedded it."""
        await self._index.store_all(tools)

    async def remove(self, name: str) -> None:
        """Take a tool out of search; what was learned about it waits for it to come back."""
        await self._db.index.remove(tool_key(name))
        self._index.catalog.remove(name)

    async def find(
        self,
        query: str,
        limit: int = 5,
        filters: Filters | None = None,
        tenant: str = "",
        revision: int | None = None,
    ) -> list[Hit]:
        """The tools that answer the query best, best first. An empty query finds nothing.

        `revision` is the index's number where somebody has just read it.
        """
        query = search_text(query)
        with span("search tools", kind="search", input=query) as traced:
            if not query.strip() or limit <= 0:
                traced.output = []
                return []
            # The database answers while the embedder computes.
            vector, *_ = await asyncio.gather(self._vectors.of(query), self._refreshed(revision))
            hits = await self._hits(query, vector, limit, filters, tenant)
            experience = self._index.experiences.get(tenant) or Experience()
            typical = self._index.catalog.same_wording(query)
            hits = led_by(hits, experience.same_wording(query, typical, self._index.catalog))
            traced.output = [{"tool": hit.name, "why": hit.explanation} for hit in hits]
            if self.words_only:
                traced.set("hammerstone.words_only", self.words_only)
            return hits

    async def found_before(
        self, query: str, tenant: str = "", revision: int | None = None
    ) -> FoundTools | None:
        """What was found for the same words with other values, where one tool has answered them
        several times and nothing has changed since."""
        await self._index_refreshed(revision)
        return self._known.find(search_text(query), tenant)

    def keep_found(self, query: str, tenant: str, hits: Sequence[Hit], fit: Fit) -> None:
        """Keep what was found for `found_before`, if the words are known well enough.

        Of a library that the database searches, memory does not see that another tool came.
        """
        if not self.words_only and not self.in_database:
            found = FoundTools.of(hits, fit, self.weights_in_force)
            self._known.keep(search_text(query), tenant, found)

    def expect(self, query: str, tenant: str = "") -> bool:
        """Begin to embed what `find` will be asked for soon; whether there is anything to do."""
        query = search_text(query)
        known = self._known.has(query, tenant)
        return not known and self._vectors.expect(query)

    @property
    def words_only(self) -> str:
        """Why search goes by words alone; empty when it does not."""
        return self._vectors.missing

    @property
    def weights_in_force(self) -> dict[str, float]:
        """The numbers by which hits are ordered and judged now."""
        return weights_in_force(self._policies, self._floor)

    async def fit(
        self, query: str, hits: Sequence[Hit], tenant: str = "", *, values_to_come: bool = False
    ) -> Fit:
        """The probability that the first hit answers the query, and what it means.

        `values_to_come`: a value that the query does not give comes from elsewhere, so that
        missing it does not speak against a tool.
        """
        policy = self._policies.get(FitPolicy)
        query = search_text(query)
        known = [hit for hit in hits if hit.name in self._index.catalog]
        if not known or not known[0].considered:
            return Fit(0.0, Band.LOW, None)
        await self._index.know_words([*stems(query), *stems(split_name(known[0].name))])
        best, *others = [
            RankedTool(hit.name, hit.relevance, hit.cosine, hit.words, hit.learned) for hit in known
        ]
        past = 0.0
        vector = await self._vectors.of(query) if best.cosine is not None else None
        if vector is not None and tenant in self._index.experiences:
            past = self._index.experiences[tenant].nearest(vector, best.name)
        if vector is not None:
            catalog, weights = self._index.catalog, self._ranker().weights
            others += rivals(catalog, weights, self.space, query, vector, best.name)
        others.sort(key=lambda each: -each.relevance)
        signals = read_signals(query, best, others, self._index.catalog, past)
        if values_to_come:
            signals = replace(signals, numbers_missing=0.0, values_missing=0.0)
        probability = self._gates.of(tenant, meaning=best.cosine is not None).probability(signals)
        if known[0].same_wording:
            probability = max(probability, policy.same_wording)
        band = Band.LOW
        if probability >= policy.middle:
            band = Band.HIGH if probability >= policy.high else Band.MIDDLE
        return Fit(probability, band, signals)

    async def learn(self, request: str, tool: str, lesson: PastOutcome, tenant: str = "") -> None:
        """Remember how a request ended, for the tenant it belongs to.

        A no-op while learning is switched off or nothing can be embedded. The oldest requests
        make room once a tool has as many as the policy keeps.
        """
        policy = self._policies.get(SearchPolicy)
        await self._standings.read()
        request = search_text(request).strip()
        vector = await self._vectors.of(request) if policy.learn and request else None
        if vector is None or self._embedder is None:
            return
        await self._read_changes()
        key = past_key(tenant, tool, lesson, request)
        revision = await self._db.index.upsert(key, self.space, vector.tolist(), request, tenant)
        self._index.take_past(key, request, vector)
        self._index.changed_here(revision)
        experience, wrong = self._index.experiences[tenant], lesson is PastOutcome.WRONG
        kept = [p.key for p in experience.of_tool(tool) if (p.lesson is PastOutcome.WRONG) == wrong]
        await self._forget_keys(experience, kept[: -max(1, policy.past_requests)])
        self._training.start(experience)  # now, rather than beside the next search

    async def unlearn(
        self,
        request: str,
        tool: str,
        lessons: Sequence[PastOutcome] = (PastOutcome.ANSWERED, PastOutcome.CHOSEN),
        tenant: str = "",
    ) -> None:
        """Take back that a request ended in one of these ways with a tool; without any being
        named, that it spoke for it."""
        await self._read_changes()
        text, experience = search_text(request).strip(), self._index.experiences[tenant]
        keys = [past_key(tenant, tool, lesson, text) for lesson in lessons]
        await self._forget_keys(experience, [key for key in keys if key in experience.past])

    async def forget(self, tool: str, tenant: str | None = None) -> int:
        """Undo what was learned about a tool, for one tenant or all; how many requests went."""
        await self._read_changes()
        gone = 0
        for owner, experience in list(self._index.experiences.items()):
            if tenant in (None, owner):
                past = experience.of_tool(tool)
                await self._forget_keys(experience, [each.key for each in past])
                gone += len(past)
        return gone

    async def refit(self, tenant: str = "", *, who: str = "hammerstone") -> Refit:
        """Fit the tenant's gate to how its past requests ended; kept only if it judges better."""
        await self._read_changes()
        current = self._gates.of(tenant, meaning=True)
        past = list(self._index.experiences[tenant].past.values())
        fewest = self._policies.get(FitPolicy).refit_decisions
        done = await asyncio.to_thread(self._refit, past, current, fewest)
        if done.gate is not None:
            decision = PolicyDecision(who, done.reason, done.to_json())
            await self._gates.keep(tenant, done.gate, decision)
        return done

    def _refit(self, past: Sequence[PastRequest], current: FitGate, fewest: int) -> Refit:
        """On a copy: judging takes tools out, which a search must not notice."""
        ranker = Ranker(self._index.catalog.copy(), self._ranker().weights)
        return refit(past, ranker, current, fewest)

    async def forget_gate(self, tenant: str = "", *, who: str = "hammerstone") -> None:
        """Judge by the shipped gate again."""
        await self._gates.forget(tenant, who)

    async def catch_up(self) -> int:
        """Embed everything that has no vector in the embedder's space; how many were done.

        Until then those tools are found by words: no two embedders' vectors are compared.
        """
        if self._embedder is None:
            return 0
        done = await reembed(self._db, self._embedder)
        await self._read_changes()
        return done

    def start_catching_up(self) -> None:
        """Catch up in the background; `close` stops it, and the next start goes on."""
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.create_task(self._catch_up_quietly())

    async def make_index(self) -> None:
        """Have PostgreSQL's index of a large library now, and not some time after it is needed."""
        if self._large is not None:
            await self._large.make(self.space)

    async def settle(self) -> None:
        """Wait until everything learned has taken effect."""
        for experience in list(self._index.experiences.values()):
            await self._training.settle(experience)

    async def close(self) -> None:
        if self._catching_up:
            self._catching_up.cancel()
        if self._large is not None:
            await self._large.close()
        await self._vectors.close()
        if self._catching_up:
            with contextlib.suppress(asyncio.CancelledError):
                await self._catching_up
        await self._training.close()

    async def _refreshed(self, revision: int | None) -> None:
        """What others changed is seen, and how each tool is used."""
        seen = self._index_refreshed(revision)
        await (seen if self.in_database else asyncio.gather(seen, self._standings.refresh()))

    async def _index_refreshed(self, revision: int | None) -> None:
        """What others changed, and what is being embedded since the opening, is seen.

        Only the first search waits for the latter, and not for long.
        """
        wait_s, self._first_wait_s = self._first_wait_s, 0.0
        if self._catching_up and wait_s:
            await asyncio.wait({self._catching_up}, timeout=wait_s)
        large = None if self.in_database else self._large
        if large and (opened := await large.opened(len(self._index.catalog))):
            self._use(opened)
        await self._read_changes(revision)

    async def _read_changes(self, revision: int | None = None) -> None:
        """See what others changed; whoever has just read the index's number reads nothing."""
        if revision is None:
            revision = await self._db.index.revision()
        if revision > self._index.seen:
            await self._index.refresh(revision)

    def _use(self, opened: FetchedIndex) -> None:
        """From now on the database finds candidates; what memory held is given back."""
        centre = self._index.catalog.centre
        if centre is not None:
            opened.catalog.set_centre(centre)
        self._index, self.in_database = opened, True
        self._known = KnownWordings(opened, self._policies)
        self._vectors.catalog = opened.catalog

    async def _catch_up_quietly(self) -> None:
        """Nobody waits for it: an embedder that fails is a reason for words only, no crash."""
        try:
            await self.catch_up()
        except HammerstoneError as error:
            self._vectors.missing = error.message

    async def _rank(
        self, query: str, vector: Floats | None, limit: int, filters: Filters | None, tenant: str
    ) -> list[RankedTool]:
        names = filters.names if filters is not None else None
        compared = await self._index.candidates(query, vector, limit, names)
        catalog = self._index.catalog
        allowed = None
        if compared is not None:
            places = [catalog.places[name] for name in compared if name in catalog]
            allowed = np.array(places, np.intp)
        if (experience := self._index.experiences.get(tenant)) and vector is not None:
            self._training.start(experience)
        arguments = (query, vector, limit, experience, allowed)
        if len(catalog) <= INLINE_TOOLS:
            return self._ranker().rank(*arguments)
        return await asyncio.to_thread(self._ranker().rank, *arguments)

    def _ranker(self) -> Ranker:
        policy = self._policies.get(SearchPolicy)
        weights = Weights(policy.meaning_weight, policy.words_weight, policy.unfilled_weight)
        return Ranker(self._index.catalog, weights)

    async def _hits(
        self, query: str, vector: Floats | None, limit: int, filters: Filters | None, tenant: str
    ) -> list[Hit]:
        """The best hits that pass; looks further down while filters leave too few."""
        depth = limit + SPARE_HITS
        while True:
            ranked = await self._rank(query, vector, depth, filters, tenant)
            if self.in_database:
                await self._standings.look_at([each.name for each in ranked])
            # A retired tool has left the index: without filters there is nothing to ask.
            passing = await passing_filters(self._db, ranked, filters) if filters else ranked
            if len(passing) >= limit or len(ranked) < depth:
                return self._reranked(passing)[:limit]
            depth *= WIDER

    def _reranked(self, ranked: Sequence[RankedTool]) -> list[Hit]:
        floor = self.weights_in_force["retrieval_similarity_threshold"]
        return reranked(ranked, self._standings, self._policies.get(SearchPolicy), floor)

    async def _train(self, experience: Experience) -> None:
        catalog = await self._index.catalog_for_training(experience)
        relevance = Ranker(catalog, self._ranker().weights).relevance
        await asyncio.to_thread(experience.train, catalog, relevance)

    async def _forget_keys(self, experience: Experience, keys: Sequence[str]) -> None:
        if keys:
            revision = await self._db.index.remove(*keys)
            experience.forget(keys)
            self._index.changed_here(revision)
