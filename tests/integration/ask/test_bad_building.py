"""What building does with requests that make no sense and models that write nonsense."""

import json
from itertools import count
from pathlib import Path

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Status
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_SPEC,
    PERCENT_TESTS,
    Script,
    Watched,
    percent_script,
    scripted_engine,
)

REQUEST = "What is 17.5% of 240?"
BODY = "return percent / 100 * number"
SQUARE_SPEC = PERCENT_SPEC | {
    "name": "square",
    "description": "Compute the square of a number.",
    "parameters": [{"name": "n", "type": "number", "description": "a number"}],
}


def _square(code: str, **more: str) -> Script:
    lines: dict[str, str] = {
        "spec": json.dumps(SQUARE_SPEC),
        "arguments": '{"n": 3}',
        "tests": "```python\nassert square(2) == 4\nassert square(5) == 25\n```",
        "code": f"```python\ndef square(n):\n{code}\n```",
        "repair": f"```python\ndef square(n):\n{code}\n```",
    }
    return Script(**(lines | more))


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
async def test_code_that_is_none_becomes_no_tool(what: str, code: str, tmp_path: Path) -> None:
    async with scripted_engine(percent_script(code=code, repair=code), tmp_path) as hs:
        await hs.policies.change("build_budget", {"attempts": 1}, who="test", why="once is enough")
        answer = await hs.ask(REQUEST)
        tools = await hs.tools.list()
    assert answer.status == "failed" and "could not build" in answer.text, what
    assert tools == []


@pytest.mark.parametrize(
    "tests", ["no tests come to mind", "```python\nprint(percentage_of(1, 2))\n```", ""]
)
async def test_without_tests_nothing_is_verified(tests: str, tmp_path: Path) -> None:
    async with scripted_engine(percent_script(tests=tests), tmp_path) as hs:
        await hs.ask(REQUEST)
        tools = await hs.tools.list()
    assert not [tool for tool in tools if tool.status is Status.VERIFIED]


async def test_tests_that_an_empty_stub_passes_prove_nothing(tmp_path: Path) -> None:
    tests = "```python\nassert percentage_of(1, 2) is None\nassert percentage_of(3, 4) == None\n```"
    async with scripted_engine(percent_script(tests=tests), tmp_path) as hs:
        await hs.ask(REQUEST)
        (tool,) = await hs.tools.list()
    assert not [case for case in tool.version.suite if case.expected is None]
    assert any("stub" in case.note for case in tool.version.rejected)


async def test_code_that_knows_the_example_by_heart_is_not_used(tmp_path: Path) -> None:
    by_heart = "    if n == 12:\n        return 144\n    return n + n"
    request = "Build a tool square(n), for example square(12) -> 144"
    async with scripted_engine(_square(by_heart), tmp_path) as hs:
        await hs.policies.change("build_budget", {"attempts": 1}, who="test", why="once is enough")
        await hs.ask(request)
        assert await hs.tools.list() == []


async def test_code_that_is_not_steady_is_not_trusted(tmp_path: Path) -> None:
    dice = "    import random\n    return n * n + (random.random() < 0.4)"
    async with scripted_engine(_square(dice), tmp_path) as hs:
        await hs.ask("What is 3 squared?")
        tools = await hs.tools.list()
    assert not [tool for tool in tools if tool.status is Status.VERIFIED]


async def test_code_that_may_not_do_what_it_does_is_kept_as_a_record_only(tmp_path: Path) -> None:
    seen = Watched()
    spying = "    import os\n    os.environ.get('HOME')\n    return n * n"
    async with scripted_engine(_square(spying), tmp_path) as hs:
        await hs.policies.change("build_budget", {"attempts": 1}, who="test", why="once is enough")
        answer = await hs.ask("What is 3 squared?", on_event=seen)
        assert await hs.tools.list() == []
    assert answer.status == "failed" and "not allowed" in answer.text
    (record,) = [event for event in seen.events if event.data.get("status") == "rejected"]
    assert "os.environ" in str(record.data["code"]) and record.data["evidence"]


async def test_examples_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    request = "Build a tool square(n). square(3) -> 9 and square(3) -> 10"
    script = _square("    return n * n")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request)
        assert await hs.tools.list() == []
    assert answer.status == "failed" and "contradict" in answer.text
    assert "9" in answer.text and "10" in answer.text
    assert script.asked == ["spec"]  # nothing else was paid for


async def test_whoever_is_there_is_asked_which_example_is_right(tmp_path: Path) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    async def on_question(text: str, results: tuple[str, ...]) -> int | None:
        asked.append((text, results))
        return 0

    request = "Build a tool square(n). square(3) -> 9 and square(3) -> 10"
    async with scripted_engine(_square("    return n * n"), tmp_path) as hs:
        await hs.ask(request, on_question=on_question)
        tool = await hs.tools.get("square")
    assert asked[0] == ("What should square(3) return?", ("9", "10"))
    assert [case.expected for case in tool.version.spec.examples] == [9]


async def test_forty_parameters_are_too_many(tmp_path: Path) -> None:
    names = ", ".join(f"a{number}" for number in range(40))
    async with scripted_engine(Script(), tmp_path) as hs:
        answer = await hs.ask(f"Write a function total({names}) that adds them up")
    assert answer.status == "failed" and "at most 8 parameters, not 40" in answer.text


async def test_a_spec_that_does_not_fit_the_examples_is_written_anew(tmp_path: Path) -> None:
    specs = [PERCENT_SPEC | {"name": "square"}, SQUARE_SPEC]
    complaints: list[str] = []

    def spec(prompt: object) -> str:
        complaints.append(str(prompt))
        return json.dumps(specs[min(len(complaints), 2) - 1])

    script = _square("    return n * n", spec="")
    script._by_purpose["spec"] = spec  # pyright: ignore[reportPrivateUsage]
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("Build a tool: square(3, 4, 5) is not it, square(3) -> 9")
    assert answer.tool == "square"
    assert len(complaints) <= 2


async def test_repair_sees_the_example_that_was_missed(tmp_path: Path) -> None:
    shown: list[str] = []

    def repair(prompt: object) -> str:
        shown.append(str(prompt))
        return "```python\ndef square(n):\n    return n * n\n```"

    script = _square("    return n * 2", tests=PERCENT_TESTS.replace("percentage_of", "nothing"))
    script._by_purpose["repair"] = repair  # pyright: ignore[reportPrivateUsage]
    async with scripted_engine(script, tmp_path) as hs:
        await hs.ask("Build a tool square(n). For example square(12) -> 144")
        tool = await hs.tools.get("square")
    assert "square(12) must be 144 but is 24" in shown[0]
    assert "n * n" in tool.version.code


async def test_a_budget_that_ends_between_attempts_is_told_with_the_reason(tmp_path: Path) -> None:
    code = PERCENT_CODE.replace(BODY, "raise RuntimeError('no')")
    designs = count()

    def spec(prompt: Prompt) -> str:
        return json.dumps(PERCENT_SPEC | {"description": f"Design {next(designs)}."})

    async with scripted_engine(percent_script(spec=spec, code=code, repair=code), tmp_path) as hs:
        await hs.policies.change("build_budget", {"model_calls": 24}, who="test", why="tight")
        answer = await hs.ask(REQUEST)
    assert answer.status == "failed" and "used up" in answer.text


async def test_the_same_design_is_not_proved_twice(tmp_path: Path) -> None:
    code = PERCENT_CODE.replace(BODY, "raise RuntimeError('no')")
    script = percent_script(code=code, repair=code)
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.status == "failed" and "no candidate runs (RuntimeError: no)" in answer.text
    assert script.asked.count("spec") == 2
    assert "code" not in script.asked[len(script.asked) - script.asked[::-1].index("spec") :]
