"""A library that counts as large: PostgreSQL finds candidates, and everything is as in memory."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator

import pytest

from hammerstone.core.tools import Status
from hammerstone.library.policies import Policies
from hammerstone.library.search import Filters, PastOutcome, ToolSearch
from hammerstone.library.search.facets import Facets, ParameterFacet
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

NOUNS = ("loan", "triangle", "date", "table", "text", "circle", "tax", "river", "colour", "price")
VERBS = ("compute", "convert", "sort", "translate", "count", "compare", "round", "join")
REQUESTS = (
    "convert the price of a loan with 3 percent",
    "sort the table by colour",
    "count the rivers",
    "what is the area of a triangle with base 3 and height 4",
    "translate this text",
    "zebra",
    "compute compute compute tax for 2024 and 2025",
)


def library() -> list[Facets]:
    made: list[Facets] = []
    for number, noun in enumerate(NOUNS):
        for verb in VERBS:
            takes = (ParameterFacet(noun, "number", True, f"the {noun}"),) * (number % 3)
            asked = (f"please {verb} my {noun} of 7 now",) if verb == "round" else ()
            described = f"{verb.title()} the {noun} of a {NOUNS[number - 1]}."
            made.append(Facets(f"{verb}_{noun}", described, takes, asked))
    return made


@pytest.fixture
async def db(migrated_postgres: str) -> AsyncIterator[Database]:
    database = await Database.open_url(migrated_postgres)
    yield database
    await database.close()


async def large(db: Database, embedder: HashedEmbedder | None = None) -> ToolSearch:
    policies = Policies(db)
    values = {"database_from": 50, "database_candidates": 40}
    await policies.change("search", values, who="test", why="large")
    return ToolSearch(db, embedder, policies)


@pytest.fixture
async def pair(db: Database) -> AsyncIterator[tuple[ToolSearch, ToolSearch]]:
    """The same library searched in memory and by the database."""
    in_memory = ToolSearch(db, HashedEmbedder(), Policies(db))
    for facets in library():
        await in_memory.index_facets(facets)
    by_database = await large(db, HashedEmbedder())
    await by_database.make_index()
    await by_database.find("begin")
    assert by_database.in_database and not in_memory.in_database
    yield in_memory, by_database
    await in_memory.close()
    await by_database.close()


@pytest.mark.parametrize("request_text", REQUESTS)
async def test_hits_scores_and_fit_are_those_of_memory(
    pair: tuple[ToolSearch, ToolSearch], request_text: str
):
    one, other = [await search.find(request_text, 5) for search in pair]
    assert [hit.name for hit in one] == [hit.name for hit in other]
    for mine, its in zip(one, other, strict=True):
        assert mine.score == pytest.approx(its.score, abs=1e-4)
        assert mine.words == pytest.approx(its.words, abs=1e-4)
        assert mine.cosine == pytest.approx(its.cosine, abs=1e-4)
    fits = [await search.fit(request_text, one) for search in pair]
    assert fits[0].probability == pytest.approx(fits[1].probability, abs=1e-3)


async def test_what_was_learned_leads_to_the_same_tool(pair: tuple[ToolSearch, ToolSearch]):
    in_memory, by_database = pair
    for number in range(6):
        request = f"give me the weather of place {number} in words"
        await in_memory.learn(request, "count_river", PastOutcome.CHOSEN)
    await in_memory.settle()
    await by_database.find("anything")  # sees what the other one learned
    await by_database.settle()
    asked = "give me the weather of my place in words"
    found = [[hit.name for hit in await search.find(asked, 3)] for search in pair]
    assert found[0][0] == found[1][0] == "count_river"
    assert await by_database.forget("count_river") == 6
    again = await by_database.find("give me the weather of place 3 in words", 3)
    assert not any(hit.same_wording for hit in again)


async def test_typical_requests_lead(pair: tuple[ToolSearch, ToolSearch]):
    for search in pair:
        (first, *_) = await search.find("please round my tax of 91 now")
        assert first.name == "round_tax" and first.same_wording


async def test_names_that_a_permission_leaves(pair: tuple[ToolSearch, ToolSearch]):
    only = Filters(names=frozenset({"sort_table", "count_river", "none_such"}))
    for search in pair:
        found = [hit.name for hit in await search.find("sort the colour", 5, only)]
        assert set(found) == {"sort_table", "count_river"} and found[0] == "sort_table"
    nothing = Filters(statuses=frozenset({Status.VERIFIED}))  # none of them is registered
    assert await pair[1].find("sort the colour", 5, nothing) == []


async def test_changes_elsewhere_are_seen_at_once(pair: tuple[ToolSearch, ToolSearch]):
    elsewhere, here = pair
    await elsewhere.index_facets(Facets("boil_egg", "Boil an egg for breakfast.", ()))
    assert (await here.find("boil an egg"))[0].name == "boil_egg"
    await elsewhere.index_facets(Facets("boil_egg", "Paint a fence.", ()))
    assert (await here.find("paint a fence"))[0].name == "boil_egg"
    await elsewhere.remove("boil_egg")
    assert "boil_egg" not in [hit.name for hit in await here.find("boil an egg")]
    await here.index_facets(Facets("fry_egg", "Fry an egg in a pan.", ()))
    assert (await elsewhere.find("fry an egg"))[0].name == "fry_egg"


async def test_memory_is_bounded_by_what_was_asked_for(
    pair: tuple[ToolSearch, ToolSearch], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hammerstone.library.search.index.fetched_index.KEPT", 10)
    _, here = pair
    for request in REQUESTS * 2:
        assert await here.find(request)
    assert len(here._index.catalog) <= 10 + 2 * 40


async def test_words_alone_find_tools_where_nothing_is_embedded(db: Database):
    search = await large(db)
    for facets in library():
        await search.index_facets(facets)
    await search.make_index()
    hits = await search.find("sort the table by colour", 3)
    assert search.in_database and "sort" in hits[0].name and hits[0].cosine is None
    await search.close()


async def test_a_library_that_grows_moves_by_itself(db: Database):
    search = await large(db, HashedEmbedder())
    for facets in library():
        await search.index_facets(facets)
    assert await search.find("sort the table")
    async with asyncio.timeout(30):
        while not search.in_database:
            await asyncio.sleep(0.1)
            search._large._look_after = 0.0
            assert await search.find("sort the table")
    await search.close()


WATCHER = """
import asyncio, sys, time
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

async def main():
    db = await Database.open_url(sys.argv[1])
    policies = Policies(db)
    await policies.load()
    search = ToolSearch(db, HashedEmbedder(), policies)
    await search.find("begin")
    print("ready", search.in_database, flush=True)
    while "boil_egg" not in [hit.name for hit in await search.find("boil an egg")]:
        await asyncio.sleep(0.01)
    print(time.time(), flush=True)
    await search.close()
    await db.close()

asyncio.run(main())
"""


async def test_another_process_sees_a_new_tool_within_a_second(
    pair: tuple[ToolSearch, ToolSearch], migrated_postgres: str
):
    watcher = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WATCHER, migrated_postgres, stdout=asyncio.subprocess.PIPE
    )
    assert watcher.stdout is not None
    async with asyncio.timeout(60):
        assert (await watcher.stdout.readline()).split() == [b"ready", b"True"]
        await pair[1].index_facets(Facets("boil_egg", "Boil an egg for breakfast.", ()))
        added = time.time()
        seen = float(await watcher.stdout.readline())
        await watcher.wait()
    assert seen - added < 1.0
