"""Finding tools: what is found, in which order, by whom, and what happens without an embedder."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.feedback import JudgedUse, UseVerdict
from hammerstone.core.tools import Effect, Status
from hammerstone.library.policies import Policies
from hammerstone.library.search import Band, Filters, PastOutcome, ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from hammerstone.storage.rows import Execution
from tests.unit.library.search.conftest import NOW, TOOLS, register, tool


async def names(search: ToolSearch, query: str, **options: object) -> list[str]:
    return [hit.name for hit in await search.find(query, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("area of a triangle with base 3 and height 4", "triangle_area"),
        ("translating this text into Portuguese", "translate_text"),
        ("which week is the date 2024-03-01 in", "week_of_date"),
        ("triangleArea", "triangle_area"),
        ("sorted rows of tables", "sort_table"),
    ],
)
async def test_the_right_tool_comes_first(search: ToolSearch, query: str, expected: str) -> None:
    hits = await search.find(query, 3)
    assert hits[0].name == expected
    assert hits[0].score > hits[1].score
    assert "relevance" in hits[0].explanation and "words" in hits[0].explanation


async def test_parameters_are_part_of_what_is_found(search: ToolSearch) -> None:
    assert (await names(search, "something with a column"))[0] == "sort_table"


async def test_a_changed_description_is_found_and_the_old_one_is_not(
    db: Database, search: ToolSearch
) -> None:
    changed = tool("loan_payment", "Boil an egg.", amount="number")
    await register(db, search, changed)
    assert (await names(search, "boil an egg"))[0] == "loan_payment"
    (hit,) = [h for h in await search.find("monthly interest") if h.name == "loan_payment"]
    assert hit.words < 0.2


async def test_a_removed_tool_is_gone_here_and_in_another_process(
    db: Database, search: ToolSearch
) -> None:
    other = ToolSearch(db, HashedEmbedder(), Policies(db))
    assert "triangle_area" in await names(other, "triangle")
    await search.remove("triangle_area")
    assert "triangle_area" not in await names(search, "triangle")
    assert "triangle_area" not in await names(other, "triangle")


async def test_what_another_process_adds_is_found(db: Database, search: ToolSearch) -> None:
    other = ToolSearch(db, HashedEmbedder(), Policies(db))
    await names(other, "anything")
    await register(db, search, tool("boil_egg", "Boil an egg."))
    assert (await names(other, "boil an egg"))[0] == "boil_egg"


async def test_filters(db: Database, search: ToolSearch) -> None:
    query = "area of a triangle"
    await register(db, search, tool("triangle_kind", "Kind of a triangle.", Status.EXPERIMENTAL))
    assert "triangle_kind" in await names(search, query)
    verified = Filters(statuses=frozenset({Status.VERIFIED}))
    assert "triangle_kind" not in await names(search, query, filters=verified)
    allowed = Filters(names=frozenset({"week_of_date", "unknown"}))
    assert await names(search, query, filters=allowed) == ["week_of_date"]
    writes = Filters(effects=frozenset({Effect.WRITES}))
    assert await names(search, query, filters=writes) == []
    pure = Filters(effects=frozenset({Effect.PURE}))
    assert (await names(search, query, filters=pure))[0] == "triangle_area"


async def test_a_retired_tool_is_not_found(db: Database, search: ToolSearch) -> None:
    await search.index(replace(TOOLS[0], status=Status.RETIRED))
    assert "triangle_area" not in await names(search, "area of a triangle")


async def test_use_decides_between_equals_and_can_be_switched_off(
    db: Database, search: ToolSearch
) -> None:
    await register(db, search, tool("round_a", "Round a number half to even."))
    await register(db, search, tool("round_b", "Round a number half to even."))
    for number in range(20):
        await db.executions.add(
            Execution(
                id=str(number),
                run_id="r",
                session_id="s",
                number=number,
                tool="round_b",
                version_id="v",
                arguments={},
                result=1,
                ok=True,
                failure=None,
                error="",
                seconds=0.1,
                cached=False,
                sources={},
                at=NOW,
            )
        )
    # Calls without an error say nothing by themselves.
    unjudged = {hit.name: hit.success for hit in await search.find("round a number half to even")}
    assert unjudged["round_b"] == pytest.approx(0.8)
    for number in range(20):
        use = JudgedUse(f"r{number}", "s", "ada", "round_b", "v", UseVerdict.GOOD, NOW)
        await db.feedback.judge(use)
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    first, second = (await search.find("round a number half to even"))[:2]
    assert (first.name, second.name) == ("round_b", "round_a")
    assert first.success is not None and second.success is not None
    assert first.success > second.success == pytest.approx(0.8)
    policies = Policies(db)
    await policies.change("search", {"rerank": False}, who="test", why="to see")
    plain = ToolSearch(db, HashedEmbedder(), policies)
    hits = await plain.find("round a number half to even")
    assert hits[0].success is None
    assert hits[0].score == hits[0].relevance


async def test_words_go_on_when_the_embedder_fails_and_the_reason_is_said(
    db: Database, search: ToolSearch, embedder: HashedEmbedder
) -> None:
    embedder.failure = ModelUnavailable("the endpoint is down")
    hits = await search.find("area of a triangle")
    assert hits[0].name == "triangle_area"
    assert hits[0].cosine is None
    assert search.words_only == "the endpoint is down"
    fit = await search.fit("area of a triangle", hits)
    assert 0 < fit.probability < 1
    embedder.failure = None
    assert (await search.find("area of a triangle"))[0].cosine is not None
    assert search.words_only == ""


async def test_words_only_from_the_start(db: Database, search: ToolSearch) -> None:
    other = ToolSearch(db, None, Policies(db), words_only="files are missing")
    assert (await names(other, "area of a triangle"))[0] == "triangle_area"
    assert other.words_only == "files are missing"
    await register(db, other, tool("boil_egg", "Boil an egg."))
    assert (await names(other, "boil an egg"))[0] == "boil_egg"
    # The one with an embedder finds it by words, and fully after catching up.
    (hit,) = [hit for hit in await search.find("boil an egg") if hit.name == "boil_egg"]
    assert hit.cosine == 0
    assert await search.catch_up() == 1
    assert (await search.find("boil an egg"))[0].cosine


async def test_another_embedder_embeds_anew_and_never_mixes(
    db: Database, search: ToolSearch
) -> None:
    await search.learn("how big is the three-cornered thing", "triangle_area", PastOutcome.ANSWERED)
    second = ToolSearch(db, HashedEmbedder(96, "second"), Policies(db))
    before = await second.find("area of a triangle")
    assert before[0].name == "triangle_area"
    assert {hit.cosine for hit in before} == {0.0}
    assert await second.catch_up() == len(TOOLS) + 1
    assert (await second.find("area of a triangle"))[0].cosine != 0
    assert list(await db.index.spaces()) == ["second@96"]


async def test_catching_up_in_the_background_survives_an_outage(
    db: Database, search: ToolSearch
) -> None:
    embedder = HashedEmbedder(96, "second")
    second = ToolSearch(db, embedder, Policies(db))
    embedder.failure = ModelUnavailable("down")
    second.start_catching_up()
    await asyncio.sleep(0.2)
    assert second.words_only == "down"
    assert "hashed@64" in await db.index.spaces()
    embedder.failure = None
    second.start_catching_up()
    while "hashed@64" in await db.index.spaces():
        await asyncio.sleep(0.02)
    assert (await second.find("area of a triangle"))[0].cosine != 0
    await second.close()


async def test_fit_is_high_for_a_clear_match_and_low_for_none(search: ToolSearch) -> None:
    good = "Compute the area of a triangle with base 3 and height 4"
    fit = await search.fit(good, await search.find(good))
    assert fit.band is not Band.LOW
    assert fit.to_json()["band"] == str(fit.band)
    for query in ("Who painted the ceiling of the chapel?", "zzz qqq"):
        bad = await search.fit(query, await search.find(query))
        assert bad.band is Band.LOW
        assert bad.probability < fit.probability
    nothing = await search.fit("anything", [])
    assert (nothing.probability, nothing.band, nothing.signals) == (0.0, Band.LOW, None)


async def test_the_floor_is_a_policy(db: Database, search: ToolSearch) -> None:
    query = "area of a triangle"
    policies = Policies(db)
    await policies.change("fit", {"retrieval_similarity_threshold": 1.0}, who="test", why="to see")
    strict = ToolSearch(db, HashedEmbedder(), policies)
    hits = await strict.find(query)
    assert not hits[0].considered
    assert "too different in meaning" in hits[0].explanation
    assert (await strict.fit(query, hits)).band is Band.LOW
    lenient = ToolSearch(db, HashedEmbedder(), policies, floor=0.0)
    assert (await lenient.find(query))[0].considered


async def test_searches_and_changes_at_once(search: ToolSearch, db: Database) -> None:
    async def add(number: int) -> None:
        await search.index(tool(f"extra_{number}", f"Extra tool number {number}."))

    await asyncio.gather(
        *(add(number) for number in range(30)), *(search.find("extra tool") for _ in range(30))
    )
    assert len([name for name in await names(search, "extra", limit=50) if "extra" in name]) == 30


async def test_the_first_search_waits_for_tools_that_are_being_embedded(
    db: Database, search: ToolSearch
) -> None:
    class Slow(HashedEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            await asyncio.sleep(0.05)
            return await super().embed(texts)

    second = ToolSearch(db, Slow(dimensions=32), Policies(db))
    second.start_catching_up()
    hits = await second.find("area of a triangle")
    assert hits[0].name == "triangle_area"
    assert hits[0].cosine != 0
    await second.close()


async def test_the_wait_of_the_first_search_ends(
    db: Database, search: ToolSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stuck(HashedEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if len(texts) >= 3:  # views of tools; a request is one text
                await asyncio.Event().wait()
            return await super().embed(texts)

    monkeypatch.setattr("hammerstone.library.search.tool_search.FIRST_WAIT_S", 0.05)
    monkeypatch.setattr("hammerstone.library.search.request_vectors.centre_of", _no_centre)
    second = ToolSearch(db, Stuck(dimensions=32), Policies(db))
    second.start_catching_up()
    hits = await asyncio.wait_for(second.find("area of a triangle"), 20)
    assert (hits[0].name, hits[0].cosine) == ("triangle_area", 0)
    await second.close()


async def _no_centre(embedder: HashedEmbedder) -> Any:
    return np.zeros(embedder.dimensions, np.float32)
