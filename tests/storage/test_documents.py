"""Documents, chunks, vectors and answered questions, on both databases."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from hammerstone.storage import Database
from hammerstone.storage.stores.library.documents import ChunkRow, DocumentRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROW = DocumentRow(
    tenant="",
    source="/docs",
    path="a.md",
    title="A\x00é",
    kind="markdown",
    state="read",
    note="",
    digest="d",
    bytes=3 << 32,
    modified_ns=1_800_000_000_000_000_000,
    chunks=2,
    at=NOW,
)
CHUNKS = [ChunkRow(0, "A", "one \x00", 1), ChunkRow(1, "A > B", "two", 7, 2, True)]


async def test_a_document_is_replaced_with_all_that_was_made_of_it(db: Database) -> None:
    store = db.documents
    ids = await store.put(ROW, CHUNKS)
    before = await store.revision()
    await store.put_vectors("s", {ids[0]: [np.ones(3, np.float32)] * 2, ids[1]: [np.ones(3)]})
    await store.note_answer("ada", ids[0], "what?")
    (kept,) = await store.list([""])
    assert replace(kept, id=0) == ROW
    assert [c.text for c in await store.chunks_of(kept.id)] == ["one \x00", "two"]
    assert (await store.get_chunks([ids[1]]))[ids[1]].tabular
    assert len((await store.part_vectors("s", ids))[ids[0]]) == 1
    assert set(await store.whole_vectors("s", 0, ids[1])) == set(ids)
    assert [one.question for one in await store.answered("ada", 5)] == ["what?"]
    assert await store.answered("bob", 5) == []
    new = await store.put(replace(ROW, digest="e"), CHUNKS[:1])
    assert await store.revision() > before
    assert await store.chunk_ids([""]) == set(new)
    assert await store.answered("ada", 5) == []
    assert await store.whole_vectors("s", 0, 1 << 40) == {}
    await store.put_vectors("s", {ids[0]: [np.ones(3)]})  # of a chunk that is gone
    await store.note_answer("ada", ids[0], "gone?")
    assert await store.answered("ada", 5) == []


async def test_tenants_and_removal(db: Database) -> None:
    store = db.documents
    await store.put(ROW, CHUNKS)
    (mine,) = await store.put(replace(ROW, tenant="ada", path="b.md"), CHUNKS[:1])
    assert [row.path for row in await store.list(["", "ada"])] == ["a.md", "b.md"]
    assert await store.chunk_ids(["ada"]) == {mine}
    assert [row.text for row in await store.chunks_after(["ada"], 0, 9)] == ["one \x00"]
    assert len(await store.unembedded("s", 9)) == 3
    (row,) = await store.list(["ada"], "/docs")
    await store.touch(row.id, 5)
    found = await store.find(row.id)
    assert found is not None and found.modified_ns == 5
    assert await store.remove([row.id]) == 1
    assert await store.find(row.id) is None and await store.count() == 1
    assert await store.remove([]) == 0
