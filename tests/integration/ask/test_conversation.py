"""Conversations on a real sandbox and database: references, corrections, steps, files, limits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.errors import BudgetExceeded, NotFound, Refused
from hammerstone.core.json_types import JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.seams import Allowance
from hammerstone.core.tools import Effect, Tool
from hammerstone.guard.budget import Budget
from hammerstone.run.request import AskOptions
from tests.integration.engine import (
    Script,
    Watched,
    add_tool,
    scripted_engine,
    services_of,
    solution_of,
    with_repairer,
)

NUMBER: JsonObject = {"type": "number", "description": "a number"}
TEXT: JsonObject = {"type": "string", "description": "the text"}
NUMBERS: JsonObject = {"type": "array", "items": {"type": "number"}, "description": "the numbers"}


HELPLESS = solution_of("def give_up():\n    raise ValueError('no idea')", "give_up()")
PRIME_FACTORS = """\
def prime_factors(number):
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found
"""


@asynccontextmanager
async def library(
    tmp_path: Path, script: Script | None = None, high: float = 0.15
) -> AsyncIterator[Hammerstone]:
    """A few tools whose descriptions are what people say."""
    async with scripted_engine(script or Script(), tmp_path) as hs:
        # Without an embedder search is seldom sure; what is tested here comes after it.
        sure: JsonObject = {"high": high, "middle": min(high, 0.65)}
        await hs.policies.change("fit", sure, who="test", why="words alone have to do")
        await add_tool(
            hs,
            "def reverse_text(text):\n    return text[::-1]\n",
            "Reverse the text, spelled backwards",
            {"text": TEXT},
            {"type": "string"},
        )
        await add_tool(
            hs,
            "def percentage_of(percent, number):\n    return percent / 100 * number\n",
            "What is so many percent of the number",
            {"percent": {"type": "number", "description": "in percent"}, "number": NUMBER},
            {"type": "number"},
        )
        await add_tool(
            hs,
            PRIME_FACTORS,
            "Find the prime factors of a number",
            {"number": {"type": "integer", "description": "the number"}},
            {"type": "array", "items": {"type": "integer"}},
        )
        await add_tool(
            hs,
            "def mean(numbers):\n    return sum(numbers) / len(numbers)\n",
            "Compute the mean of them, those numbers, the list",
            {"numbers": NUMBERS},
            {"type": "number"},
        )
        yield hs


async def test_results_can_be_referred_to(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        assert (await hs.ask("Find the prime factors of 12")).result == [2, 2, 3]
        answer = await hs.ask("Compute the mean of those numbers")
        assert answer.result == pytest.approx(7 / 3)
        assert answer.cost.model_calls == 0
        await hs.traces.list()  # waits until everything is recorded
        executions = await services_of(hs).records.db.executions.list(limit=1)
        assert executions[0].sources["numbers"]["step"] == 1  # type: ignore[index,call-overload]


async def test_a_correction_changes_only_what_it_says(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        assert (await hs.ask("What is 15% of the number 80?")).result == 12
        assert (await hs.ask("No, I meant 20%")).result == 16
        assert (await hs.ask("and for 200?")).result == 40
        assert (await hs.ask("10% instead of 20%")).result == 20


async def test_one_step_feeds_the_next_and_the_plan_is_shown_first(tmp_path: Path) -> None:
    watched = Watched()
    async with library(tmp_path) as hs:
        answer = await hs.ask(
            "Find the prime factors of 12, then compute the mean of them", on_event=watched
        )
        steps = await services_of(hs).records.db.steps.of_run(answer.run_id)
    assert answer.result == pytest.approx(7 / 3)
    assert answer.strategy == "composition" and answer.cost.model_calls == 0
    assert watched.kinds.index("planning") < watched.kinds.index("executing")
    assert [step.status for step in steps] == ["done", "done"]
    # Proved tools, but nothing came to the same value independently.
    assert (answer.checks["confirmed"], len(answer.checks["unverified"])) == ([], 2)  # type: ignore[arg-type]
    assert 0 < answer.confidence <= 0.97**2  # a chain is as sure as its links together


async def test_a_step_whose_tool_fails_is_solved(tmp_path: Path) -> None:
    mean = "def mean_of(numbers: list) -> float:\n    return sum(numbers) / len(numbers)"
    script = Script(solution=solution_of(mean, "mean_of(result_1)"))
    async with library(tmp_path, script) as hs:
        await add_tool(
            hs,
            "def mean(numbers):\n    raise ValueError('no mean today')\n",
            "Compute the mean of them, those numbers, the list",
            {"numbers": NUMBERS},
            {"type": "number"},
        )
        answer = await hs.ask("Find the prime factors of 12, then compute the mean of them")
    assert (answer.status, answer.tool) == ("done", None)
    assert answer.result == pytest.approx(7 / 3) and answer.checks["unverified"]


async def test_a_failed_step_says_what_remains(tmp_path: Path) -> None:
    script = Script(solution=HELPLESS, **{"solution repair": HELPLESS})
    async with library(tmp_path, script) as hs:
        await add_tool(
            hs,
            "def mean(numbers):\n    raise ValueError('no mean today')\n",
            "Compute the mean of them, those numbers, the list",
            {"numbers": NUMBERS},
            {"type": "number"},
        )
        answer = await hs.ask("Find the prime factors of 12, then compute the mean of them")
    assert answer.status == "failed"
    assert "no idea" in answer.text and "factors of 12: done" in answer.text
    assert "compute the mean of them: failed" in answer.text


async def test_what_does_not_exist_or_expired_is_told(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        answer = await hs.ask("Reverse the filtered table")
        assert answer.status == "failed" and "filtered table" in answer.text
        await hs.ask("Reverse the text 'abc'", session="s")
        await hs.traces.list()
        db, clock = services_of(hs).records.db, services_of(hs).records.clock
        (value,) = await db.values.recent("s")
        await db.values.purge(clock.now() + timedelta(days=30))
        await db.values.add([replace(value, expires_at=clock.now() - timedelta(days=1))])
        answer = await hs.ask("Reverse that result", session="s")
        assert answer.status == "failed" and "expired" in answer.text


async def test_a_question_waits_for_the_next_message(tmp_path: Path) -> None:
    script = Script(arguments='{"number": 1}')
    async with library(tmp_path, script) as hs:
        asked = await hs.ask("Find the prime factors of a number", session="s")
        assert asked.status == "question" and "number" in asked.text
    async with scripted_engine(script, tmp_path) as hs:  # after a restart
        answer = await hs.ask("35", session="s")
        assert answer.result == [5, 7]


async def test_sessions_belong_to_their_users(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        await hs.ask("Reverse the text 'secret'", session="s", options=AskOptions(user="ada"))
        with pytest.raises(NotFound):
            await hs.ask("Reverse that result", session="s", options=AskOptions(user="eve"))
        other = await hs.ask("Reverse that result", session="t", options=AskOptions(user="eve"))
        assert other.status == "failed"


async def test_files_are_kept_listed_and_used_again(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        await add_tool(
            hs,
            "import os\n\ndef save_note(text):\n    os.makedirs('/tmp/out', exist_ok=True)\n"
            "    open('/tmp/out/../out/my note?.txt', 'w').write(text)\n    return 'saved'\n",
            "Save the text as a note",
            {"text": TEXT},
            {"type": "string"},
        )
        await add_tool(
            hs,
            "def count_letters(path):\n    return len(open(path).read())\n",
            "How many letters does the file have",
            {"path": {"type": "string", "description": "the file"}},
            {"type": "integer"},
            Effect.READS,
        )
        made = await hs.ask("Save the text 'hello' as a note", session="s")
        assert [file.name for file in made.files] == ["my_note_.txt"]
        rows = await hs.files.list()
        assert (await hs.files.get(rows[0].id))[1] == b"hello"
        answer = await hs.ask("How many letters does the file have?", session="s")
        assert answer.result == 5
        given = tmp_path / "given.txt"
        given.write_text("abc")
        first = await hs.ask("How many letters does the file have?", session="t", files=[given])
        assert first.result == 3
        given.unlink()
        again = await hs.ask("How many letters does the file given.txt have?", session="t")
        assert again.result == 3


async def test_a_loop_is_stopped(tmp_path: Path) -> None:
    script = Script(solution=HELPLESS, **{"solution repair": HELPLESS})
    async with library(tmp_path, script) as hs:
        await add_tool(
            hs,
            "def broken(text):\n    raise ValueError('never')\n",
            "Frobnicate the text",
            {"text": TEXT},
            {"type": "string"},
        )
        for _ in range(3):
            assert (await hs.ask("Frobnicate the text 'x'")).status == "failed"
        with pytest.raises(Refused, match="same arguments"):
            await hs.ask("Frobnicate the text 'x'")
        assert (await hs.ask("Frobnicate the text 'y'")).status == "failed"


async def test_a_broken_tool_is_mended_and_called_again(tmp_path: Path) -> None:
    class Mender:
        seen: FailedCall | None = None

        async def mend(self, failed: FailedCall, allowance: Allowance) -> Tool:
            self.seen = failed
            return await add_tool(
                hs,
                "def shout(text):\n    return text.upper()\n",
                "Shout the text",
                {"text": TEXT},
                {"type": "string"},
            )

    async with library(tmp_path, high=0.4) as hs:
        await add_tool(
            hs,
            "def shout(text):\n    return text.uper()\n",
            "Shout the text",
            {"text": TEXT},
            {"type": "string"},
        )
        mender = Mender()
        answer = await with_repairer(hs, mender).ask("Shout the text 'hi'")
    assert (answer.result, answer.version) == ("HI", 2)
    assert mender.seen is not None and "uper" in mender.seen.error


async def test_ten_sessions_share_one_budget(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        budget = Budget(tokens=1000, model_calls=5, steps=4, usd=None)
        asked = (
            hs.ask(f"Reverse the text 'a{n}'", session=f"s{n}", options=AskOptions(budget=budget))
            for n in range(10)
        )
        done = await asyncio.gather(*asked, return_exceptions=True)
    answered = [each for each in done if isinstance(each, Answer)]
    refused = [each for each in done if isinstance(each, BudgetExceeded)]
    assert (len(answered), len(refused)) == (4, 6)


async def test_many_sessions_at_once(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        asked = (hs.ask(f"Reverse the text 'a{n}'", session=f"s{n}") for n in range(100))
        answers = await asyncio.wait_for(asyncio.gather(*asked), 120)
        assert [answer.result for answer in answers] == [f"a{n}"[::-1] for n in range(100)]


async def test_a_long_session_stays_usable(tmp_path: Path) -> None:
    async with library(tmp_path) as hs:
        for number in range(200):
            await hs.ask(f"Reverse the text 'n{number}'", session="long")
        answer = await hs.ask("Reverse that result", session="long")
        assert answer.result == "n199"
        await hs.traces.list()
        counted = len(await services_of(hs).records.db.messages.recent("long", 1000))
    assert counted == 402


async def test_more_steps_than_a_plan_may_have_are_one_solutions_work(tmp_path: Path) -> None:
    text = ", then ".join(["Find the prime factors of 12", *["double them"] * 12])
    script = Script(solution="```python\nanswer = [8192, 8192, 12288]\n```")
    async with library(tmp_path, script) as hs:
        answer = await hs.ask(text)
    assert (answer.result, answer.tool, answer.steps) == ([8192, 8192, 12288], None, ())
    assert set(script.asked) == {"solution"}
