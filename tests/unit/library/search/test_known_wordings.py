"""Words that one tool has answered several times are not searched for until something changes."""

from typing import Any

import pytest

from hammerstone.library.policies import Policies
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from tests.unit.library.search.conftest import tool

SAID = "give me the whatsit of {} for 'gizmo'"
AGAIN = SAID.format(99)


async def answered(search: ToolSearch, times: int = 3, name: str = "sort_table") -> None:
    for number in range(times):
        await search.learn(SAID.format(number), name, PastOutcome.ANSWERED)


async def looked(search: ToolSearch, query: str = AGAIN, tenant: str = "") -> None:
    """As a request does: what is not known is searched for and kept."""
    if await search.found_before(query, tenant) is None:
        hits = await search.find(query, tenant=tenant)
        search.keep_found(query, tenant, hits, await search.fit(query, hits, tenant))


async def found(search: ToolSearch, query: str = AGAIN, tenant: str = "") -> list[str] | None:
    known = await search.found_before(query, tenant)
    return [hit.name for hit in known.hits] if known else None


async def test_known_words_give_what_was_found_for_them(search: ToolSearch) -> None:
    await answered(search)
    assert await found(search) is None  # nothing was looked for yet
    await looked(search)
    hits = await search.find(AGAIN)
    known = await search.found_before(SAID.format(7))
    assert known is not None
    assert [hit.name for hit in known.hits] == [hit.name for hit in hits]
    assert known.hits[0].name == "sort_table" and known.hits[0].same_wording
    assert known.fit == await search.fit(AGAIN, hits)
    assert known.weights == search.weights_in_force


@pytest.mark.parametrize(("times", "known"), [(2, False), (3, True)])
async def test_words_are_known_after_three_answers(
    search: ToolSearch, times: int, known: bool
) -> None:
    await answered(search, times)
    await looked(search)
    assert (await found(search) is not None) is known


@pytest.mark.parametrize(("after", "known"), [(0, False), (1, True), (2, False)])
async def test_a_number_of_the_policy_says_after_how_many(
    db: Database, search: ToolSearch, after: int, known: bool
) -> None:
    policies = Policies(db)
    await policies.change("search", {"known_after": after}, who="test", why="other")
    other = ToolSearch(db, HashedEmbedder(), policies)
    await answered(other, 1)
    await looked(other)
    assert (await found(other) is not None) is known
    await other.close()


@pytest.mark.parametrize(
    "query",
    [
        "give me the whatsit of 99 and 98 for 'gizmo'",  # more values
        "give me the whatsit of 99",
        "give me the gadget of 99 for 'gizmo'",
    ],
)
async def test_other_words_or_more_values_are_searched_for(search: ToolSearch, query: str) -> None:
    await answered(search)
    await looked(search)
    assert await found(search, query) is None


async def test_another_person_is_not_told(search: ToolSearch) -> None:
    await answered(search)
    await looked(search)
    assert await found(search, tenant="ada") is None


async def _wrong(search: ToolSearch) -> None:
    await search.learn(SAID.format(1), "sort_table", PastOutcome.WRONG)


async def _two(search: ToolSearch) -> None:
    await search.learn(SAID.format(1), "week_of_date", PastOutcome.ANSWERED)


async def _forgotten(search: ToolSearch) -> None:
    await search.forget("sort_table")


async def _new_tool(search: ToolSearch) -> None:
    await search.index(tool("add_days", "Add days to a date.", date="string"))


async def _changed_tool(search: ToolSearch) -> None:
    await search.index(tool("loan_payment", "What a loan costs in all.", amount="number"))


async def _gone(search: ToolSearch) -> None:
    await search.remove("sort_table")


async def _other_gone(search: ToolSearch) -> None:
    await search.remove("week_of_date")


@pytest.mark.parametrize(
    "change", [_wrong, _two, _forgotten, _new_tool, _changed_tool, _gone, _other_gone]
)
async def test_what_changes_the_finding_ends_it(search: ToolSearch, change: Any) -> None:
    await answered(search)
    await looked(search)
    assert await found(search) is not None
    await change(search)
    assert await found(search) is None


async def test_another_number_of_a_policy_ends_it(db: Database, search: ToolSearch) -> None:
    policies = Policies(db)
    await policies.load()
    own = ToolSearch(db, HashedEmbedder(), policies)
    await answered(own)
    await looked(own)
    assert await found(own) is not None
    await policies.change("fit", {"high": 0.9}, who="test", why="other")
    assert await found(own) is None
    await own.close()


async def test_another_process_s_change_ends_it(db: Database, search: ToolSearch) -> None:
    await answered(search)
    await looked(search)
    elsewhere = ToolSearch(db, HashedEmbedder(), Policies(db))
    await elsewhere.find(AGAIN)
    await elsewhere.learn(SAID.format(1), "week_of_date", PastOutcome.CHOSEN)
    assert await found(search) is None
    await elsewhere.close()


async def test_what_was_found_by_words_alone_is_not_kept(db: Database, search: ToolSearch) -> None:
    await answered(search)
    hits = await search.find(AGAIN)
    fit = await search.fit(AGAIN, hits)
    search._vectors.missing = "no model file"
    search.keep_found(AGAIN, "", hits, fit)
    search._vectors.missing = ""
    assert await found(search) is None


async def test_what_the_words_do_not_lead_to_is_not_kept(search: ToolSearch) -> None:
    await answered(search)
    hits = [hit for hit in await search.find(AGAIN) if hit.name != "sort_table"]
    search.keep_found(AGAIN, "", hits, await search.fit(AGAIN, hits))
    assert await found(search) is None


async def test_known_words_are_not_embedded_beforehand(search: ToolSearch) -> None:
    await answered(search)
    search.expect(AGAIN)
    (coming,) = search._vectors._coming.values()
    await coming
    await looked(search)
    search.expect(SAID.format(5))
    assert search._vectors._coming == {}
