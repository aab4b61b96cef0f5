"""From a request without a tool to an answer by whole solutions, and the tool after it."""

from pathlib import Path

import pytest

from hammerstone.core.answers import Proof, Sureness
from hammerstone.core.tools import Status
from tests.integration.eager import eager
from tests.integration.engine import (
    PERCENT_SOLUTION,
    Script,
    Watched,
    in_turn,
    percent_script,
    scripted_engine,
    solution_of,
)

REQUEST = "What is 17.5% of 240?"
WRONG = PERCENT_SOLUTION.replace("percent / 100 * number", "percent * number")


async def test_the_answer_comes_before_any_test_is_written(tmp_path: Path) -> None:
    seen = Watched()
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST, on_event=seen)
        assert set(script.asked) == {"solution"}
        assert await hs.tools.list() == []
    assert answer.text == "42" and answer.result == 42 and answer.status == "done"
    assert (
        answer.call == "percentage_of(percent=17.5, number=240)" and answer.proof is Proof.PENDING
    )
    assert answer.agree == answer.solutions >= 1 and answer.alternatives == ()
    assert seen.kinds.index("solution") < seen.kinds.index("answer") < seen.kinds.index("done")


async def test_the_tool_is_proved_afterwards_and_reused(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
        await hs.proofs.wait(answer)
        tool = await hs.tools.get("percentage_of")
        assert tool.version.provenance["request"] == REQUEST and tool.version.suite
        asked = script.asked.count("solution")
        await eager(hs)
        again = await hs.ask("What is 10% of 50?")
    assert (again.tool, again.result) == ("percentage_of", 5)
    assert script.asked.count("solution") == asked
    assert again.proof in (Proof.PROVED, Proof.UNPROVED)


async def test_solutions_that_differ_are_both_shown(tmp_path: Path) -> None:
    script = percent_script(solution=in_turn(WRONG, PERCENT_SOLUTION))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.result == 42 and answer.agree > answer.solutions / 2
    assert [one["value"] for one in answer.alternatives] == [4200]


async def test_an_even_split_is_unsure_and_says_so(tmp_path: Path) -> None:
    third = PERCENT_SOLUTION.replace("percent / 100 * number", "number / percent")
    three = (WRONG, third, PERCENT_SOLUTION)
    rounds = iter([WRONG, three, (third, *three)])  # 1, 3 and 4 solutions
    async with scripted_engine(percent_script(solution=lambda _: next(rounds)), tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.status == "done" and answer.sureness is Sureness.UNSURE
    assert "unsure" in answer.text and " say " in answer.why
    assert answer.solutions == 8 and len(answer.alternatives) == 2


async def test_a_solution_that_fails_is_shown_its_error(tmp_path: Path) -> None:
    broken = PERCENT_SOLUTION.replace("percent / 100", "percent / 0")
    script = Script(solution=broken, **{"solution repair": PERCENT_SOLUTION})
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.result == 42 and "solution repair" in script.asked


async def test_where_every_solution_fails_the_reason_is_said(tmp_path: Path) -> None:
    broken = PERCENT_SOLUTION.replace("percent / 100", "percent / 0")
    script = Script(solution=broken, **{"solution repair": broken})
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.status == "failed" and "ZeroDivisionError" in answer.text


@pytest.mark.parametrize(
    ("kind", "words"), [("needs live data", "current data from outside"), ("harmful", "harm")]
)
async def test_what_cannot_or_must_not_be_done_is_told_apart_in_the_same_call(
    kind: str, words: str, tmp_path: Path
) -> None:
    script = Script(solution=f"```python\n# {kind}\n```")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("predict the lottery")
    assert answer.status == "failed" and words in answer.text
    assert script.asked == ["solution"]


async def test_one_that_finds_nothing_to_compute_in_given_values_is_not_believed(
    tmp_path: Path,
) -> None:
    rounds = iter(["```python\n# needs live data\n```", (PERCENT_SOLUTION,) * 3])
    script = percent_script(solution=lambda _: next(rounds, (PERCENT_SOLUTION,) * 4))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.result == 42 and answer.status == "done"


async def test_small_talk_gets_a_reply(tmp_path: Path) -> None:
    script = Script(solution="```python\n# conversation\n```", response="Hi!")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("hello")
    assert (answer.text, answer.tool, answer.status) == ("Hi!", None, "done")


async def test_solutions_against_the_persons_example_are_out(tmp_path: Path) -> None:
    request = "With share(10, 200) == 20, what is share(50, 10)?"
    right = PERCENT_SOLUTION.replace("percentage_of", "share").replace("17.5, 240", "50, 10")
    wrong = right.replace("percent / 100 * number", "percent * number")
    lines = {"solution": in_turn(wrong, right), "solution repair": wrong}
    script = percent_script(**lines)
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request)
    assert answer.result == 5


async def test_an_example_that_no_solution_meets_is_told(tmp_path: Path) -> None:
    request = "With share(10, 200) == 21, what is share(50, 10)?"
    right = PERCENT_SOLUTION.replace("percentage_of", "share").replace("17.5, 240", "50, 10")
    script = percent_script(solution=right, **{"solution repair": right})
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request)
    assert answer.status == "done" and answer.result == 5
    assert answer.sureness is Sureness.UNSURE and "share(10, 200)" in answer.why


async def test_a_repeated_request_needs_no_model_and_no_sandbox(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        first = await hs.ask(REQUEST)
        asked = len(script.asked)
        again = await hs.ask(f"  {REQUEST} ")
    assert len(script.asked) == asked
    assert again.cached and again.result == first.result and again.cost.model_calls == 0
    async with scripted_engine(Script(), tmp_path) as hs:
        assert (await hs.ask(REQUEST)).cached


async def test_a_proof_does_not_make_the_same_request_new(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(REQUEST))
    async with scripted_engine(Script(), tmp_path) as hs:
        again = await hs.ask(REQUEST)
    assert (again.result, again.cached, again.tool) == (42, True, "percentage_of")
    assert again.proof is Proof.PROVED and again.cost.model_calls == 0


async def test_a_repeated_answer_can_be_referred_to(tmp_path: Path) -> None:
    double = "def double(n: float) -> float:\n    return n * 2"
    script = Script(solution=in_turn(PERCENT_SOLUTION, PERCENT_SOLUTION))
    async with scripted_engine(script, tmp_path) as hs:
        await hs.ask(REQUEST, session="first")
        assert (await hs.ask(REQUEST, session="second")).cached
        script._by_purpose["solution"] = solution_of(double, "double(result_1)")
        answer = await hs.ask("Double that result", session="second")
    assert answer.result == 84


async def test_a_tool_that_was_asked_for_is_answered_and_built(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("Build a tool for percentages: what is 17.5% of 240?")
        await hs.proofs.wait(answer)
        tool = await hs.tools.get("percentage_of")
    assert answer.status == "done" and answer.result == 42
    assert tool.status in (Status.VERIFIED, Status.EXPERIMENTAL)
