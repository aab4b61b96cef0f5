"""Learning to find: what use teaches, for whom, how much, and how it is undone."""

from hammerstone.library.policies import Policies
from hammerstone.library.search import Band, PastOutcome, ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from tests.unit.library.search.conftest import TOOLS

ODD = "put the thingumajigs into proper sequence"


async def place(search: ToolSearch, name: str, query: str = ODD, tenant: str = "") -> int:
    hits = await search.find(query, 10, tenant=tenant)
    return [hit.name for hit in hits].index(name)


async def relevance(search: ToolSearch, name: str, tenant: str = "") -> float:
    hits = await search.find(ODD, 10, tenant=tenant)
    return next(hit.relevance for hit in hits if hit.name == name)


async def test_a_request_that_a_tool_answered_leads_to_it(search: ToolSearch) -> None:
    before = await relevance(search, "sort_table")
    await search.learn(ODD, "sort_table", PastOutcome.ANSWERED)
    await search.settle()
    assert await relevance(search, "sort_table") > before
    for number in range(5):
        await search.learn(f"{ODD} number {number}", "sort_table", PastOutcome.ANSWERED)
    await search.settle()
    assert await place(search, "sort_table") == 0
    hits = await search.find(ODD)
    assert hits[0].learned > 0
    assert "past requests +" in hits[0].explanation


async def test_what_a_person_chose_counts_more_than_a_success(search: ToolSearch) -> None:
    await search.learn(ODD, "week_of_date", PastOutcome.ANSWERED)
    await search.settle()
    answered = await relevance(search, "week_of_date")
    await search.forget("week_of_date")
    await search.learn(ODD, "week_of_date", PastOutcome.CHOSEN)
    await search.settle()
    assert await relevance(search, "week_of_date") > answered


async def test_a_wrong_pick_is_pushed_away(search: ToolSearch) -> None:
    first = (await search.find(ODD))[0]
    await search.learn(ODD, first.name, PastOutcome.WRONG)
    await search.settle()
    assert await relevance(search, first.name) < first.relevance


async def test_tenants_do_not_learn_from_each_other(search: ToolSearch) -> None:
    before = await relevance(search, "sort_table", tenant="b/c")
    await search.learn(ODD, "sort_table", PastOutcome.CHOSEN, tenant="a")
    await search.settle()
    assert await relevance(search, "sort_table", tenant="b/c") == before
    assert await relevance(search, "sort_table", tenant="a") > before


async def test_forgetting_restores_exactly_what_was(search: ToolSearch) -> None:
    before = await search.find(ODD)
    await search.learn(ODD, "sort_table", PastOutcome.CHOSEN)
    await search.learn(ODD, "loan_payment", PastOutcome.WRONG)
    await search.settle()
    assert await search.find(ODD) != before
    assert await search.forget("sort_table") == 1
    assert await search.forget("loan_payment") == 1
    await search.settle()
    assert await search.find(ODD) == before


async def test_past_requests_are_bounded_and_the_newest_stay(
    db: Database, search: ToolSearch
) -> None:
    policies = Policies(db)
    await policies.change("search", {"past_requests": 3}, who="test", why="small")
    small = ToolSearch(db, HashedEmbedder(), policies)
    for number in range(7):
        await small.learn(f"request number {number}", "sort_table", PastOutcome.ANSWERED)
    keys = await db.index.keys("past/")
    assert len(keys) == 3
    texts = dict(await db.index.missing("no such space", 99))
    assert {texts[key] for key in keys} == {f"request number {n}" for n in (4, 5, 6)}


async def test_what_was_learned_survives_a_restart(db: Database, search: ToolSearch) -> None:
    await search.learn(ODD, "sort_table", PastOutcome.CHOSEN)
    await search.settle()
    learned = await relevance(search, "sort_table")
    again = ToolSearch(db, HashedEmbedder(), Policies(db))
    await again.find(ODD)
    await again.settle()
    assert abs(await relevance(again, "sort_table") - learned) < 1e-4
    await again.close()


async def test_learning_can_be_switched_off(db: Database, search: ToolSearch) -> None:
    policies = Policies(db)
    await policies.change("search", {"learn": False}, who="test", why="privacy")
    off = ToolSearch(db, HashedEmbedder(), policies)
    await off.learn(ODD, "sort_table", PastOutcome.CHOSEN)
    assert await db.index.keys("past/") == []


async def test_a_removed_tool_is_not_found_and_its_past_waits_for_it(
    db: Database, search: ToolSearch
) -> None:
    await search.learn(ODD, "sort_table", PastOutcome.CHOSEN)
    await search.settle()
    learned = await relevance(search, "sort_table")
    await search.remove("sort_table")
    assert len(await db.index.keys("past/")) == 1
    await search.settle()
    assert "sort_table" not in [hit.name for hit in await search.find(ODD, 10)]
    await search.index(next(each for each in TOOLS if each.name == "sort_table"))
    await search.settle()
    assert abs(await relevance(search, "sort_table") - learned) < 1e-4


SAID = "give me the whatsit of 5 and 6 for 'gizmo'"
AGAIN = "give me the whatsit of 7, 8 and 9 for 'gadget'"


async def test_one_request_with_other_values_leads_to_its_tool(search: ToolSearch) -> None:
    await search.learn(SAID, "sort_table", PastOutcome.ANSWERED)
    hits = await search.find(AGAIN)
    fit = await search.fit(AGAIN, hits)
    assert hits[0].name == "sort_table" and hits[0].same_wording
    assert fit.band is Band.HIGH and "the same request with other values" in hits[0].explanation
    assert not (await search.find("give me the whatsit for 'gadget' of 7"))[0].same_wording


async def test_the_same_words_with_two_tools_or_a_wrong_pick_lead_nowhere(
    search: ToolSearch,
) -> None:
    await search.learn(SAID, "sort_table", PastOutcome.ANSWERED)
    await search.learn(AGAIN, "week_of_date", PastOutcome.ANSWERED)
    assert not any(hit.same_wording for hit in await search.find(SAID, 10))
    await search.learn(SAID, "week_of_date", PastOutcome.WRONG)
    assert (await search.find(AGAIN))[0].name == "sort_table"
    await search.forget("sort_table")
    assert not any(hit.same_wording for hit in await search.find(AGAIN, 10))
