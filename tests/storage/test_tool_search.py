"""Search on both databases: found, filtered, learned, forgotten, by several workers at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from hammerstone.core.tools import Status
from hammerstone.library.policies import Policies
from hammerstone.library.search import Filters, PastOutcome, ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from tests.unit.library.search.conftest import TOOLS, register, tool

ODD = "put the thingumajigs into proper sequence"


@pytest.fixture
async def search(db: Database) -> AsyncIterator[ToolSearch]:
    found = ToolSearch(db, HashedEmbedder(), Policies(db))
    for each in TOOLS:
        await register(db, found, each)
    yield found
    await found.close()


async def names(search: ToolSearch, query: str, **options: object) -> list[str]:
    return [hit.name for hit in await search.find(query, **options)]  # type: ignore[arg-type]


async def test_tools_are_found_and_judged(search: ToolSearch) -> None:
    query = "Compute the area of a triangle with base 3 and height 4"
    hits = await search.find(query)
    assert hits[0].name == "triangle_area"
    assert (await search.fit(query, hits)).probability > 0.5
    for syntax in ("'; DROP TABLE entries; --", "a & b | !c:*", "%", "NEAR(x y)"):
        await search.find(syntax)
    assert (await names(search, query))[0] == "triangle_area"


async def test_filters_look_past_what_they_keep_out(db: Database, search: ToolSearch) -> None:
    for number in range(60):
        each = tool(f"area_{number:02}", "Area of a triangle.", Status.EXPERIMENTAL)
        await register(db, search, each)
    verified = Filters(statuses=frozenset({Status.VERIFIED}))
    found = await names(search, "area of a triangle", filters=verified)
    assert found[0] == "triangle_area"
    assert set(found) == {each.name for each in TOOLS}


async def test_learning_is_seen_by_another_worker_and_forgotten_everywhere(
    db: Database, search: ToolSearch
) -> None:
    other = ToolSearch(db, HashedEmbedder(), Policies(db))
    before = {hit.name: hit.relevance for hit in await other.find(ODD, 10)}
    for number in range(4):
        await search.learn(f"{ODD} {number}", "sort_table", PastOutcome.CHOSEN)
    await other.find(ODD)
    await other.settle()
    assert (await names(other, ODD))[0] == "sort_table"
    assert await search.forget("sort_table") == 4
    await other.find(ODD)
    await other.settle()
    assert {hit.name: hit.relevance for hit in await other.find(ODD, 10)} == before
    await other.close()


async def test_two_workers_that_register_at_once_agree(db: Database) -> None:
    workers = [ToolSearch(db, HashedEmbedder(), Policies(db)) for _ in range(3)]

    async def work(number: int, worker: ToolSearch) -> None:
        for step in range(8):
            same = tool("shared", f"Shared tool as worker {number} sees it in step {step}.")
            await worker.index(same)
            await worker.index(tool(f"own_{number}_{step}", f"Tool {number} {step}."))
            await worker.find("shared tool")

    await asyncio.gather(*(work(number, worker) for number, worker in enumerate(workers)))
    text = dict(await db.index.missing("no such space", 99)).get("tool/shared")
    fresh = ToolSearch(db, HashedEmbedder(), Policies(db))
    query = "shared tool as worker sees it"
    expected = [(hit.name, hit.relevance) for hit in await fresh.find(query, 50)]
    assert len(expected) == 1 + 3 * 8
    assert text is not None
    for worker in workers:
        seen = [(hit.name, hit.relevance) for hit in await worker.find(query, 50)]
        assert [name for name, _ in seen] == [name for name, _ in expected]
        for (_, one), (_, two) in zip(seen, expected, strict=True):
            assert one == pytest.approx(two, abs=1e-5)
