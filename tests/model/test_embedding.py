"""The local embedder with its real files: meaning, order, odd texts, and search with it."""

import math
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings, load_settings
from hammerstone.library.policies import Policies
from hammerstone.library.search import Band, ToolSearch
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.ranking import Ranker, Weights
from hammerstone.library.search.request_vectors import tool_vector
from hammerstone.library.search.shipped_vectors import shipped_vectors
from hammerstone.library.search.text.request_text import search_text
from hammerstone.library.tools.seeding import starter_tools
from hammerstone.models.embedding.embedder_opening import why_words_only
from hammerstone.models.embedding.local import LocalEmbedder
from hammerstone.storage import Database
from tests.unit.library.search.conftest import TOOLS, register

pytestmark = pytest.mark.model

# Read before the tests' own surroundings hide this machine's settings.
MODELS = load_settings().models_dir
MISSING = why_words_only(load_settings())


@pytest.fixture
async def embedder() -> AsyncIterator[LocalEmbedder]:
    if MISSING:
        pytest.skip(f"cannot run here: {MISSING}")
    found = LocalEmbedder(MODELS)
    yield found
    await found.close()


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_meaning_is_closer_than_spelling(embedder: LocalEmbedder) -> None:
    car, auto, cat = await embedder.embed(
        [
            "how much does the car cost",
            "what is the price of this automobile",
            "how cute is the cat",
        ]
    )
    assert cosine(car, auto) > cosine(car, cat) + 0.2


async def test_a_text_has_one_vector_alone_or_in_company(embedder: LocalEmbedder) -> None:
    texts = ["short", "a much longer text about the area of a triangle", "", "???", "三角形"]
    together = await embedder.embed(texts * 10)
    for number, text in enumerate(texts):
        fresh = LocalEmbedder(MODELS)
        (alone,) = await fresh.embed([text])
        assert cosine(alone, together[number]) > 0.9999
        assert together[number] == together[number + len(texts)]
    assert all(math.isclose(math.hypot(*vector), 1, rel_tol=1e-5) for vector in together)
    assert all(len(vector) == embedder.dimensions for vector in together)


async def test_a_huge_text_costs_no_more_than_its_beginning(embedder: LocalEmbedder) -> None:
    (huge,) = await embedder.embed(["triangle " * 20_000])
    assert math.isclose(math.hypot(*huge), 1, rel_tol=1e-5)


async def test_search_by_meaning_finds_what_words_do_not(
    embedder: LocalEmbedder, tmp_path: Path
) -> None:
    db = await Database.open_url(f"sqlite:///{tmp_path}/library.db")
    search = ToolSearch(db, embedder, Policies(db))
    for tool in TOOLS:
        await register(db, search, tool)
    hits = await search.find("say this in French please")
    assert hits[0].name == "translate_text"
    good = "What is the area of a triangle with a base of 3 and a height of 4?"
    assert (await search.fit(good, await search.find(good))).band is Band.HIGH
    bad = "Who won the football world cup in 1998?"
    assert (await search.fit(bad, await search.find(bad))).band is Band.LOW
    await search.close()
    await db.close()


async def test_shipped_vectors_are_those_that_the_embedder_makes(embedder: LocalEmbedder) -> None:
    for files in starter_tools()[::8]:
        facets = Facets.of_spec(files.spec)
        shipped = shipped_vectors().find(embedder.space, facets.text)
        assert shipped is not None
        made = await tool_vector(embedder, facets)
        assert np.linalg.norm(made - shipped) < 0.02 * np.linalg.norm(made)


async def test_shipped_vectors_order_tools_as_those_that_the_embedder_makes(
    embedder: LocalEmbedder,
) -> None:
    """What differs in the first five are places of tools that are equally near but for 0.002."""
    made, shipped = Catalog(), Catalog()
    for files in starter_tools():
        facets = Facets.of_spec(files.spec)
        made.put(facets, await tool_vector(embedder, facets))
        shipped.put(facets, shipped_vectors().find(embedder.space, facets.text))
    requests = [search_text(text) for files in starter_tools() for text in files.spec.requests]
    same = 0
    for request in requests:
        vector = np.array((await embedder.embed([request]))[0], np.float32)
        wanted = Ranker(made, Weights()).rank(request, vector, 8)
        found = Ranker(shipped, Weights()).rank(request, vector, 5)
        nearness = {each.name: each.relevance for each in wanted}
        for place, each in enumerate(found):
            assert nearness[each.name] == pytest.approx(wanted[place].relevance, abs=0.002)
        assert found[0].name == wanted[0].name
        same += [each.name for each in found] == [each.name for each in wanted[:5]]
    assert same > 0.9 * len(requests) > 250


async def test_the_first_request_finds_a_starter_tool_though_the_embedder_came_later(
    embedder: LocalEmbedder, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path / "own", starter_tools=True)
    async with Hammerstone.open(settings) as hs:
        assert "missing" in hs.search.words_only
    settings.models_dir.symlink_to(MODELS)
    async with Hammerstone.open(settings) as hs:
        request = "What is 12 percent of 85?"
        hits = await hs.search.find(request)
        assert hits[0].name == "percentage_of"
        assert hits[0].cosine
        assert (await hs.search.fit(request, hits)).band is not Band.LOW
        assert hs.search.words_only == ""
