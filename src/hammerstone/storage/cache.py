"""Remembered results with a time to live: calls of pure tools, and whole requests."""

from collections import Counter
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, func, select, update

from hammerstone.core.errors import DataDirectoryError, StorageError
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.rows import CacheRow
from hammerstone.storage.schema import cache

CALL = "call"
MEMO = "memo"
WRITE_HITS_AFTER = 32


class Cache:
    """One kind of remembered result. Kinds share a table and never see each other.

    Getting only reads: hits are counted here and written down a few dozen at a time, with the
    next `put`, `purge` or `counts`, and on closing. A crash may forget that many hits, no result.
    """

    def __init__(self, access: Access, kind: str, write_hits_after: int = WRITE_HITS_AFTER) -> None:
        self._access = access
        self._kind = kind
        self._write_hits_after = write_hits_after
        self._hits = Counter[str]()
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
        self._put = insert.on_conflict_do_update(
            index_elements=[cache.c.kind, cache.c.key],
            set_={
                "version_id": new.version_id,
                "value": new.value,
                "created_at": new.created_at,
                "expires_at": new.expires_at,
            },
        )

    async def get(self, key: str, now: datetime) -> CacheRow | None:
        """What is remembered under `key` and still valid; counts as a hit."""
        async with self._access.reading() as connection:
            row = (await connection.execute(self._get, {"which": key, "now": now})).first()
        if row is None:
            return None
        self._hits[key] += 1
        hits = row.hits + self._hits[key]
        if self._hits.total() >= self._write_hits_after:
            await self.write_hits()
        return CacheRow(row.key, row.version_id, row.value, row.created_at, row.expires_at, hits)

    async def write_hits(self) -> None:
        """Write down the hits counted so far; if that fails they are kept for the next time."""
        if not self._hits:
            return
        hits, self._hits = self._hits, Counter[str]()
        # Always in the same order, so that two processes cannot wait for each other.
        rows = [{"which": key, "more": more} for key, more in sorted(hits.items())]
        try:
            async with self._access.writing() as connection:
                await connection.execute(self._count, rows)
        except (StorageError, DataDirectoryError):  # a count is not worth failing a request
            self._hits.update(hits)

    async def put(
        self, key: str, tool_version_id: str | None, value: Json, now: datetime, ttl_s: float
    ) -> None:
        row = {
            "kind": self._kind,
            "key": key,
            "version_id": tool_version_id,
            "value": value,
            "created_at": now,
            "expires_at": now + timedelta(seconds=ttl_s),
            "hits": 0,
        }
        async with self._access.writing() as connection:
            await connection.execute(self._put, row)
        await self.write_hits()

    async def delete_version(self, version_id: str) -> int:
        """Forget what a version computed; returns how much that was."""
        statement = delete(cache).where(
            cache.c.kind == self._kind, cache.c.version_id == version_id
        )
        async with self._access.writing() as connection:
            return (await connection.execute(statement)).rowcount

    async def purge(self, now: datetime, max_rows: int) -> int:
        """Forget what has expired, and what expires first beyond `max_rows`."""
        await self.write_hits()
        mine = cache.c.kind == self._kind
        expired = delete(cache).where(mine, cache.c.expires_at <= now)
        kept = (
            select(cache.c.key).where(mine).order_by(cache.c.expires_at.desc(), cache.c.key)
        ).limit(max_rows)
        beyond = delete(cache).where(mine, cache.c.key.not_in(kept))
        async with self._access.writing() as connection:
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
