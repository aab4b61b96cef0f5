"""What memory says it kept, what it adds to a request at most, and what it summarises."""

import dataclasses
from pathlib import Path

import pytest

from hammerstone.library.memory import Layer, Memory, MemoryRequest
from hammerstone.library.memory.context import MemoryPolicy, RecallPolicy
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from tests.hand_clock import HandClock

BACK = "and now the other one"


def asking(text: str, *, back: bool = False, program: bool = False) -> MemoryRequest:
    return MemoryRequest(text, "ada", "s", back, by_program=program)


async def say(db: Database, text: str, answer: str = "ok", status: str = "done") -> None:
    await db.memory.add(text, "ada", "s", text, answer, status)


@pytest.mark.parametrize(
    ("text", "program", "reply"),
    [
        ("What is 2 + 2?", False, ""),
        ("Remember that I like tea", False, "Noted: I like tea."),
        ("Always be brief", False, "Noted as a rule: Always be brief."),
        ("Remember that I like tea. What is 2 + 2", False, ""),
        ("Forget my boat", False, "I had nothing about that."),
        ("Remember that I like tea", True, "Noted: I like tea."),
        (
            "Always be brief",
            True,
            "Not kept as a rule: it came from a program, and only you can pin one"
            " (hammerstone memory remember 'Always be brief').",
        ),
    ],
)
async def test_what_is_said_about_a_statement(
    memory: Memory, text: str, program: bool, reply: str
) -> None:
    assert memory.told(asking(text, program=program), "run 1") == reply


async def test_what_was_replaced_and_forgotten_is_named(memory: Memory) -> None:
    memory.told(asking("I live in Rome"), "run 1")
    told = memory.told(asking("I live in Oslo"), "run 2")
    assert told == "Noted: I live in Oslo. (instead of: I live in Rome)"
    assert memory.told(asking("I live in Oslo"), "run 3") == "Noted: I live in Oslo."
    assert memory.told(asking("Forget Oslo"), "run 4") == "Forgotten: I live in Oslo"


async def test_a_program_takes_back_no_rule(memory: Memory) -> None:
    memory.remember("ada", "Always drink tea", "run 1")
    memory.remember("ada", "I like tea", "run 1")
    told = memory.told(asking("Forget tea", program=True), "run 2")
    assert told == "Forgotten: I like tea"
    told = memory.told(asking("Forget tea", program=True), "run 2")
    assert told.startswith("Nothing was forgotten")
    assert memory.forget("ada", "tea") == ["Always drink tea"]


async def test_what_is_not_kept_is_said_only_of_rules_by_programs(memory: Memory) -> None:
    assert memory.not_kept(asking("Always be brief", program=True))
    assert not memory.not_kept(asking("Always be brief"))
    assert not memory.not_kept(asking("I like tea", program=True))
    assert not memory.not_kept(asking("Forget the rules of tea", program=True))
    off = dataclasses.replace(asking("Always be brief", program=True), memory=False)
    assert not memory.not_kept(off)


async def test_rules_and_identity_are_pinned(memory: Memory) -> None:
    memory.layers.add("ada", Layer.IDENTITY, "I am Stone", "")
    memory.layers.add("ada", Layer.RULES, "Be brief", "")
    memory.layers.add("ada", Layer.RULES, "Use metric units", "")
    context = await memory.surroundings(asking("2 + 2?"))
    assert (context.identity, context.rules) == ("I am Stone", "- Be brief\n- Use metric units")
    assert memory.state("ada") == memory.layers.state("ada") != []


async def test_facts_of_the_person_always_and_others_when_asked_about(memory: Memory) -> None:
    for layer, text in (
        (Layer.USER, "I work in Oslo"),
        (Layer.MEMORY, "Boats leave at nine"),
    ):
        memory.layers.add("ada", layer, text, "")
    plain = await memory.surroundings(asking("Compute 2 + 2"))
    assert (plain.facts, plain.about) == ("I work in Oslo", "")
    boats = await memory.surroundings(asking("When does the boat leave?"))
    assert boats.facts == "Boats leave at nine\nI work in Oslo"
    assert boats.about == "Boats leave at nine"


@pytest.mark.parametrize("word", ["value", "values", "number", "names", "calculate", "finding"])
async def test_words_that_many_requests_have_say_nothing(memory: Memory, word: str) -> None:
    memory.layers.add("ada", Layer.MEMORY, f"The {word} of gold", "")
    assert (await memory.surroundings(asking(f"Show the {word}"))).facts == ""
    assert (await memory.surroundings(asking("How is gold?"))).facts == f"The {word} of gold"


@pytest.mark.parametrize(("days", "there"), [(60, True), (61, False)])
async def test_a_fact_fades_after_two_half_lives(
    memory: Memory, clock: HandClock, days: int, there: bool
) -> None:
    memory.remember("ada", "I like tea", "run 1")
    clock.forward(days=days)
    context = await memory.surroundings(asking("2 + 2?"))
    assert (context.facts == "I like tea") is there


async def test_the_newest_facts_fit_first(memory: Memory, policies: Policies) -> None:
    await policies.change("memory", {"facts_tokens": 8}, who="ada", why="test")
    for text in ("I own a red boat", "I own one old clock", "I own green shoes"):
        memory.layers.add("ada", Layer.USER, text, "")
    context = await memory.surroundings(asking("2 + 2?"))
    assert context.facts == "I own green shoes"
    about = await memory.surroundings(asking("Where is the boat?"))
    assert "I own a red boat" in about.facts


@pytest.mark.parametrize(
    "text",
    ["What did I say about tea?", "as we discussed, tea", "My usual tea", "Yesterday's tea",
     "tea like last time", "do you remember tea"],
)  # fmt: skip
async def test_words_that_point_to_long_ago_bring_the_log(memory: Memory, text: str) -> None:
    memory.layers.write_log("ada", ["tea was had"])
    assert (await memory.surroundings(asking(text))).log == "12:00 tea was had"
    assert (await memory.surroundings(asking("And the tea", back=True))).log == ""


async def test_the_log_is_shortened_from_its_beginning(memory: Memory, policies: Policies) -> None:
    await policies.change("memory", {"log_tokens": 6}, who="ada", why="test")
    memory.layers.write_log("ada", ["one two", "three", "four"])
    context = await memory.surroundings(asking("what did I say"))
    assert context.log == "12:00 three\n12:00 four"


async def test_a_window_that_is_full_is_summarised_once(memory: Memory, db: Database) -> None:
    for number in range(9):
        await say(db, f"q{number}")
    context = await memory.surroundings(asking(BACK, back=True))
    assert (len(context.window), context.summary, context.folded) == (9, "", None)
    await say(db, "q9")
    context = await memory.surroundings(asking(BACK, back=True))
    assert (len(context.window), context.summary, context.folded) == (10, "", None)
    await say(db, "q10", answer="", status="failed")
    context = await memory.surroundings(asking(BACK, back=True))
    assert context.window[-1] == ("q10", "(failed)")
    assert (context.summary, context.folded) == ("q0 → ok", 1)
    again = await memory.surroundings(asking(BACK, back=True))
    assert (again.summary, again.folded) == ("q0 → ok", None)
    kept = await db.memory.summary("s")
    assert kept is not None
    assert (kept.upto, kept.exchanges, kept.author) == (1, 1, "extract")
    await say(db, "q11")
    await memory.surroundings(asking(BACK, back=True))
    kept = await db.memory.summary("s")
    assert kept is not None
    assert (kept.upto, kept.exchanges, kept.text) == (2, 2, "q0 → ok\nq1 → ok")


async def test_better_words_for_a_summary_that_has_not_grown(memory: Memory, db: Database) -> None:
    assert not await memory.resummarise("s", 1, "better", "model")
    for number in range(11):
        await say(db, f"q{number}")
    await memory.surroundings(asking(BACK, back=True))
    assert not await memory.resummarise("s", 2, "better", "model")
    assert await memory.resummarise("s", 1, "better", "model")
    kept = await db.memory.summary("s")
    assert kept is not None
    assert (kept.text, kept.author, kept.upto) == ("better", "model", 1)


async def test_the_newest_exchanges_are_taken_first(
    memory: Memory, db: Database, policies: Policies
) -> None:
    for number in range(5):
        await say(db, f"question {number}", "a" * 28)
    each = 10 + 5  # tokens of request and answer, and what marks them
    await policies.change("memory", {"tokens": 2 * each}, who="ada", why="test")
    context = await memory.surroundings(asking(BACK, back=True))
    assert [asked for asked, _ in context.window] == ["question 3", "question 4"]
    await policies.change("memory", {"tokens": 2 * each - 1}, who="ada", why="test")
    context = await memory.surroundings(asking(BACK, back=True))
    assert [asked for asked, _ in context.window] == ["question 4"]


async def test_request_and_answer_of_an_exchange_are_shortened(
    memory: Memory, db: Database
) -> None:
    await say(db, "q " * 300, "a " * 300)
    ((asked, got),) = (await memory.surroundings(asking(BACK, back=True))).window
    assert len(asked) <= 4 * 60 and asked.endswith("…")
    assert len(got) <= 4 * 60 and len(got) > 4 * 50


async def test_search_takes_a_limit_and_says_each_question_once(
    memory: Memory, db: Database
) -> None:
    for number, text in enumerate(
        ["height of the tower", "Height of  the tower", "height of the old tower"]
    ):
        await db.memory.add(f"r{number}", "ada", "t", text, str(number), "done")
    found = await memory.search("ada", "height of the tower")
    assert [one.exchange.answer for one in found] == ["1", "2"]
    assert found[0].score > found[1].score
    assert len(await memory.search("ada", "height of the tower", limit=1)) == 1
    assert await memory.search("ada", "zebra") == []


async def test_what_is_at_hand_is_not_recalled(memory: Memory, db: Database) -> None:
    await say(db, "height of the tower")
    policy = MemoryPolicy()
    (one,) = await memory.recall.find("ada", "height of the tower", policy)
    assert await memory.recall.find("ada", "height of the tower", policy, {one.exchange.id}) == []


async def test_words_of_asking_do_not_count(memory: Memory, db: Database) -> None:
    await say(db, "height of the tower")
    plain = await memory.recall.find("ada", "height of the tower", MemoryPolicy())
    asked = await memory.recall.find(
        "ada", "did I ever ask about height of the tower yesterday", MemoryPolicy()
    )
    assert asked[0].score == pytest.approx(plain[0].score, abs=0.05)


async def test_age_changes_the_order_and_not_the_score(
    db: Database, policies: Policies, clock: HandClock, tmp_path: Path
) -> None:
    memory = Memory(db, tmp_path / "memory", policies, clock, None)
    await say(db, "tower height", "old")
    clock.forward(days=90)
    await say(db, "tower width", "new")
    (first, second) = await memory.recall.find("ada", "tower", RecallPolicy())
    assert (first.exchange.answer, second.exchange.answer) == ("new", "old")
    (only,) = await memory.recall.find(
        "ada", "tower", dataclasses.replace(RecallPolicy(), recalled=1)
    )
    assert only.exchange.answer == "new"
    assert only.score == first.score == second.score
    await memory.close()


@pytest.mark.parametrize(("minimum", "count"), [(0.0, 1), (0.5, 1), (0.9, 0)])
async def test_how_many_of_the_words_an_exchange_needs(
    db: Database, policies: Policies, clock: HandClock, tmp_path: Path, minimum: float, count: int
) -> None:
    memory = Memory(db, tmp_path / "memory", policies, clock, None)
    await say(db, "tower height")
    policy = dataclasses.replace(RecallPolicy(), minimum_score=minimum)
    assert len(await memory.recall.find("ada", "tower height zebra", policy)) == count
    await memory.close()


async def test_work_beside_the_requests_ends_with_the_memory(memory: Memory) -> None:
    import asyncio

    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    memory.later(work())
    await asyncio.sleep(0)
    await memory.close()
    assert ended == ["cancelled"]
