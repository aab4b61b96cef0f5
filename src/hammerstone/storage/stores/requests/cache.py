"""Remembered results with a time to live: calls of pure tools, and whole requests."""

import json
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from sqlalchemy import Delete, Text, bindparam, cast, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import DataDirectoryError, StorageError
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, Store
from hammerstone.storage.rows import CacheRow, CacheUse
from hammerstone.storage.schema import cache, cache_uses

CALL = "call"
MEMO = "memo"
WRITE_HITS_AFTER = 32


class Cache(Store):
    """One kind of remembered result. Kinds share a table and never see each other.

    Getting only reads: hits are counted here and written down a few dozen at a time, with the
    next `put`, `purge` or `counts`, and on closing. A crash may forget that many hits, no result.
    """

    def __init__(self, access: Access, kind: str, write_hits_after: int = WRITE_HITS_AFTER) -> None:
        super().__init__(access)
        self._kind = kind
        self._write_hits_after = write_hits_after
        self._hits = Counter[str]()
        self._used = Counter[tuple[str, bool]]()
        mine = cache.c.kind == kind
        self._get = select(cache).where(
            mine, cache.c.key == bindparam("which"), cache.c.expires_at > bindparam("now")
        )
        self._count = (
            update(cache)
            .where(mine, cache.c.key == bindparam("which"))
            .values(hits=cache.c.hits + bindparam("more"))
        )
        insert = access.dialect.insert(cache)
        new = insert.excluded
        fresh = {
            "version_id": new.version_id,
            "value": new.value,
            "created_at": new.created_at,
            "expires_at": new.expires_at,
        }
        key = [cache.c.kind, cache.c.key]
        self._put = insert.on_conflict_do_update(index_elements=key, set_=fresh)
        self._claim = insert.on_conflict_do_update(
            index_elements=key, set_=fresh, where=cache.c.expires_at <= new.created_at
        ).returning(cache.c.key)
        use = access.dialect.insert(cache_uses)
        self._use = use.on_conflict_do_update(
            index_elements=[cache_uses.c.kind, cache_uses.c.version_id],
            set_={
                "hits": cache_uses.c.hits + use.excluded.hits,
                "misses": cache_uses.c.misses + use.excluded.misses,
            },
        )

    async def get(self, key: str, now: datetime) -> CacheRow | None:
        """What is remembered under `key` and still valid; counts as a hit."""
        row = await self._row(self._get, {"which": key, "now": now})
        if row is None:
            return None
        self._hits[key] += 1
        hits = row.hits + self._hits[key]
        if self._hits.total() >= self._write_hits_after:
            await self.write_hits()
        return CacheRow(row.key, row.version_id, row.value, row.created_at, row.expires_at, hits)

    def note(self, version_id: str, *, hit: bool, key: str | None = None) -> None:
        """Count a hit or a miss of a version; `key` when the hit never came to `get`."""
        self._used[version_id, hit] += 1
        if key is not None:
            self.count_hit(key)

    def count_hit(self, key: str) -> None:
        """Count a hit that never came to `get`."""
        self._hits[key] += 1

    async def write_hits(self) -> None:
        """Write down the hits counted so far; if that fails they are kept for the next time."""
        if self._hits or self._used:
            with suppress(StorageError, DataDirectoryError):  # not worth failing a request
                async with self._counted():
                    pass

    @asynccontextmanager
    async def _counted(self) -> AsyncGenerator[AsyncConnection, None]:
        """A transaction that also writes down the hits counted so far."""
        hits, self._hits = self._hits, Counter[str]()
        used, self._used = self._used, Counter[tuple[str, bool]]()
        # Always in the same order, so that two processes cannot wait for each other.
        rows = [{"which": key, "more": more} for key, more in sorted(hits.items())]
        uses = [
            {
                "kind": self._kind,
                "version_id": version,
                "hits": used[version, True],
                "misses": used[version, False],
            }
            for version in sorted({version for version, _ in used})
        ]
        try:
            async with self._access.writing() as connection:
                yield connection
                if rows:
                    await connection.execute(self._count, rows)
                if uses:
                    await connection.execute(self._use, uses)
        except BaseException:
            self._hits.update(hits)
            self._used.update(used)
            raise

    async def put(
        self, key: str, tool_version_id: str | None, value: Json, now: datetime, ttl_s: float
    ) -> None:
        row = self._new_row(self._kind, key, tool_version_id, value, now, ttl_s)
        async with self._counted() as connection:
            await connection.execute(self._put, row)
            await connection.execute(self._unclaim(key))

    async def claim(self, key: str, now: datetime, ttl_s: float, holder: str = "") -> bool:
        """Whether the holder may compute what is missing under `key`; others wait meanwhile.

        Not when somebody computes it, nor when it has just been put there. The claim ends with
        `put`, with `unclaim`, or by itself after so many seconds.
        """
        row = self._new_row(self._claims, key, None, holder, now, ttl_s)
        async with self._access.writing() as connection:
            if (await connection.execute(self._claim, row)).first() is None:
                return False
            # Only now: whoever ended a claim before this one has put what it computed.
            known = await connection.execute(self._get, {"which": key, "now": now})
            if known.first() is None:
                return True
            await connection.execute(self._unclaim(key))
            return False

    async def claim_holder(self, key: str, now: datetime) -> str | None:
        """Who is computing what belongs under `key`; empty where they left no name."""
        statement = select(cache.c.value).where(
            cache.c.kind == self._claims, cache.c.key == key, cache.c.expires_at > now
        )
        row = await self._row(statement)
        return None if row is None else str(row.value or "")

    async def unclaim(self, key: str, holder: str | None = None) -> None:
        """Give up a claim without a result, or only one of this holder."""
        claim = self._unclaim(key)
        await self._write(
            claim
            if holder is None
            else claim.where(cast(cache.c.value, Text) == json.dumps(holder))
        )

    def _unclaim(self, key: str) -> Delete:
        return delete(cache).where(cache.c.kind == self._claims, cache.c.key == key)

    @property
    def _claims(self) -> str:
        return f"{self._kind} claim"

    def _new_row(
        self, kind: str, key: str, version: str | None, value: Json, now: datetime, ttl_s: float
    ) -> dict[str, object]:
        return {
            "kind": kind,
            "key": key,
            "version_id": version,
            "value": value,
            "created_at": now,
            "expires_at": now + timedelta(seconds=ttl_s),
            "hits": 0,
        }

    async def clear(self) -> int:
        """Forget every result of this kind; returns how many that were."""
        async with self._access.writing() as connection:
            return (
                await connection.execute(delete(cache).where(cache.c.kind == self._kind))
            ).rowcount

    async def forget_version(self, version_id: str) -> int:
        """Forget every result of one version; returns how many that were."""
        mine = delete(cache).where(cache.c.kind == self._kind, cache.c.version_id == version_id)
        return await self._write(mine)

    async def drop(self, key: str) -> None:
        """Forget what is under a key."""
        mine = delete(cache).where(cache.c.kind == self._kind, cache.c.key == key)
        await self._write(mine)

    async def purge(self, now: datetime, max_rows: int) -> int:
        """Forget what has expired, and what expires first beyond `max_rows`."""
        await self.write_hits()
        mine = cache.c.kind == self._kind
        expired = delete(cache).where(mine, cache.c.expires_at <= now)
        left = delete(cache).where(cache.c.kind == self._claims, cache.c.expires_at <= now)
        kept = (
            select(cache.c.key).where(mine).order_by(cache.c.expires_at.desc(), cache.c.key)
        ).limit(max_rows)
        beyond = delete(cache).where(mine, cache.c.key.not_in(kept))
        async with self._access.writing() as connection:
            await connection.execute(left)
            gone = (await connection.execute(expired)).rowcount
            return gone + (await connection.execute(beyond)).rowcount

    async def counts(self) -> tuple[int, int]:
        """How many results are remembered, and how often one of them was used."""
        await self.write_hits()
        statement = select(func.count(), func.coalesce(func.sum(cache.c.hits), 0)).where(
            cache.c.kind == self._kind
        )
        async with self._access.reading() as connection:
            rows, hits = (await connection.execute(statement)).one()
        return int(rows), int(hits)

    async def uses(self) -> list[CacheUse]:
        """Hits and misses of every version since the beginning, most hits first."""
        await self.write_hits()
        statement = (
            select(cache_uses.c.version_id, cache_uses.c.hits, cache_uses.c.misses)
            .where(cache_uses.c.kind == self._kind)
            .order_by(cache_uses.c.hits.desc(), cache_uses.c.version_id)
        )
        rows = await self._rows(statement)
        return [CacheUse(row.version_id, int(row.hits), int(row.misses)) for row in rows]
