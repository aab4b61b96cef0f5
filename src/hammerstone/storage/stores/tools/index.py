"""What search keeps of things: their texts and vectors, loaded into memory to be compared."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import NotFound
from hammerstone.storage.access import Access, Store, bump
from hammerstone.storage.schema import entries, vectors

REVISION = "index"

_TEXT = select(entries.c.text, entries.c.tenant).where(entries.c.key == bindparam("which"))
_CHANGED = (
    select(entries.c.key, entries.c.text, vectors.c.vector, vectors.c.revision)
    .join(vectors, vectors.c.key == entries.c.key)
    .where(vectors.c.space == bindparam("where"), vectors.c.revision > bindparam("seen"))
    .order_by(vectors.c.revision)
)


class Index(Store):
    """Entries by key, each with a text and at most one vector in each space."""

    def __init__(self, access: Access) -> None:
        super().__init__(access)
        entry = access.dialect.insert(entries)
        self._put_entry = entry.on_conflict_do_update(
            index_elements=[entries.c.key],
            set_={"tenant": entry.excluded.tenant, "text": entry.excluded.text},
        )
        vector = access.dialect.insert(vectors)
        self._put_vector = vector.on_conflict_do_update(
            index_elements=[vectors.c.space, vectors.c.key],
            set_={"vector": vector.excluded.vector, "revision": vector.excluded.revision},
        )

    async def upsert(
        self,
        key: str,
        space: str,
        vector: Sequence[float] | None,
        text: str,
        tenant: str = "",
        words: Sequence[str] | None = None,
    ) -> int:
        """Make an entry findable; the revision of the index that it made.

        When its text changes, vectors of the old text are dropped. `words` are those by which
        a database that searches finds it.
        """
        async with self._access.writing() as connection:
            number = await bump(connection, REVISION)
            before = (await connection.execute(_TEXT, {"which": key})).first()
            if before is None or tuple(before) != (text, tenant):
                row = {"key": key, "tenant": tenant, "text": text}
                await connection.execute(self._put_entry, row)
                if words is not None:
                    await self._access.dialect.put_words(connection, {key: words})
            if before is not None and before.text != text:
                await connection.execute(delete(vectors).where(vectors.c.key == key))
            if vector is not None:
                await self._set_vector(connection, key, space, vector, number)
        return number

    async def upsert_all(
        self,
        texts: Mapping[str, str],
        space: str,
        known: Mapping[str, Sequence[float]],
        words: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Make many entries findable, each with its vector in `known`, if it has one there."""
        if not texts:
            return
        entry = [{"key": key, "tenant": "", "text": text} for key, text in texts.items()]
        async with self._access.writing() as connection:
            number = await bump(connection, REVISION)
            await connection.execute(delete(vectors).where(vectors.c.key.in_(list(texts))))
            await connection.execute(self._put_entry, entry)
            await self._access.dialect.put_words(connection, words or {})
            rows = [
                {"space": space, "key": key, "vector": known[key], "revision": number}
                for key in texts
                if key in known
            ]
            if rows:
                await connection.execute(self._put_vector, rows)

    async def set_vector(self, key: str, space: str, vector: Sequence[float]) -> None:
        """Add an entry's vector in one more space, for instance a new embedder's."""
        async with self._access.writing() as connection:
            number = await bump(connection, REVISION)
            if (await connection.execute(_TEXT, {"which": key})).first() is None:
                raise NotFound(f"the index has no entry {key}", key=key)
            await self._set_vector(connection, key, space, vector, number)

    async def remove(self, *keys: str) -> int:
        """Take entries out; the revision of the index that this made."""
        async with self._access.writing() as connection:
            number = await bump(connection, REVISION)
            await connection.execute(delete(entries).where(entries.c.key.in_(keys)))
        return number

    async def drop_space(self, space: str) -> int:
        """Delete every vector of a space, once nothing searches it any more."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            gone = await connection.execute(delete(vectors).where(vectors.c.space == space))
        return gone.rowcount

    async def revision(self) -> int:
        """A number that grows with every change of entries or vectors."""
        return await self._revision(REVISION)

    async def changed(
        self, space: str, since: int, prefix: str = ""
    ) -> list[tuple[str, str, NDArray[np.float32], int]]:
        """Key, text, vector and revision of entries whose vector in a space is newer, in order;
        of those whose key begins with `prefix`."""
        statement = _CHANGED
        if prefix:
            statement = statement.where(vectors.c.key.startswith(prefix, autoescape=True))
        rows = await self._rows(statement, {"where": space, "seen": since})
        return [(row.key, row.text, row.vector, row.revision) for row in rows]

    async def missing(self, space: str, limit: int) -> list[tuple[str, str]]:
        """Keys and texts of entries that have no vector in this space yet."""
        present = select(vectors.c.key).where(vectors.c.space == space)
        statement = (
            select(entries.c.key, entries.c.text)
            .where(entries.c.key.not_in(present))
            .order_by(entries.c.key)
            .limit(limit)
        )
        return [(row.key, row.text) for row in await self._rows(statement)]

    async def count(self, prefix: str = "") -> int:
        """How many entries there are whose key begins with `prefix`."""
        statement = select(func.count()).select_from(entries)
        if prefix:
            statement = statement.where(entries.c.key.startswith(prefix, autoescape=True))
        return await self._value(statement)

    async def keys(self, prefix: str) -> list[str]:
        """The keys that begin with `prefix`, in order."""
        statement = (
            select(entries.c.key)
            .where(entries.c.key.startswith(prefix, autoescape=True))
            .order_by(entries.c.key)
        )
        return list(await self._values(statement))

    async def texts(self, prefix: str) -> dict[str, str]:
        """The texts of the entries whose keys begin with `prefix`, by key."""
        statement = select(entries.c.key, entries.c.text).where(
            entries.c.key.startswith(prefix, autoescape=True)
        )
        return {row.key: row.text for row in await self._rows(statement)}

    async def spaces(self) -> dict[str, int]:
        """The vector spaces there are, and how many vectors each holds."""
        statement = select(vectors.c.space, func.count().label("size")).group_by(vectors.c.space)
        return {row.space: row.size for row in await self._rows(statement)}

    async def _set_vector(
        self,
        connection: AsyncConnection,
        key: str,
        space: str,
        vector: Sequence[float],
        number: int,
    ) -> None:
        row = {"space": space, "key": key, "vector": vector, "revision": number}
        await connection.execute(self._put_vector, row)
