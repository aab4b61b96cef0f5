"""The part of a large library that requests ask for, fetched from the database and kept a while.

The database finds a few hundred candidates by meaning and as many by words, as of this moment; what
of them is not in memory, or is older there, is fetched, and the same code as for a small library
compares them. In memory stay the tools asked for last and those with a past. `LargeLibrary` says
when a library is too large for memory, and has the index made that PostgreSQL needs then.
"""

import asyncio
import contextlib
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.library.policies import Policies, SearchPolicy
from hammerstone.library.search.experience import RIVALS, Experience, PastRequest
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.index.loaded_index import PAST, TOOL, LoadedIndex, tool_key
from hammerstone.library.search.text.stems import stems
from hammerstone.library.search.text.words import MOST_REPEATS, Corpus, text_length
from hammerstone.storage import Database

Floats = NDArray[np.float32]

KEPT = 10_000  # tools in memory, besides those with a past
KEPT_WORDS = 100_000  # of which it is known how many tools say them
CORPUS_AGE_S = 600.0  # how old the numbers of the whole library may be
SAMPLE = 2_000  # tools that tell how long texts are
MOST_NAMES = 5_000  # allowed ones that are fetched all; of more, only the candidates among them


class FetchedIndex(LoadedIndex):
    """The candidates of each request, and every past request, in one vector space or none."""

    def __init__(self, db: Database, space: str | None, candidates: int) -> None:
        super().__init__(db, space)
        assert db.tool_search is not None
        self._search = db.tool_search
        self._width = candidates
        self._uses: dict[str, int] = {}
        self._corpus = Corpus(uses=self._uses)
        self._corpus_until = 0.0
        self.catalog = Catalog(self._corpus)
        self._revisions: OrderedDict[str, int | None] = OrderedDict()  # by name, used last at end
        self._with_past: set[str] = set()
        self._compared: set[str] = set()  # past requests whose closest tools were fetched once

    async def refresh(self, revision: int) -> None:
        """See which past requests others added or took back, and how the tools they speak for
        changed; other tools are looked at when they are found."""
        async with self._reading:
            if self._space is not None:
                changed = await self._db.index.changed(self._space, self._newest, PAST)
                await asyncio.to_thread(self._take, changed)
            if await self._db.index.count(PAST) != self._past():
                await self._drop_past()
            past = [each.past for each in self.experiences.values()]
            self._with_past = {one.tool for each in past for one in each.values()}
            await self._bring(await self._current(self._with_past))
            self.seen = revision

    async def candidates(
        self, request: str, vector: Floats | None, depth: int, names: frozenset[str] | None
    ) -> Collection[str] | None:
        width = max(self._width, depth)
        if names is not None and len(names) <= MOST_NAMES:
            found = await self._current(names)
        else:
            by_meaning, by_words = await asyncio.gather(
                self._nearest(vector, width), self._by_words(request, width)
            )
            found = by_words | by_meaning
        await self.know_words(stems(request))
        present = await self._bring(found)
        self._drop_oldest(present)
        present |= {name for name in self._with_past if name in self.catalog}
        return present if names is None else present & names

    async def know_words(self, words: Iterable[str]) -> None:
        if time.monotonic() >= self._corpus_until:
            await self._read_corpus()
        asked = [word for word in dict.fromkeys(words) if word not in self._uses]
        if asked:
            if len(self._uses) > KEPT_WORDS:
                self._uses.clear()
                self._uses |= await self._search.common_words(self._corpus.texts)
            self._uses |= await self._search.uses(asked)

    async def catalog_for_training(self, experience: Experience) -> Catalog:
        """A copy, which requests do not change meanwhile, with the rivals of each past request."""
        lessons = list(experience.past.values())
        fresh = [past for past in lessons if past.key not in self._compared]
        for past in fresh:
            await self._bring(await self._nearest(past.vector, RIVALS))
            self._compared.add(past.key)
        await self.know_words({word for past in lessons for word in stems(past.request)})
        return await asyncio.to_thread(self._near, lessons)

    def put(self, facets: Facets, vector: Floats | None, revision: int) -> None:
        self.catalog.put(facets, vector)
        self._revisions[facets.name] = revision if vector is not None else None
        if vector is not None:
            self.changed_here(revision)

    def _near(self, lessons: Sequence[PastRequest]) -> Catalog:
        return self.catalog.copy() if lessons else Catalog(self._corpus)

    async def _nearest(self, vector: Floats | None, width: int) -> dict[str, int | None]:
        if vector is None or self._space is None:
            return {}
        centre = self.catalog.centre
        direction = vector if centre is None else vector - centre
        return _by_name(await self._search.nearest(self._space, direction, width))

    async def _by_words(self, request: str, width: int) -> dict[str, int | None]:
        said = Counter(stems(request))
        await self.know_words(said)
        weighed = {
            word: self.catalog.rarity(word) * min(times, MOST_REPEATS)
            for word, times in said.items()
        }
        found = await self._search.by_words(self._space or "", weighed, self._uses, width)
        return _by_name(found)

    async def _current(self, names: Iterable[str]) -> dict[str, int | None]:
        keys = [tool_key(name) for name in names]
        return _by_name(await self._search.revisions(self._space or "", keys)) if keys else {}

    async def _bring(self, found: dict[str, int | None]) -> set[str]:
        """Have these tools in memory as they are now; the names of those that are there."""
        known = self._revisions
        old = [name for name, at in found.items() if at is None or known.get(name, -1) != at]
        if old:
            keys = [tool_key(name) for name in old]
            rows = await self._search.rows(self._space or "", keys)
            for row in rows:
                facets = Facets.parse(row.text)
                self.catalog.put(facets, row.vector)
                known[facets.name] = row.revision
            gone = set(old) - {row.key.removeprefix(TOOL) for row in rows}
            for name in gone:
                self._forget(name)
        for name in found:
            if name in known:
                known.move_to_end(name)
        return {name for name in found if name in self.catalog}

    def _drop_oldest(self, needed: Collection[str]) -> None:
        kept = KEPT + len(self._with_past)
        for name in list(self._revisions)[: max(0, len(self._revisions) - kept)]:
            if name not in needed and name not in self._with_past:
                self._forget(name)

    def _forget(self, name: str) -> None:
        self._revisions.pop(name, None)
        self.catalog.remove(name)

    async def _read_corpus(self) -> None:
        """How many tools there are, how long their texts are, and how common words."""
        corpus = self._corpus
        corpus.texts = await self._db.index.count(TOOL)
        texts = await self._search.sample(corpus.texts, SAMPLE)
        lengths = [_length(Facets.parse(text)) for text in texts]
        corpus.average = fmean(lengths) if lengths else 1.0
        common = await self._search.common_words(corpus.texts)
        self._uses.clear()
        self._uses |= common
        self._corpus_until = time.monotonic() + CORPUS_AGE_S


def _by_name(keys: dict[str, int | None]) -> dict[str, int | None]:
    return {key.removeprefix(TOOL): revision for key, revision in keys.items()}


def _length(facets: Facets) -> float:
    return text_length((stems(text), weight) for text, weight in facets.weighted_texts())


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
