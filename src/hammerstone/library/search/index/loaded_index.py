"""What search knows of the database, in memory: the index, and how often each tool is used.

An entry of the index is a tool's text, and its vector where one is known.

The index is brought up to date before each search; the use is about a second old.
"""

import asyncio
import hashlib
import math
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.tools import Tool
from hammerstone.library.search.experience import Experience, PastOutcome, PastRequest
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.shipped_vectors import shipped_vectors
from hammerstone.storage import Database

Floats = NDArray[np.float32]

TOOL = "tool/"
PAST = "past/"
EVERYTHING = 1 << 31
# Uses and successes that a new tool is credited with, so that it is not punished for being new.
PRIOR_USES = 5.0
PRIOR_SUCCESS = 0.8
MANY_USES = 1_000.0
MAX_AGE_S = 1.0
# Reading the use of 100,000 tools takes a while: it is done in a fiftieth of the time at most.
PATIENCE = 50.0


def tool_key(name: str) -> str:
    return TOOL + name


def past_key(tenant: str, tool: str, lesson: PastOutcome, request: str) -> str:
    digest = hashlib.sha256(request.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{PAST}{quote(tenant, safe='')}/{quote(tool, safe='')}/{lesson}/{digest}"


class LoadedIndex:
    """Tools and past requests as the database has them, in one vector space or none.

    Another process's changes arrive as the rows that are newer than the last one seen. Rows
    that vanished, or have no vector yet, show as a difference in number and are read again.
    """

    def __init__(self, db: Database, space: str | None) -> None:
        self._db = db
        self._space = space  # None: nothing is embedded
        self.seen: int = -1  # revision of the index that is in memory
        self._newest = 0  # revision of the newest vector that is in memory
        self._reading = asyncio.Lock()
        self.catalog = Catalog()
        self.experiences: defaultdict[str, Experience] = defaultdict(Experience)
        self.waiting = 0  # entries without a vector in this space

    async def refresh(self, revision: int) -> None:
        """See what others changed up to this revision; for one that was not seen yet."""
        async with self._reading:
            if self._space is None:
                await self._read_waiting()
            else:
                changed = await self._db.index.changed(self._space, self._newest)
                await asyncio.to_thread(self._take, changed)
                if await self._db.index.count(TOOL) != len(self.catalog):
                    await self._read_waiting()
            if await self._db.index.count(PAST) != self._past():
                await self._drop_past()
            self.seen = revision

    async def candidates(
        self, request: str, vector: Floats | None, depth: int, names: frozenset[str] | None
    ) -> Collection[str] | None:
        """The tools to compare with a request; None: all. `names` are those that are allowed."""
        return names

    async def know_words(self, words: Iterable[str]) -> None:
        """See to it that it is known how rare some words are."""

    async def catalog_for_training(self, experience: Experience) -> Catalog:
        """The tools among which past requests are learned from."""
        return self.catalog

    async def store(self, facets: Facets, vector: Floats | None) -> None:
        """Store a tool's entry, and have it in memory.

        Without an embedder (no space) a starter tool gets the vector it was shipped with, which
        counts as soon as the embedder is there.
        """
        space, stored = self._space, vector
        if space is None:
            space = shipped_vectors().space
            stored = shipped_vectors().find(space, facets.text)
        numbers = None if stored is None else stored.tolist()
        key, words = tool_key(facets.name), sorted(facets.words)
        revision = await self._db.index.upsert(key, space, numbers, facets.text, words=words)
        self.put(facets, vector, revision)

    async def store_all(self, tools: Sequence[Tool]) -> None:
        """Store many at once, with no vector but a shipped one; they are read when they count."""
        shipped = shipped_vectors()
        space = self._space or shipped.space
        facets = {tool_key(tool.name): Facets.of_spec(tool.version.spec) for tool in tools}
        texts = {key: each.text for key, each in facets.items()}
        found = {key: shipped.find(space, text) for key, text in texts.items()}
        known = {key: one.tolist() for key, one in found.items() if one is not None}
        words = {key: sorted(each.words) for key, each in facets.items()}
        await self._db.index.upsert_all(texts, space, known, words)

    def put(self, facets: Facets, vector: Floats | None, revision: int) -> None:
        """Take a change of one's own, unless what is in memory is newer already."""
        if vector is not None and revision <= self._newest:
            return
        self.catalog.put(facets, vector)
        if vector is not None:
            self.changed_here(revision)

    def changed_here(self, revision: int) -> None:
        """What this change made is in memory: unless somebody else was in between, there is
        nothing to read."""
        if revision == self.seen + 1:
            self.seen = self._newest = revision

    def take_past(self, key: str, request: str, vector: Floats) -> None:
        tenant, tool, lesson, _ = key.removeprefix(PAST).split("/")
        past = PastRequest(key, request, unquote(tool), PastOutcome(lesson), vector)
        known = self.experiences[unquote(tenant)]
        if key not in known.past:
            known.add(past)

    def _take(self, changed: list[tuple[str, str, Floats, int]]) -> None:
        for key, text, vector, revision in changed:
            if key.startswith(TOOL):
                self.catalog.put(Facets.parse(text), np.asarray(vector, np.float32))
            elif key.startswith(PAST):
                self.take_past(key, text, np.asarray(vector, np.float32))
            self._newest = max(self._newest, revision)

    def _past(self) -> int:
        return sum(len(each.past) for each in self.experiences.values())

    async def _read_waiting(self) -> None:
        """Add tools that can be found by words only, and drop those that are gone."""
        missing = await self._db.index.missing(self._space or "", EVERYTHING)
        self.waiting = len(missing) if self._space is not None else 0
        for key, text in missing:
            if key.startswith(TOOL):
                self.catalog.put(Facets.parse(text), None)
        present = set(await self._db.index.keys(TOOL))
        for name in [name for name in self.catalog.places if tool_key(name) not in present]:
            self.catalog.remove(name)

    async def _drop_past(self) -> None:
        present = set(await self._db.index.keys(PAST))
        for experience in self.experiences.values():
            experience.forget([key for key in experience.past if key not in present])


@dataclass(frozen=True, slots=True)
class UseRecord:
    """Shares between 0 and 1, smoothed: what re-ranking by use looks at."""

    success: float
    frequency: float

    @classmethod
    def of(cls, uses: int, good: int, bad: int) -> "UseRecord":
        """`good` counts as a success and `bad` as a mistake; other uses say nothing."""
        return cls(
            (good + PRIOR_USES * PRIOR_SUCCESS) / (good + bad + PRIOR_USES),
            min(1.0, math.log1p(uses) / math.log1p(MANY_USES)),
        )


_NEW = UseRecord.of(0, 0, 0)


class Standings:
    """The use of all tools, read once a second or after use, and not for each search."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[str, tuple[int, int, int]] = {}
        self._due = 0.0
        self._reading = asyncio.Lock()

    def __getitem__(self, tool: str) -> UseRecord:
        return UseRecord.of(*self._uses[tool]) if tool in self._uses else _NEW

    async def refresh(self) -> None:
        """See to it that what is known is not much older than a second."""
        if time.monotonic() >= self._due:
            async with self._reading:
                if time.monotonic() >= self._due:
                    await self.read()

    async def look_at(self, tools: Sequence[str]) -> None:
        """Read the use of these tools, of a library with too many to know it of all."""
        self._uses |= await self._db.executions.uses(tools)
        self._due = math.inf

    async def read(self) -> None:
        """Read it now: something was used."""
        if self._due == math.inf:
            return  # each search reads what it needs
        began = time.monotonic()
        self._uses = await self._db.executions.uses()
        ended = time.monotonic()
        self._due = ended + max(MAX_AGE_S, PATIENCE * (ended - began))
