"""Questions that experimental tools keep: ranked, asked once a day, answered for good."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.questions import AnswerEffect
from hammerstone.app.questions.journal import said_in
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Status
from tests.hand_clock import HandClock
from tests.integration.asked_tools import (
    HALF_TESTS,
    HALVES,
    add_asked,
    agreeing,
    kept_question,
    standing,
)
from tests.integration.engine import Script, scripted_engine, services_of


@asynccontextmanager
async def timed_engine(
    folder: Path, script: Script | None = None
) -> AsyncIterator[tuple[Hammerstone, HandClock]]:
    """An engine whose questions go by a clock that is moved by hand."""
    async with scripted_engine(script or Script(), folder) as hs:
        clock = HandClock()
        hs.questions._clock = clock
        hs.questions._journal._clock = clock
        services_of(hs).records.db.access.clock = clock  # type: ignore[misc]
        yield hs, clock


async def test_the_question_worth_most_comes_first(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await add_asked(hs, kept_question("low(3.41)"), "low", confidence=0.5)
        await add_asked(hs, kept_question("near(3.41)"), "near", confidence=0.9)
        await add_asked(hs, kept_question("small(3.41)", belief=[0.8, 0.1]), "small")
        await add_asked(hs, kept_question("large(3.41)", belief=[0.5, 0.4]), "large")
        await add_asked(hs, None, "none")
        found = await hs.questions.waiting()
        assert [one.tool for one in found] == ["large", "small", "near", "low"]
        assert found[0].text == "What should `large(3.41)` give?"
        assert found[0].choices == ("4", "3.5")
        await hs.run_tool("low", {"price": 2})
        assert (await hs.questions.waiting())[0].tool == "low"  # this person uses it


async def test_one_question_a_day_and_not_the_same_again(tmp_path: Path) -> None:
    async with timed_engine(tmp_path) as (hs, clock):
        await add_asked(hs, kept_question("first(3.41)", belief=[0.5, 0.4]), "first")
        await add_asked(hs, kept_question("second(3.41)", belief=[0.6, 0.3]), "second")
        asked = await hs.questions.due()
        assert asked is not None and asked.tool == "first"
        assert await hs.questions.due() is None
        clock.forward(seconds=86_399)
        assert await hs.questions.due() is None
        other = await hs.questions.due("ada")
        assert other is not None and other.tool == "first"  # a day of her own
        clock.forward(seconds=2)
        asked = await hs.questions.due()
        assert asked is not None and asked.tool == "second"  # the first was left open
        reply = await hs.questions.put_off("second", for_good=True)
        assert reply.effect is AnswerEffect.DROPPED
        clock.forward(days=7)
        asked = await hs.questions.due()
        assert asked is not None and asked.tool == "first"  # some days later
        clock.forward(days=2)
        assert await hs.questions.due() is None
        clock.forward(days=30)
        await hs.questions.put_off("first", for_good=True)
        assert await hs.questions.due() is None


async def test_nobody_is_asked_where_the_policy_says_so(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await add_asked(hs, kept_question())
        await hs.policies.change("questions", {"enabled": False}, who="ada", why="quiet")
        assert await hs.questions.due() is None
        assert len(await hs.questions.waiting()) == 1


async def test_values_of_others_are_not_asked_about(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await add_asked(hs, kept_question(), user="ada")
        assert await hs.questions.waiting() == [] and await hs.questions.due() is None
        (one,) = await hs.questions.waiting("ada")
        assert one.own
        with pytest.raises(BadRequest, match="no open question for you"):
            await hs.questions.answer("round_up", choice=1)
        assert (await hs.tools.get("round_up")).version.number == 1


async def test_an_answer_is_a_case_for_good_and_verifies_the_tool(tmp_path: Path) -> None:
    async with scripted_engine(agreeing(), tmp_path) as hs:
        await add_asked(hs, kept_question())
        reply = await hs.questions.answer("round_up", choice=1)
        tool = await hs.tools.get("round_up")
        assert (reply.effect, tool.status) == (AnswerEffect.VERIFIED, Status.VERIFIED)
        assert reply.text.startswith("round_up is verified now (")
        (said,) = [case for case in tool.version.suite if case.origin == "user"]
        assert (said.call.source, said.expected) == ("round_up(3.41)", 4)
        assert await hs.questions.waiting() == []
        again = await hs.questions.answer("round_up", choice=1)
        assert again.effect is AnswerEffect.KNOWN and "told me that before" in again.text
        with pytest.raises(BadRequest, match="before, you said 4"):
            await hs.questions.answer("round_up", choice=2)
        assert (await hs.tools.get("round_up")).version.id == tool.version.id


async def test_the_other_reading_is_chosen(tmp_path: Path) -> None:
    async with scripted_engine(agreeing(HALVES, HALF_TESTS), tmp_path) as hs:
        await add_asked(hs, kept_question())
        reply = await hs.questions.answer("round_up", choice=2)
        answer = await hs.run_tool("round_up", {"price": 1.2})
    assert answer.result == 1.5
    assert "3.5" in reply.text and reply.effect in (
        AnswerEffect.VERIFIED,
        AnswerEffect.EXPERIMENTAL,
    )


async def test_a_result_that_nothing_gives_takes_the_tool_out_of_use(tmp_path: Path) -> None:
    async with scripted_engine(agreeing(), tmp_path) as hs:
        await add_asked(hs, kept_question())
        reply = await hs.questions.answer("round_up", value="17")
        tool = await hs.tools.get("round_up")
    assert (reply.effect, tool.status) == (AnswerEffect.RETIRED, Status.RETIRED)
    assert "no program written for it gives 17" in reply.text


async def test_what_is_no_result_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        before = await add_asked(hs, kept_question())
        for typed in ("", "  ", "four", "'4'", "[4]", "4 +", "None", "x" * 20_000):
            with pytest.raises(BadRequest) as refused:
                await hs.questions.answer("round_up", value=typed)
            assert refused.value.hint, typed
        given: Any
        for given in ({}, {"choice": 3}, {"choice": 0}, {"choice": 1, "value": "4"}):
            with pytest.raises(BadRequest):
                await hs.questions.answer("round_up", **given)
        assert (await hs.tools.get("round_up")).version.id == before.version.id
        assert len(await hs.questions.waiting()) == 1


async def test_a_tool_that_stands_otherwise_meanwhile_has_no_question(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await add_asked(hs, kept_question())
        await standing(hs, "round_up", Status.EXPERIMENTAL)
        assert len(await hs.questions.waiting()) == 1  # what says nothing of it leaves it open
        for status in (Status.VERIFIED, Status.DEPRECATED, Status.RETIRED):
            await standing(hs, "round_up", status)
            assert await hs.questions.waiting() == []
            with pytest.raises(BadRequest, match=f"round_up is {status} and has no open question"):
                await hs.questions.answer("round_up", choice=1)
            with pytest.raises(BadRequest, match="no open question"):
                await hs.questions.put_off("round_up")
        with pytest.raises(NotFound):
            await hs.questions.answer("gone", choice=1)


async def test_two_people_who_differ_count_for_neither(tmp_path: Path) -> None:
    async with scripted_engine(agreeing(), tmp_path) as hs:
        before = await add_asked(hs, kept_question())
        assert await hs.questions.due("ada") and await hs.questions.due("bob")
        assert await hs.questions.due("cem")
        first = await hs.questions.answer("round_up", choice=1, user="ada")
        assert first.effect is AnswerEffect.VERIFIED
        with pytest.raises(BadRequest):  # who was never asked has no say about ada's value
            await hs.questions.answer("round_up", choice=2, user="eve")
        alike = await hs.questions.answer("round_up", value="4.0", user="cem")
        assert alike.effect is AnswerEffect.KNOWN
        second = await hs.questions.answer("round_up", choice=2, user="bob")
        assert second.effect is AnswerEffect.CONTRADICTED
        assert "neither of the two counts" in second.text
        after = await hs.tools.get("round_up")
        assert (after.version.id, after.status) == (before.version.id, Status.EXPERIMENTAL)
        assert not [case for case in after.version.suite if case.origin == "user"]
        assert await hs.questions.waiting() == []  # it is not asked a third time
        third = await hs.questions.answer("round_up", choice=2, user="cem")
        assert third.effect is AnswerEffect.CONTRADICTED


async def test_what_was_said_is_kept_when_the_examination_breaks_off(tmp_path: Path) -> None:
    failing = agreeing()
    failing._by_purpose["code"] = failing._by_purpose["tests"] = RuntimeError("gone")
    async with scripted_engine(failing, tmp_path) as hs:
        await add_asked(hs, kept_question())
        with pytest.raises(Exception):  # noqa: B017  # whatever a broken model raises
            await hs.questions.answer("round_up", choice=1, user="ada")
        async with hs.questions._journal.examining("round_up") as lease:
            said = said_in(lease) if lease is not None else None
        assert said is not None and (said.value, said.user, said.after) == (4, "ada", "")
        other = await hs.questions.answer("round_up", choice=2, user="bob")
        assert other.effect is AnswerEffect.CONTRADICTED
        assert await hs.questions.waiting() == []


UNANSWERABLE: list[JsonObject] = [
    {"call": "round_up('/files/a.csv')", "results": ["4", "3.5"]},
    {"call": "round_up(3.41)", "results": ["[1, 2, ...", "3"]},
    {"call": "round_up(3.41)", "results": ["4"]},
    {"call": None, "results": ["4", "3.5"]},
    {"call": "round_up(3.41)", "values": "{"},
    {"call": "round_up(3.41)"},
]


async def test_a_question_that_nobody_can_answer_is_not_asked(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        for number, kept in enumerate(UNANSWERABLE):
            await add_asked(hs, kept, f"round_up_{number}")
        assert await hs.questions.waiting() == [] and await hs.questions.due() is None
