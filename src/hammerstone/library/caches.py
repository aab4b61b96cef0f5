"""Two caches: results of calls to pure tools, and answers to whole requests."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeGuard

from cachetools import LRUCache, TLRUCache

from hammerstone.core.calls import Failure, Outcome
from hammerstone.core.clock import Clock
from hammerstone.core.errors import DataDirectoryError, StorageError
from hammerstone.core.hashing import call_key, canonical_arguments, digest
from hammerstone.core.holder import holder_name, is_dead
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.pending import Pending
from hammerstone.core.tools import Effect, Version
from hammerstone.library.policies import CachePolicy, Policies
from hammerstone.storage import Database

AT_HAND = 2_000  # results kept in this process as well
LARGEST_AT_HAND = 20_000  # characters of one of them
# A call that takes less is not worth asking every other process whether it is at it already.
QUICK_S = 0.1
AFTER_S = 0.005  # writing a result begins when its request has been answered
CLAIM_S = 40.0  # longer than a standard call may take; another machine's dead holder takes this
LOOK_AGAIN_S = (0.005, 0.1)  # how often to look for another process's result: at first, later


@dataclass(frozen=True, slots=True)
class CallResult:
    """The outcome of a call. `cached` when it was known or somebody else was computing it."""

    outcome: Outcome
    cached: bool


def _anything(_: Json) -> bool:
    return True


def _lasting(outcome: Outcome | None) -> TypeGuard[Outcome]:
    """Whether the same call gives the same again: it went well, and made no files."""
    return outcome is not None and outcome.failure is None and not outcome.artifacts


async def key_of(
    version: Version, arguments: JsonObject, files: Mapping[str, Path] | None = None
) -> str:
    """The name of a call: its version, canonical arguments, and the content of its files."""
    document: Json = canonical_arguments(version.spec.takes, arguments)
    if files:
        document = {"arguments": document, "files": await asyncio.to_thread(_hashes, files)}
    return call_key(version.id, document)


def _hashes(files: Mapping[str, Path]) -> JsonObject:
    hashes: JsonObject = {}
    for name, path in files.items():
        with path.open("rb") as file:
            hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


class RecentValues:
    """The last values used, in this process, each until its time is over."""

    def __init__(self, clock: Clock) -> None:
        self._kept: TLRUCache[str, tuple[datetime, Json], datetime] = TLRUCache(
            AT_HAND, ttu=lambda _, kept, __: kept[0], timer=clock.now
        )

    def find(self, key: str) -> Json:
        kept = self._kept.get(key)
        return kept[1] if kept else None

    def take(self, key: str, value: Json, until: datetime) -> None:
        if len(repr(value)) <= LARGEST_AT_HAND:
            self._kept[key] = (until, value)

    def clear(self) -> None:
        self._kept.clear()


class CallCache:
    """Results by tool version and canonical arguments; only for tools without effects.

    A new version has a new key, so nothing has to be invalidated. Results are in the database,
    for every worker, soon after they are known; the last few are also at hand here. Identical
    calls at the same time are one execution in this process; across processes, too, unless the
    version is known to be quick.
    """

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self._holder = holder_name()
        self._at_hand = RecentValues(clock)
        self._seconds: LRUCache[str, float] = LRUCache(AT_HAND)  # of slow calls, by version
        self._writing = Pending()
        self._running: dict[str, asyncio.Future[Outcome | None]] = {}

    def _usable(self, version: Version) -> bool:
        return version.spec.effect is Effect.PURE and self._policies.get(CachePolicy).enabled

    async def through(
        self,
        version: Version,
        arguments: JsonObject,
        compute: Callable[[], Awaitable[Outcome]],
        *,
        storable: Callable[[Json], bool] = _anything,
        files: Mapping[str, Path] | None = None,
    ) -> CallResult:
        """The call's outcome: a known one, one that is being computed, or `compute`'s.

        Failures and files that a call produced are never kept. `storable` is asked about the
        arguments and the result before they are.
        """
        if not self._usable(version):
            return CallResult(await compute(), cached=False)
        key = await key_of(version, arguments, files)
        while True:
            known = await self._known(key, version.id)
            if known is not None:
                return CallResult(Outcome(value=known["value"]), cached=True)
            running = self._running.get(key)
            if running is None:
                break
            outcome = await asyncio.shield(running)
            if outcome is not None and outcome.failure is not Failure.LOST:
                self._db.cache.note(version.id, hit=True)
                return CallResult(outcome, cached=True)
        self._running[key] = done = asyncio.get_running_loop().create_future()
        outcome, cached = None, False
        try:
            outcome, cached = await self._claimed(key, version, compute)
            return CallResult(outcome, cached)
        finally:
            # Whoever waits gets the outcome; after a failure to compute it they try themselves.
            done.set_result(outcome)
            if cached or not _lasting(outcome):
                del self._running[key]
            else:
                self._writing.start(self._keep(key, version, arguments, outcome, storable))

    async def _claimed(
        self, key: str, version: Version, compute: Callable[[], Awaitable[Outcome]]
    ) -> tuple[Outcome, bool]:
        """The outcome, and whether another process computed it. The claim on one that lasts is
        given up when it is kept."""
        claims = self._seconds.get(version.id, QUICK_S) >= QUICK_S
        known = await self._wait_for_turn(key, version.id) if claims else None
        if known is not None:
            return Outcome(value=known["value"]), True
        self._db.cache.note(version.id, hit=False)
        outcome = None
        try:
            began_s = self._clock.elapsed_s()
            outcome = await compute()
            self._timed(version.id, self._clock.elapsed_s() - began_s)
            return outcome, False
        finally:
            if claims and not _lasting(outcome):
                await asyncio.shield(self._give_up(key))

    def _timed(self, version: str, seconds: float) -> None:
        self._seconds[version] = max(seconds, 0.8 * self._seconds.get(version, 0.0))

    async def _keep(
        self,
        key: str,
        version: Version,
        arguments: JsonObject,
        outcome: Outcome,
        storable: Callable[[Json], bool],
    ) -> None:
        """Keep a result, here and for others, if it may be stored. Whoever asked has the answer
        by then; who asks for the same meanwhile is given what was computed."""
        now, policy = self._clock.now(), self._policies.get(CachePolicy)
        kept: JsonObject = {"value": outcome.value}
        try:
            await asyncio.sleep(AFTER_S)
            may_keep = storable([arguments, outcome.value])
            if may_keep:
                self._at_hand.take(key, kept, now + timedelta(seconds=policy.ttl_s))
        finally:
            del self._running[key]
        if may_keep:
            with suppress(StorageError, DataDirectoryError):  # the result is there all the same
                await self._db.cache.put(key, version.id, kept, now, policy.ttl_s)
        else:
            await self._give_up(key)

    async def settle(self) -> None:
        """Wait until every result known by now is written."""
        await self._writing.settle()

    async def _wait_for_turn(self, key: str, version: str) -> JsonObject | None:
        """None once this process may compute, or what another one has computed meanwhile."""
        pause_s, longest_s = LOOK_AGAIN_S
        while True:
            try:
                if await self._db.cache.claim(key, self._clock.now(), CLAIM_S, self._holder):
                    return None
            except StorageError:  # a claim is not worth failing a call
                return None
            while (holder := await self._db.cache.claim_holder(key, self._clock.now())) is not None:
                if is_dead(holder):
                    await self._db.cache.unclaim(key, holder)
                    break
                await asyncio.sleep(pause_s)
                pause_s = min(longest_s, pause_s * 2)
            known = await self._known(key, version)
            if known is not None:
                return known

    async def _give_up(self, key: str) -> None:
        with suppress(StorageError):  # it runs out by itself
            await self._db.cache.unclaim(key)

    async def _known(self, key: str, version: str) -> JsonObject | None:
        if (at_hand := self._close_by(key, version)) is not None:
            return at_hand
        row = await self._db.cache.get(key, self._clock.now())
        if row is None or not isinstance(row.value, dict):
            return self._close_by(key, version)  # of a call that ended while we were looking
        self._db.cache.note(version, hit=True)
        self._at_hand.take(key, row.value, row.expires_at)
        return row.value

    def _close_by(self, key: str, version: str) -> JsonObject | None:
        at_hand = self._at_hand.find(key)
        if not isinstance(at_hand, dict):
            return None
        self._db.cache.note(version, hit=True, key=key)
        return at_hand

    async def stats(self) -> JsonObject:
        """Results kept, hits, misses and the hit rate, in all and by version."""
        await self.settle()
        rows, _ = await self._db.cache.counts()
        uses = await self._db.cache.uses()
        hits, misses = sum(use.hits for use in uses), sum(use.misses for use in uses)
        return {
            "enabled": self._policies.get(CachePolicy).enabled,
            "ttl_s": self._policies.get(CachePolicy).ttl_s,
            "max_rows": self._policies.get(CachePolicy).max_rows,
            "results": rows,
            "hits": hits,
            "misses": misses,
            "hit_rate": round(hits / (hits + misses), 4) if hits + misses else None,
            "by_version": [
                {"version": use.version_id, "hits": use.hits, "misses": use.misses} for use in uses
            ],
        }

    async def clear(self) -> int:
        """Forget every result; how many that were. Other processes keep theirs at hand a while."""
        await self.settle()
        self._at_hand.clear()
        return await self._db.cache.clear()


class RequestMemo:
    """Answers by the exact request, the files given with it, and all that could change them."""

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self._at_hand = RecentValues(clock)

    def key(
        self, user: str, text: str, attachments: Sequence[str], library: int, session_id: str = ""
    ) -> str:
        """Changes with the text, the attachments' hashes, the library's number and the policies,
        and with the variants of the experiments that the session is in.

        The text counts to the letter: two spaces, or another way to write an accent, may be
        what the request is about.
        """
        revisions = f"{library}/{self._policies.revision}{self._policies.mark_of(session_id)}"
        return digest("memo", user, text, revisions, *attachments)

    def solved_key(
        self, user: str, text: str, attachments: Sequence[str], session_id: str = ""
    ) -> str:
        """As `key`, for what solutions gave: other tools and numbers in force do not change it."""
        return digest("solved", user, text, self._policies.mark_of(session_id), *attachments)

    def has(self, key: str) -> bool:
        """Whether the answer is at hand; if not, the database may have it."""
        return self._at_hand.find(key) is not None

    async def find(self, key: str) -> JsonObject | None:
        if not self._policies.get(CachePolicy).enabled:
            return None
        at_hand = self._at_hand.find(key)
        if isinstance(at_hand, str):
            self._db.memo.count_hit(key)
            return json.loads(at_hand)  # one of its own for each: answers are handed out
        row = await self._db.memo.get(key, self._clock.now())
        if row is None or not isinstance(row.value, dict):
            return None
        self._at_hand.take(key, json.dumps(row.value), row.expires_at)
        return row.value

    async def keep(
        self, key: str, version: str, answer: JsonObject, *, solved: bool = False
    ) -> None:
        policy = self._policies.get(CachePolicy)
        ttl_s = policy.solved_ttl_s if solved else policy.memo_ttl_s
        if policy.enabled:
            await self._db.memo.put(key, version, answer, self._clock.now(), ttl_s)

    async def forget(self, version: str) -> None:
        """Forget every answer that a version of a tool gave."""
        self._at_hand.clear()
        await self._db.memo.forget_version(version)

    async def forget_solved(self, key: str) -> None:
        """Forget what solutions gave: a proved tool answers it now."""
        self._at_hand.clear()
        await self._db.memo.drop(key)

    async def replace(self, key: str, version: str, answer: JsonObject) -> None:
        """As `keep`, for a key that may be at hand with an answer that is out of date."""
        await self.keep(key, version, answer)
        policy = self._policies.get(CachePolicy)
        if policy.enabled:
            until = self._clock.now() + timedelta(seconds=policy.memo_ttl_s)
            self._at_hand.take(key, json.dumps(answer), until)
