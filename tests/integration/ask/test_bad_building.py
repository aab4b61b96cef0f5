"""What becomes of requests that make no sense, and of models that write nonsense, as tools."""

from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer, Proof, Sureness
from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Status, Tool
from hammerstone.run.request import AskOptions
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_SOLUTION,
    Noted,
    Script,
    percent_script,
    scripted_engine,
    solution_of,
)

REQUEST = "What is 17.5% of 240?"
BODY = "return percent / 100 * number"


def _square(body: str, call: str = "square(3)", **more: object) -> Script:
    code = f"def square(n: float) -> float:\n{body}"
    lines: dict[str, object] = {
        "solution": solution_of(code, call),
        "solution repair": solution_of(code, call),
        "tests": "```python\nassert square(2) == 4\nassert square(5) == 25\n```",
        "code": f"```python\n{code}\n```",
        "repair": f"```python\n{code}\n```",
        "foretell": "9",
    }
    return Script(**(lines | more))  # type: ignore[arg-type]


async def _proved(hs: Hammerstone, request: str, noted: Noted | None = None) -> Answer:
    return await hs.proofs.wait(await hs.ask(request), noted)


def _verified(tools: list[Tool]) -> list[str]:
    return [tool.name for tool in tools if tool.status is Status.VERIFIED]


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("prose", "I would divide by a hundred and multiply."),
        ("broken", "```python\ndef percentage_of(percent, number:\n    return\n```"),
        ("another function", "```python\ndef other():\n    return 1\n```"),
        ("raises", PERCENT_CODE.replace(BODY, "raise RuntimeError('no')")),
        ("endless", PERCENT_CODE.replace(BODY, "while True: pass")),
    ],
)
async def test_a_solution_that_no_other_author_backs_is_not_verified(
    what: str, code: str, tmp_path: Path
) -> None:
    """The answer stands; eight copies of one program are one witness for the tool."""
    async with scripted_engine(percent_script(code=code, repair=code), tmp_path) as hs:
        after = await _proved(hs, REQUEST)
        tools = await hs.tools.list()
    assert after.result == 42 and after.proof is Proof.UNPROVED, what
    assert _verified(tools) == [] and all("percent / 100" in t.version.code for t in tools)


@pytest.mark.parametrize(
    "tests", ["no tests come to mind", "```python\nprint(percentage_of(1, 2))\n```", ""]
)
async def test_without_tests_candidates_that_differ_verify_nothing(
    tests: str, tmp_path: Path
) -> None:
    """The candidates alone decide then, and those that are written anew do something else."""
    other = PERCENT_CODE.replace(BODY, "percent * number")
    script = percent_script(tests=tests, code=other, foretell="")
    async with scripted_engine(script, tmp_path) as hs:
        after = await _proved(hs, REQUEST)
        tools = await hs.tools.list()
    assert after.result == 42 and _verified(tools) == []


async def test_tests_that_an_empty_stub_passes_prove_nothing(tmp_path: Path) -> None:
    tests = "```python\nassert percentage_of(1, 2) is None\nassert percentage_of(3, 4) == None\n```"
    async with scripted_engine(percent_script(tests=tests), tmp_path) as hs:
        await _proved(hs, REQUEST)
        (tool,) = await hs.tools.list()
    assert not [case for case in tool.version.suite if case.expected is None]
    assert any("does nothing passes it" in case.note for case in tool.version.rejected)


async def test_code_that_knows_the_example_by_heart_becomes_no_tool(tmp_path: Path) -> None:
    by_heart = "    if n == 12:\n        return 144\n    return n + n"
    request = "Build a tool square(n), for example square(12) -> 144"
    async with scripted_engine(_square(by_heart, "square(12)"), tmp_path) as hs:
        answer = await _proved(hs, request)
        tools = await hs.tools.list()
    assert answer.result == 144  # its one value is right, and that is all
    assert tools == [] and answer.proof is not Proof.PROVED


async def test_code_that_is_not_steady_is_not_trusted(tmp_path: Path) -> None:
    dice = "    import random\n    return n * n + (random.random() < 0.4)"
    async with scripted_engine(_square(dice), tmp_path) as hs:
        await _proved(hs, "What is 3 squared?")
        tools = await hs.tools.list()
    assert _verified(tools) == []


async def test_code_that_may_not_do_what_it_does_is_kept_as_a_record_only(tmp_path: Path) -> None:
    noted = Noted()
    spying = "    import os\n    os.environ.get('HOME')\n    return n * n"
    async with scripted_engine(_square(spying), tmp_path) as hs:
        after = await _proved(hs, "What is 3 squared?", noted)
        assert await hs.tools.list() == []
        (job,) = await hs.proofs.list()
    assert after.result == 9  # in the sandbox there was nothing for it to see
    assert after.proof is Proof.UNPROVED and "not allowed" in job.reason
    (record,) = [data for _, _, data in noted.told if data.get("status") == "rejected"]
    assert "os.environ" in str(record["code"]) and record["evidence"]


CONTRADICTING = "Build a tool square(n). square(3) -> 9 and square(3) -> 10. What is square(4)?"


async def test_examples_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    script = _square("    return n * n", "square(4)")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(CONTRADICTING)
        after = await hs.proofs.wait(answer)
        assert await hs.tools.list() == []
    assert (answer.status, answer.result, answer.sureness) == ("done", 16, Sureness.UNSURE)
    assert (
        "do not agree with each other" in answer.text and "9" in answer.text and "10" in answer.text
    )
    assert after.proof is Proof.NONE  # no tool can be right
    assert set(script.asked) == {"solution"}


async def test_whoever_is_there_is_asked_which_example_is_right(tmp_path: Path) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    async def on_question(text: str, results: tuple[str, ...]) -> int | None:
        asked.append((text, results))
        return 0

    script = _square("    return n * n", "square(4)", foretell="16")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(CONTRADICTING, options=AskOptions(on_question=on_question))
        await hs.proofs.wait(answer)
        tool = await hs.tools.get("square")
    assert asked == [("What should square(3) return?", ("9", "10"))]
    assert answer.result == 16 and "contradict" not in answer.text
    assert [case.expected for case in tool.version.spec.examples] == [9]


async def test_the_example_that_was_chosen_is_held_against_solutions(tmp_path: Path) -> None:
    async def on_question(text: str, results: tuple[str, ...]) -> int | None:
        return results.index("10")

    right = "def square(n: float) -> float:\n    return n * n + 1"
    script = _square("    return n * n", "square(4)")
    script._by_purpose["solution repair"] = solution_of(right, "square(4)")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(CONTRADICTING, options=AskOptions(on_question=on_question))
    assert answer.result == 17


async def test_forty_parameters_answer_and_become_no_tool(tmp_path: Path) -> None:
    names = ", ".join(f"a{number}" for number in range(40))
    values = ", ".join(map(str, range(40)))
    total = solution_of(f"def total({names}):\n    return sum([{names}])", f"total({values})")
    async with scripted_engine(Script(solution=total), tmp_path) as hs:
        after = await _proved(hs, f"Add up {values}")
        (job,) = await hs.proofs.list()
        assert await hs.tools.list() == []
    assert (after.result, after.proof) == (780, Proof.NONE)
    assert "at most 8 parameters" in job.reason


async def test_an_author_is_shown_the_example_that_was_missed(tmp_path: Path) -> None:
    shown: list[str] = []

    def again(prompt: Prompt) -> str:
        shown.append(prompt.messages[-1].text)
        return solution_of("def square(n: float) -> float:\n    return n * n", "square(12)")

    script = _square("    return n * 2", "square(12)")
    script._by_purpose["solution repair"] = again
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("Build a tool square(n). For example square(12) -> 144")
    assert answer.result == 144
    assert "it contradicts the example square(12)" in shown[0]


async def test_a_proof_that_finds_nothing_right_repairs_what_it_has_once(tmp_path: Path) -> None:
    """No solution meets the example; the authors of the proof are told what is missed."""
    shown: list[str] = []

    def repair(prompt: Prompt) -> str:
        shown.append(str(prompt))
        return "```python\ndef square(n: float) -> float:\n    return n * n\n```"

    script = _square("    return n * 2", "square(5)", foretell="25")
    script._by_purpose["repair"] = repair
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("Build a tool: square(12) -> 144. What is square(5)?")
        await hs.proofs.wait(answer)
        tool = await hs.tools.get("square")
    assert answer.result == 10 and answer.sureness is Sureness.UNSURE
    assert "square(12) must be 144 but is 24" in shown[0]
    assert "n * n" in tool.version.code


async def test_the_same_solution_is_proved_once(tmp_path: Path) -> None:
    code = PERCENT_CODE.replace(BODY, "raise RuntimeError('no')")
    script = percent_script(code=code, repair=code)
    commented = PERCENT_SOLUTION.replace("17.5, 240", "10, 50").replace("# asked", "# wanted")
    async with scripted_engine(script, tmp_path) as hs:
        first = await _proved(hs, REQUEST)
        asked = script.asked.count("code")
        script._by_purpose["solution"] = commented
        second = await _proved(hs, "Work out 10% of 50")
    assert (first.proof, second.proof) == (Proof.UNPROVED, Proof.UNPROVED)
    assert second.result == 5 and script.asked.count("code") == asked
