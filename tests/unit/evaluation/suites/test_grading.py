"""Graders in layers: what each says, who is asked, and what an error of a grader means."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Artifact, Failure, Outcome
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.evaluations import CaseMark, CaseOutcome
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings
from hammerstone.evaluation.suites.graders import CaseOutput, GraderSpec, GradingTools
from hammerstone.evaluation.suites.grading import grade_case
from hammerstone.evaluation.suites.judge import ask_judge, judge_cases
from hammerstone.evaluation.suites.suite import Suite, SuiteCase
from hammerstone.models.fakes import ScriptedModel
from hammerstone.sandbox import open_sandbox

SUITE = Suite("sums", Path())


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    opened = await open_sandbox(Settings())
    yield opened
    await opened.close()


class Words:
    """An embedder whose vectors are the counts of letters."""

    space, dimensions = "letters", 26

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return [[float(text.lower().count(chr(97 + at))) for at in range(26)] for text in texts]


async def _never() -> Any:
    raise AssertionError("a dearer layer was asked")


def _no_model() -> Any:
    raise AssertionError("a dearer layer was asked")


NOTHING = GradingTools(_never, _never, _no_model)


async def grade(
    produced: CaseOutput | Json,
    *graders: dict[str, Json],
    tools: GradingTools = NOTHING,
    every: bool = False,
    limit_s: float = 100.0,
) -> CaseOutcome:
    given = produced if isinstance(produced, CaseOutput) else CaseOutput(produced)
    specs = tuple(GraderSpec.read(one) for one in graders)
    case = SuiteCase("a", "What is it?", specs, every=every)
    return await grade_case(SUITE, case, given, tools, limit_s)


@pytest.mark.parametrize(
    ("kind", "expect", "given", "passes"),
    [
        ("exact", [1, 2.0], [1, 2.0000000001], True),
        ("exact", "Paris", "paris", False),
        ("number", 42, 42.0, True),
        ("number", 42, "42", False),
        ("number", 42, True, False),
        ("answer", "20 minutes", 20, True),
        ("answer", 22.72, 22.7244, True),
        ("answer", 22.72, 23, False),
        ("contains", ["May", "june"], "From May to June", True),
        ("contains", ["May", "July"], "From May to June", False),
        ("json", {"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 2], "c": 3}, True),
        ("json", {"a": 1, "b": [1, 2]}, '{"a": 1, "b": [1, 2]}', True),
        ("json", {"a": 1, "b": 2}, {"a": 1, "b": 3}, False),
        ("json", {"a": 1}, "no json", False),
        ("json", [1, 2], [1, 2, 3], False),
        ("table", [["x", 1], ["y", 2]], [["x", 1], ["y", 2]], True),
        ("table", [["x", 1]], "no table", False),
        ("file", "csv", "no file", False),
        ("chart", [], "no picture", False),
    ],
)
async def test_what_the_cheap_graders_say(kind: str, expect: Json, given: Json, passes: bool):
    found = await grade(given, {"kind": kind, "expect": expect})
    assert found.mark is (CaseMark.PASSED if passes else CaseMark.FAILED)
    assert bool(found.reason) is not passes


async def test_a_number_may_be_allowed_to_differ():
    near: dict[str, Json] = {"kind": "number", "expect": 10, "within": 0.5}
    assert (await grade(10.4, near)).passed and not (await grade(10.6, near)).passed


async def test_the_first_that_is_content_decides_and_the_dearer_are_not_asked():
    judge: dict[str, Json] = {"kind": "judge", "expect": "2"}
    assert (await grade(2, {"kind": "exact", "expect": 2}, judge)).passed


async def test_with_every_all_have_to_be_content():
    both: tuple[dict[str, Json], ...] = (
        {"kind": "contains", "expect": ["2"]},
        {"kind": "number", "expect": 3},
    )
    assert (await grade(2, *both)).passed
    assert not (await grade(2, *both, every=True)).passed


async def test_what_is_in_files_is_looked_at_in_the_sandbox(sandbox: Sandbox):
    async def opened() -> Sandbox:
        return sandbox

    tools = GradingTools(opened, _never, _no_model)
    made = CaseOutput(files=(Artifact("out.csv", b"name,total\nAnna,7\nBen,9.50\n"),))
    rows: Json = [["name", "total"], ["Anna", 7], ["Ben", 9.5]]
    assert (await grade(made, {"kind": "table", "expect": rows}, tools=tools)).passed
    wanted: Json = {"kind": "csv", "rows": rows}
    assert (await grade(made, {"kind": "file", "expect": wanted}, tools=tools)).passed
    assert not (await grade(made, {"kind": "file", "expect": "pdf"}, tools=tools)).passed
    drawn = CaseOutput(files=(Artifact("plot.svg", b"<svg><text>Sales 2026</text></svg>"),))
    assert (await grade(drawn, {"kind": "chart", "expect": ["sales"]}, tools=tools)).passed
    assert not (await grade(drawn, {"kind": "chart", "expect": ["costs"]}, tools=tools)).passed


async def test_files_that_there_was_no_time_to_open_are_an_error_of_the_grader():
    class Busy:
        backend, call, close = "busy", None, None

        async def matrix(self, *_: Any, **__: Any) -> list[list[Outcome]]:
            return [[Outcome(failure=Failure.TIMEOUT, error="no answer within 8.0 s")]]

    async def opened() -> Any:
        return Busy()

    made = CaseOutput(files=(Artifact("out.csv", b"a,b"),))
    tools = GradingTools(opened, _never, _no_model)
    found = await grade(made, {"kind": "file", "expect": "csv"}, tools=tools)
    assert found.mark is CaseMark.GRADER_ERROR and "no answer within 8.0 s" in found.reason


async def test_code_of_a_suite_grades_in_the_sandbox_and_its_errors_are_its_own(sandbox: Sandbox):
    async def opened() -> Sandbox:
        return sandbox

    tools = GradingTools(opened, _never, _no_model)

    async def by(code: str, given: Json = 4) -> CaseOutcome:
        body = f"def grade(result, expect):\n    {code}\n"
        return await grade(given, {"kind": "code", "expect": 4, "code": body}, tools=tools)

    assert (await by("return result == expect")).passed
    assert (await by("return 0.8")).score == 0.8
    assert (await by("return False")).mark is CaseMark.FAILED
    raised = await by("return 1 / 0")
    assert raised.mark is CaseMark.GRADER_ERROR and "ZeroDivisionError" in raised.reason
    assert (await by("return 'yes'")).mark is CaseMark.GRADER_ERROR


async def test_a_grader_that_hangs_is_an_error_of_the_grader():
    async def hangs() -> Any:
        await asyncio.Event().wait()

    tools = GradingTools(_never, hangs, _no_model)
    found = await grade("x", {"kind": "similar", "expect": "y"}, tools=tools, limit_s=0.05)
    assert found.mark is CaseMark.GRADER_ERROR and "took longer" in found.reason
    cheap: dict[str, Json] = {"kind": "exact", "expect": "z"}
    both = await grade("x", cheap, {"kind": "similar", "expect": "y"}, tools=tools, limit_s=0.05)
    assert both.mark is CaseMark.GRADER_ERROR  # the cheap one was not content, the other unknown


async def test_meaning_is_the_embedders_similarity():
    async def words() -> Any:
        return Words()

    tools = GradingTools(_never, words, _no_model)
    near = await grade("the total is listed", {"kind": "similar", "expect": "listed is the total"},
                       tools=tools)  # fmt: skip
    far = await grade("zzz", {"kind": "similar", "expect": "total"}, tools=tools)
    assert near.passed and far.mark is CaseMark.FAILED and far.score == 0.0


async def test_the_judge_sees_request_answer_and_truth_and_its_word_counts():
    seen: list[Prompt] = []

    def reply(prompt: Prompt) -> str:
        seen.append(prompt)
        return json.dumps({"why": "It differs.", "right": "seven" in prompt.messages[-1].text})

    tools = GradingTools(_never, _never, lambda: ScriptedModel(reply))
    right = await grade("seven", {"kind": "judge", "expect": "7"}, tools=tools)
    wrong = await grade("eight", {"kind": "judge", "expect": "7"}, tools=tools)
    assert right.passed and wrong.mark is CaseMark.FAILED and "It differs." in wrong.reason
    assert "What is it?" in seen[0].messages[-1].text


async def test_a_judge_that_is_down_says_nothing_about_the_answer():
    def down(_: Prompt) -> str:
        raise ModelUnavailable("the model is down")

    tools = GradingTools(_never, _never, lambda: ScriptedModel(down))
    found = await grade("seven", {"kind": "judge", "expect": "7"}, tools=tools)
    assert found.mark is CaseMark.GRADER_ERROR and "the model is down" in found.reason


async def test_the_known_answers_for_the_judge_are_half_right_and_half_wrong():
    cases = judge_cases()
    assert len(cases) >= 20 and len({one.id for one in cases}) == len(cases)
    assert 0.4 <= sum(one.right for one in cases) / len(cases) <= 0.6
    word = await ask_judge(
        ScriptedModel(['{"why": "same", "right": true}']), cases[0].request, "120", "120"
    )
    assert word.right
