"""Documents that people added: files, their chunks, the chunks' vectors, questions answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, func, insert, select, update

from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Store, bump
from hammerstone.storage.schema import (
    answered_questions,
    chunk_vectors,
    document_chunks,
    documents,
)

REVISION = "documents"
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A file or page that was added. `id` is 0 until it is stored."""

    tenant: str
    source: str
    path: str
    title: str
    kind: str
    state: str
    note: str
    digest: str
    bytes: int
    modified_ns: int
    chunks: int
    at: datetime
    id: int = 0

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "source": self.source,
            "file": self.path,
            "title": self.title,
            "kind": self.kind,
            "state": self.state,
            "note": self.note,
            "bytes": self.bytes,
            "pieces": self.chunks,
            "shared": not self.tenant,
            "at": self.at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A part of a document that is searched and quoted. `id` is 0 until it is stored."""

    number: int
    section: str
    text: str
    first_line: int
    page: int = 0
    tabular: bool = False
    id: int = 0
    document_id: int = 0


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question that a chunk answered before."""

    id: int
    chunk_id: int
    question: str


_DOCUMENT = tuple(field.name for field in fields(DocumentRow))
_CHUNK = tuple(field.name for field in fields(ChunkRow))


class DocumentStore(Store):
    """Whoever changes documents moves the revision, by which searches notice it."""

    async def put(self, document: DocumentRow, chunks: Sequence[ChunkRow]) -> list[int]:
        """Store a document in place of what its path held; the ids of its chunks, in order."""
        row = {name: getattr(document, name) for name in _DOCUMENT if name != "id"}
        old = delete(documents).where(
            documents.c.tenant == document.tenant,
            documents.c.source == document.source,
            documents.c.path == document.path,
        )
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            await connection.execute(old)
            added = insert(documents).returning(documents.c.id)
            number = (await connection.execute(added, row)).scalar_one()
            if not chunks:
                return []
            rows = [_chunk_values(chunk, number) for chunk in chunks]
            await connection.execute(insert(document_chunks), rows)
            stored = await connection.execute(
                select(document_chunks.c.id)
                .where(document_chunks.c.document_id == number)
                .order_by(document_chunks.c.number)
            )
            return list(stored.scalars())

    async def touch(self, id: int, modified_ns: int) -> None:
        """Note that a file's time changed and its content did not."""
        statement = update(documents).where(documents.c.id == id).values(modified_ns=modified_ns)
        await self._write(statement)

    async def remove(self, ids: Sequence[int]) -> int:
        """Forget documents with all that was made of them; how many there were."""
        if not ids:
            return 0
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            gone = await connection.execute(delete(documents).where(documents.c.id.in_(ids)))
        return gone.rowcount

    async def list(self, tenants: Sequence[str], source: str | None = None) -> list[DocumentRow]:
        """The documents of these tenants, by source and path."""
        statement = (
            select(documents)
            .where(documents.c.tenant.in_(tenants))
            .order_by(documents.c.source, documents.c.path, documents.c.tenant)
        )
        if source is not None:
            statement = statement.where(documents.c.source == source)
        rows = await self._mappings(statement)
        return [DocumentRow(**row) for row in rows]

    async def find(self, id: int) -> DocumentRow | None:
        row = await self._mapping(select(documents).where(documents.c.id == id))
        return DocumentRow(**row) if row else None

    async def get(self, ids: Sequence[int]) -> dict[int, DocumentRow]:
        """Documents by id; those that are gone are missing."""
        statement = select(documents).where(documents.c.id.in_(ids))
        rows = await self._mappings(statement)
        return {row["id"]: DocumentRow(**row) for row in rows}

    async def called(self, tenants: Sequence[str], name: str) -> "list[DocumentRow]":
        """The documents whose file has this name, in whatever folder."""
        same = documents.c.path == name
        inside = documents.c.path.endswith(f"/{name}", autoescape=True)
        statement = select(documents).where(documents.c.tenant.in_(tenants), same | inside)
        rows = await self._mappings(statement)
        return [DocumentRow(**row) for row in rows]

    async def count(self) -> int:
        """How many documents there are, of everybody."""
        return await self._value(select(func.count()).select_from(documents))

    async def chunks_of(self, document_id: int) -> "list[ChunkRow]":
        statement = (
            select(document_chunks)
            .where(document_chunks.c.document_id == document_id)
            .order_by(document_chunks.c.number)
        )
        rows = await self._mappings(statement)
        return [ChunkRow(**row) for row in rows]

    async def chunks_after(
        self, tenants: Sequence[str], after: int, limit: int
    ) -> "list[ChunkRow]":
        """Chunks with a higher id, in the order of their ids."""
        statement = (
            select(document_chunks)
            .join(documents, documents.c.id == document_chunks.c.document_id)
            .where(document_chunks.c.id > after, documents.c.tenant.in_(tenants))
            .order_by(document_chunks.c.id)
            .limit(limit)
        )
        rows = await self._mappings(statement)
        return [ChunkRow(**row) for row in rows]

    async def get_chunks(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """Chunks by id; those that are gone are missing."""
        statement = select(document_chunks).where(document_chunks.c.id.in_(ids))
        rows = await self._mappings(statement)
        return {row["id"]: ChunkRow(**row) for row in rows}

    async def chunk_ids(self, tenants: Sequence[str]) -> set[int]:
        """The ids of all chunks there are now."""
        statement = (
            select(document_chunks.c.id)
            .join(documents, documents.c.id == document_chunks.c.document_id)
            .where(documents.c.tenant.in_(tenants))
        )
        return set(await self._values(statement))

    async def unembedded(self, space: str, limit: int) -> "list[ChunkRow]":
        """Chunks that have no vectors in this space yet."""
        present = select(chunk_vectors.c.chunk_id).where(
            chunk_vectors.c.space == space, chunk_vectors.c.part == 0
        )
        statement = (
            select(document_chunks)
            .where(document_chunks.c.id.not_in(present))
            .order_by(document_chunks.c.id)
            .limit(limit)
        )
        rows = await self._mappings(statement)
        return [ChunkRow(**row) for row in rows]

    async def put_vectors(self, space: str, vectors: Mapping[int, Sequence[Floats]]) -> None:
        """Keep the vectors of chunks, part by part; of those that are gone nothing is kept."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            present = select(document_chunks.c.id).where(document_chunks.c.id.in_(vectors))
            alive = set((await connection.execute(present)).scalars())
            rows = [
                {"space": space, "chunk_id": id, "part": part, "vector": vector}
                for id, parts in vectors.items()
                if id in alive
                for part, vector in enumerate(parts)
            ]
            await connection.execute(
                delete(chunk_vectors).where(
                    chunk_vectors.c.space == space, chunk_vectors.c.chunk_id.in_(alive)
                )
            )
            if rows:
                await connection.execute(insert(chunk_vectors), rows)

    async def whole_vectors(self, space: str, after: int, upto: int) -> dict[int, Floats]:
        """The vectors of whole chunks with ids above `after` and up to another."""
        statement = select(chunk_vectors.c.chunk_id, chunk_vectors.c.vector).where(
            chunk_vectors.c.space == space,
            chunk_vectors.c.part == 0,
            chunk_vectors.c.chunk_id > after,
            chunk_vectors.c.chunk_id <= upto,
        )
        return {row.chunk_id: row.vector for row in await self._rows(statement)}

    async def part_vectors(self, space: str, chunks: Sequence[int]) -> "dict[int, list[Floats]]":
        """The vectors of the sentences of some chunks, in order."""
        statement = (
            select(chunk_vectors.c.chunk_id, chunk_vectors.c.vector)
            .where(
                chunk_vectors.c.space == space,
                chunk_vectors.c.part > 0,
                chunk_vectors.c.chunk_id.in_(chunks),
            )
            .order_by(chunk_vectors.c.chunk_id, chunk_vectors.c.part)
        )
        found: dict[int, list[Floats]] = {}
        async with self._access.reading() as connection:
            for row in await connection.execute(statement):
                found.setdefault(row.chunk_id, []).append(row.vector)
        return found

    async def note_answer(self, tenant: str, chunk_id: int, question: str) -> None:
        """Remember that a chunk answered a question; one that is gone is passed over."""
        row = {
            "tenant": tenant,
            "chunk_id": chunk_id,
            "question": question,
            "at": self._access.clock.now(),
        }
        async with self._access.writing() as connection:
            there = select(document_chunks.c.id).where(document_chunks.c.id == chunk_id)
            if (await connection.execute(there)).first() is not None:
                await bump(connection, REVISION)
                await connection.execute(insert(answered_questions), row)

    async def answered(self, tenant: str, limit: int) -> "list[AnsweredQuestion]":
        """The questions of a tenant that chunks answered, newest first."""
        statement = (
            select(
                answered_questions.c.id,
                answered_questions.c.chunk_id,
                answered_questions.c.question,
            )
            .where(answered_questions.c.tenant == tenant)
            .order_by(answered_questions.c.id.desc())
            .limit(limit)
        )
        rows = await self._mappings(statement)
        return [AnsweredQuestion(**row) for row in rows]

    async def revision(self) -> int:
        """A number that grows with every change of documents, vectors or answered questions."""
        return await self._revision(REVISION)


def _chunk_values(chunk: ChunkRow, document_id: int) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(chunk, name) for name in _CHUNK if name != "id"}
    return values | {"document_id": document_id}
