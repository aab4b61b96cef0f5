"""The texts of a prompt: kept, tried, the best one, and back again."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.app.books.promptbook import PromptBook
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.prompt_versions import PromptOrigin
from hammerstone.library.prompting.prompt_shelf import TrialReport, described
from hammerstone.prompts import instructions, load, on_trial, shipped_text, with_instructions
from tests.unit.learn.workshop import Workshop, workshop

START = shipped_text("kind")


def text(words: str) -> str:
    return with_instructions(START, words)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with workshop(tmp_path) as made:
        yield made


@pytest.fixture
def book(shop: Workshop) -> PromptBook:
    return PromptBook(shop.db, shop.policies, shop.clock, shop.gate)


def report(*scores: float, model: str = "local") -> TrialReport:
    return TrialReport("own", model, {str(at): score for at, score in enumerate(scores)})


async def test_versions_have_numbers_and_say_where_they_come_from(book: PromptBook) -> None:
    made = await book.add("kind", text("Say it plainly."), PromptOrigin.REWRITE, why="test")
    assert (await book.add("kind", START, PromptOrigin.PERSON)).number == 0
    assert [one.number for one in await book.versions("kind")] == [0, 1]
    assert (await book.get("kind", "1")).text == made.text
    assert (await book.get("kind")).number == 0
    assert "+Say it plainly." in await book.difference("kind", "shipped", "1")
    with pytest.raises(NotFound):
        await book.get("kind", "7")
    with pytest.raises(NotFound):
        await book.versions("nothing")


async def test_a_text_that_is_no_such_prompt_is_not_kept(book: PromptBook) -> None:
    with pytest.raises(BadRequest):
        await book.add("kind", "just words", PromptOrigin.PERSON)


async def test_the_best_is_of_one_suite_and_one_model(book: PromptBook) -> None:
    one = await book.add("kind", text("One."), PromptOrigin.SEARCH)
    two = await book.add("kind", text("Two."), PromptOrigin.SEARCH)
    assert await book.best("kind") is None
    await book.keep_score(one, report(1, 1, 1, model="other"))
    await book.keep_score(one, report(1, 0, 0))
    await book.keep_score(two, report(1, 1, 0))
    found = await book.best("kind")
    assert found is not None and found[0] == two and found[1].model == "local"
    found = await book.best("kind", model="other")
    assert found is not None and found[0] == one
    rows = await described(book, "kind")
    assert [len(row["scores"]) for row in rows] == [0, 2, 1]  # type: ignore[arg-type]


async def test_the_best_is_used_through_the_gate_and_rolled_back(book: PromptBook) -> None:
    made = await book.add("kind", text("Better."), PromptOrigin.SEARCH)
    shipped = await book.get("kind", "shipped")
    await book.keep_score(shipped, report(0, 1, 0))
    score = await book.keep_score(made, report(1, 1, 0))
    assert score is not None
    assert "in force" in await book.use(made, score, who="ada")
    assert (await book.get("kind")).number == 1
    assert await book.use(made, score, who="ada") == "It is in force already."
    with pytest.raises(BadRequest):
        await book.remove("kind", "1")
    assert (await book.rollback("kind", who="ada")).number == 0
    assert (await book.rollback("kind", who="ada")).number == 1
    assert "in force" in await book.use(shipped, score, who="ada")
    assert "in force" in await book.use(made, score, who="ada")


async def test_a_version_that_does_worse_is_not_used(book: PromptBook) -> None:
    made = await book.add("kind", text("Worse."), PromptOrigin.SEARCH)
    await book.keep_score(await book.get("kind"), report(*[1] * 10))
    score = await book.keep_score(made, report(*[0] * 10))
    assert score is not None
    assert (await book.use(made, score, who="ada")).startswith("It is not used")
    assert (await book.get("kind")).number == 0


async def test_a_version_that_is_deleted_while_it_runs_keeps_no_score(book: PromptBook) -> None:
    made = await book.add("kind", text("Short lived."), PromptOrigin.PERSON)
    with on_trial("kind", made.text):  # its trial goes on with the text that it has
        await book.remove("kind", "1")
        assert load("kind").sections[0].text == "Short lived."
    assert await book.keep_score(made, report(1, 1)) is None
    assert [one.number for one in await book.versions("kind")] == [0]


async def test_the_shipped_text_stays(book: PromptBook) -> None:
    with pytest.raises(BadRequest):
        await book.remove("kind", "shipped")
    with pytest.raises(BadRequest):
        await book.rollback("kind", who="ada")


async def test_texts_of_before_are_versions_too(book: PromptBook) -> None:
    await book.own.set("kind", text("Of before."), who="ada", why="mine")
    await book.own.set("kind", text("Of now."), who="ada", why="mine")
    numbers = [(one.number, instructions(one.text)) for one in await book.versions("kind")]
    assert numbers[1:] == [(1, "Of before."), (2, "Of now.")]
    assert (await book.get("kind")).number == 2


def test_a_text_on_trial_ends_with_the_trial() -> None:
    with on_trial("kind", text("On trial.")):
        assert load("kind").sections[0].text == "On trial."
    assert load("kind").sections[0].text == instructions(START)
