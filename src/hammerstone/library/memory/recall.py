"""Earlier exchanges by meaning and words (rare ones count more), of one person only."""

import asyncio
import math
import re
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Embedder
from hammerstone.library.memory.context import RecallPolicy
from hammerstone.library.search.text.stems import stems
from hammerstone.library.search.text.words import with_room
from hammerstone.storage import Database
from hammerstone.storage.stores.library.memory import Exchange
from hammerstone.tracing import span
from hammerstone.tracing.warn import warn

# A person with three exchanges has no rare words yet; each counts as if there were this many.
_AS_IF = 50


class Coverage:
    """Texts by place, a number the caller hands out.

    Not BM25: among few texts a word that nobody used would outweigh all that match, and how
    often an exchange repeats a word says nothing.
    """

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}
        self._size = 0

    def add(self, place: int, words: Iterable[str]) -> None:
        for word in set(words):
            self._places.setdefault(word, array("i")).append(place)
        self._size += 1

    def scores(self, words: Sequence[str], size: int) -> NDArray[np.float32]:
        """For each place the share of the question's words it has, by weight, from 0 to 1."""
        found = np.zeros(size, np.float32)
        total = 0.0
        for word in set(words):
            places = self._places.get(word)
            weight = math.log(1 + max(self._size, _AS_IF) / (1 + len(places or ())))
            total += weight
            if places is not None:
                found[np.frombuffer(places, np.int32)] += weight
        return found / np.float32(total) if total else found


Floats = NDArray[np.float32]

_PEOPLE = 64  # whose exchanges are held in memory at once
_INLINE = 32  # exchanges embedded while somebody waits; more are embedded in the background
_BATCH = 32
_OVERLAP = 256  # on PostgreSQL a lower number may become visible after a higher one
_ANSWER_CHARS = 200
_QUESTION_CHARS = 4_000
# Words of asking for something that was said, which say nothing about what it was.
_ASKING = re.compile(
    r"\b(what|which|when|how)?\s*(did|do|have|had) (i|we|you) (ever )?(say|said|tell|told|ask|asked"
    r"|mention|mentioned|discuss|talk|calculate|compute|decide|use|remember|recall)"
    r"( you| me| us)?( that| about)?\b|\b(do you )?(remember|recall)( that| when)?\b"
    r"|\blast (time|week|month|night|session)\b|\byesterday\b|\bearlier\b|\bagain\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RecalledExchange:
    """An earlier exchange. `score` is how near it is; age counts in the order, not in it.

    `meaning` is the part of it that is similarity; None while the exchange has no vector.
    """

    exchange: Exchange
    score: float
    meaning: float | None = None


@dataclass(slots=True)
class _Shelf:
    """One person's exchanges, by place."""

    ids: list[int] = field(default_factory=list[int])
    places: dict[int, int] = field(default_factory=dict[int, int])
    at: list[datetime] = field(default_factory=list[datetime])
    texts: dict[int, str] = field(default_factory=dict[int, str])  # not embedded yet
    words: Coverage = field(default_factory=Coverage)
    vectors: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    newest: int = 0
    filling: asyncio.Lock = field(default_factory=asyncio.Lock)  # one reads what is new

    def add(self, exchange: Exchange) -> None:
        place = len(self.ids)
        self.places[exchange.id] = place
        self.ids.append(exchange.id)
        self.at.append(exchange.at)
        self.words.add(place, stems(embedded_text(exchange)))
        self.texts[exchange.id] = embedded_text(exchange)
        self.newest = max(self.newest, exchange.id)

    def place_vectors(self, vectors: Sequence[tuple[int, Floats]]) -> None:
        known = [(self.places[id], vector) for id, vector in vectors if id in self.places]
        if not known:
            return
        wide = len(known[0][1])
        if self.vectors.shape[1] != wide:
            self.vectors = np.zeros((0, wide), np.float32)
        if len(self.vectors) < len(self.ids):
            self.vectors = with_room(self.vectors, max(64, len(self.ids) * 3 // 2))
        for place, vector in known:
            self.vectors[place] = vector
            self.texts.pop(self.ids[place], None)


def embedded_text(exchange: Exchange) -> str:
    """What an exchange is found by."""
    return f"{exchange.request}\n{_answer(exchange)}"


def _answer(exchange: Exchange) -> str:
    return exchange.answer[:_ANSWER_CHARS]


class Recall:
    """The search in what was said before; nothing is embedded until somebody refers to it."""

    def __init__(self, db: Database, embedder: Embedder | None, clock: Clock) -> None:
        self._db = db
        self._embedder = embedder
        self._clock = clock
        self._shelves: LRUCache[str, _Shelf] = LRUCache(_PEOPLE)
        self._background: set[asyncio.Task[None]] = set()

    async def find(
        self, user: str, text: str, policy: RecallPolicy, without: Collection[int] = ()
    ) -> list[RecalledExchange]:
        """The person's exchanges near this text, best first; `without` those already at hand."""
        wanted = _ASKING.sub(" ", text[:_QUESTION_CHARS]).strip() or text[:_QUESTION_CHARS]
        with span("recall", kind="search", input=wanted) as traced:
            shelf = await self._shelf(user, policy)
            if not shelf.ids:
                return []
            scores, meaning = await self._scores(shelf, wanted, policy)
            order = scores * self._freshness(shelf, policy)
            order[scores < policy.minimum_score] = -1.0
            order[meaning < policy.minimum_meaning] = -1.0  # never where it is not known
            most = min(len(order), policy.recalled + len(without) + 10)
            best = np.argsort(-order)[:most]
            chosen = [int(p) for p in best if order[p] > 0 and shelf.ids[p] not in without]
            rows = await self._db.memory.get(user, [shelf.ids[place] for place in chosen])
            found = [
                RecalledExchange(rows[shelf.ids[p]], float(scores[p]), _known(meaning[p]))
                for p in chosen
                if shelf.ids[p] in rows
            ]
            found = _distinct(found)[: policy.recalled]
            traced.output = [{"run": f.exchange.run_id, "score": round(f.score, 3)} for f in found]
            return found

    async def forget(self, user: str) -> None:
        """Read the person's exchanges anew the next time."""
        self._shelves.pop(user, None)

    async def close(self) -> None:
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    async def _scores(
        self, shelf: _Shelf, text: str, policy: RecallPolicy
    ) -> tuple[Floats, Floats]:
        """How near each exchange is, and by meaning alone; NaN where there is no vector."""
        size = len(shelf.ids)
        words = shelf.words.scores(stems(text), size)
        meaning = await self._meaning(shelf, text)
        if meaning is None:
            return words, np.full(size, np.nan, np.float32)
        total = policy.meaning_share + policy.words_share or 1.0
        mixed = (policy.meaning_share * meaning + policy.words_share * words) / total
        # What has no vector yet is judged by its words alone.
        embedded = shelf.vectors[:size].any(axis=1)
        scores = np.where(embedded, mixed, words).astype(np.float32)
        return scores, np.where(embedded, meaning, np.nan).astype(np.float32)

    async def _meaning(self, shelf: _Shelf, text: str) -> Floats | None:
        if self._embedder is None or not len(shelf.vectors):
            return None
        try:
            (wanted,) = await self._embedder.embed([text])
        except HammerstoneError as error:
            warn("memory is searched by words alone", error=str(error))
            return None
        size = len(shelf.ids)
        if shelf.vectors.shape[1] != len(wanted):
            return None
        if len(shelf.vectors) < size:
            shelf.vectors = with_room(shelf.vectors, size)
        return np.maximum(shelf.vectors[:size] @ np.asarray(wanted, np.float32), 0.0)

    def _freshness(self, shelf: _Shelf, policy: RecallPolicy) -> Floats:
        now = self._clock.now()
        half = max(policy.half_life_days, 0.01) * 86_400
        ages = np.array([max(0.0, (now - at).total_seconds()) for at in shelf.at], np.float32)
        share = policy.oldest_share
        return (share + (1 - share) * np.exp2(-ages / half)).astype(np.float32)

    async def _shelf(self, user: str, policy: RecallPolicy) -> _Shelf:
        shelf = self._shelves.setdefault(user, _Shelf())
        async with shelf.filling:
            after = max(0, shelf.newest - _OVERLAP)
            fresh = await self._db.memory.of_user(user, after, policy.searched)
            new = [exchange for exchange in reversed(fresh) if exchange.id not in shelf.places]
            for exchange in new:
                shelf.add(exchange)
            if new and self._embedder is not None:
                oldest = new[0].id - 1
                known = await self._db.memory.vectors(user, self._embedder.space, oldest)
                shelf.place_vectors(known)
            await self._embed_missing(shelf)
            return shelf

    async def _embed_missing(self, shelf: _Shelf) -> None:
        """Embed the newest at once, many older ones in the background."""
        if self._embedder is None or not shelf.texts:
            return
        waiting = sorted(shelf.texts.items(), reverse=True)
        now, later = waiting[:_INLINE], waiting[_INLINE:]
        await self._embed(shelf, now)
        if later and not self._background:
            task = asyncio.create_task(self._embed_slowly(shelf, later))
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    async def _embed_slowly(self, shelf: _Shelf, waiting: list[tuple[int, str]]) -> None:
        for start in range(0, len(waiting), _BATCH):
            if not await self._embed(shelf, waiting[start : start + _BATCH]):
                return
            await asyncio.sleep(0)

    async def _embed(self, shelf: _Shelf, texts: list[tuple[int, str]]) -> bool:
        assert self._embedder is not None
        try:
            found = await self._embedder.embed([text for _, text in texts])
            rows = [
                (id, np.asarray(v, np.float32)) for (id, _), v in zip(texts, found, strict=True)
            ]
            await self._db.memory.put_vectors(self._embedder.space, rows)
        except HammerstoneError as error:
            warn("exchanges have no meaning yet", error=str(error))
            return False
        shelf.place_vectors(rows)
        return True


def _known(meaning: np.float32) -> float | None:
    return None if np.isnan(meaning) else float(meaning)


def _distinct(found: list[RecalledExchange]) -> list[RecalledExchange]:
    """The same question asked twice is recalled once, as it was answered last."""
    newest: dict[str, RecalledExchange] = {}
    for one in found:
        key = " ".join(one.exchange.request.lower().split())
        if key not in newest or newest[key].exchange.id < one.exchange.id:
            newest[key] = one
    return sorted(newest.values(), key=lambda one: -one.score)
