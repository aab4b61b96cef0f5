"""Two caches: results of calls to pure tools, and answers to whole requests."""

from collections.abc import Sequence

from hammerstone.core.clock import Clock
from hammerstone.core.hashing import call_key, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Effect, Version
from hammerstone.library.policies import CachePolicy, Policies
from hammerstone.storage import Database


class CallCache:
    """Results by tool version and canonical arguments; only for tools without effects."""

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock

    def _usable(self, version: Version) -> bool:
        return version.spec.effect is Effect.PURE and self._policies.get(CachePolicy).enabled

    async def find(self, version: Version, arguments: JsonObject) -> JsonObject | None:
        """`{"value": wire form}` of an earlier call, if there was one and it still counts."""
        if not self._usable(version):
            return None
        row = await self._db.cache.get(call_key(version.id, arguments), self._clock.now())
        return row.value if row is not None and isinstance(row.value, dict) else None

    async def keep(self, version: Version, arguments: JsonObject, value: Json) -> None:
        if self._usable(version):
            await self._db.cache.put(
                call_key(version.id, arguments),
                version.id,
                {"value": value},
                self._clock.now(),
                self._policies.get(CachePolicy).ttl_s,
            )


class RequestMemo:
    """Answers by the exact request, the files given with it, and all that could change them."""

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock

    async def key(self, user: str, text: str, attachments: Sequence[str]) -> str:
        """Changes with the text, the attachments' hashes, the library and the policies.

        The text counts to the letter: two spaces, or another way to write an accent, may be
        what the request is about.
        """
        library = await self._db.tools.revision()
        revisions = f"{library}/{self._policies.revision}"
        return digest("memo", user, text, revisions, *attachments)

    async def find(self, key: str) -> JsonObject | None:
        if not self._policies.get(CachePolicy).enabled:
            return None
        row = await self._db.memo.get(key, self._clock.now())
        return row.value if row is not None and isinstance(row.value, dict) else None

    async def keep(self, key: str, version: str, answer: JsonObject) -> None:
        policy = self._policies.get(CachePolicy)
        if policy.enabled:
            await self._db.memo.put(key, version, answer, self._clock.now(), policy.memo_ttl_s)
