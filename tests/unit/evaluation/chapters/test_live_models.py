"""Measurements that ask a model directly or make a tool, with scripted answers."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.answers import Answer
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.evaluations import CaseOutcome, EvaluationSet, MetricValue
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.chapters.live_requests import answer_of, asked
from hammerstone.evaluation.chapters.made_tasks import PAPER, TASKS
from hammerstone.evaluation.chapters.read_arguments import CASES, bfcl_arguments
from hammerstone.evaluation.chapters.tool_making import CHECK, ROWS, tool_making
from hammerstone.models.fakes import ScriptedModel

SORTING = next(task for task in TASKS if task.name == "word_sorting")


class Engine:
    """Sorts the words of a request with the tool it was told to build, but for one question."""

    def __init__(self, wrong: Sequence[str]) -> None:
        self.proofs = self
        self.wrong = wrong
        self.built = ""

    async def ask(self, text: str, **_: Any) -> Answer:
        if text.startswith("Build a tool"):
            self.built = text
            return Answer("built", tool="sort_words", run_id="r")
        words = sorted(text.rpartition("List: ")[2].split(), reverse=text in self.wrong)
        return Answer(" ".join(words), result=words, tool="sort_words")

    async def wait(self, answer: Answer) -> Answer:
        return answer


class Resources:
    def __init__(self, folder: Path, engine: Any = None, model: Any = None) -> None:
        self.folder, self.engine, self._model = folder, engine, model

    def file(self, name: str) -> Path:
        return self.folder / name

    def model(self, role: object) -> Any:
        return self._model

    @asynccontextmanager
    async def product(self, **changes: object) -> AsyncIterator[Any]:
        yield self.engine


async def _found(findings: Any) -> tuple[list[CaseOutcome], dict[str, MetricValue]]:
    every = [one async for one in findings]
    cases = [one for one in every if isinstance(one, CaseOutcome)]
    return cases, {one.name: one for one in every if isinstance(one, MetricValue)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (ROWS, CHECK, CASES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / CHECK).write_text("def is_right(row, value):\n    return value == row['want']\n")
    (tmp_path / ROWS).write_text("")
    return tmp_path


async def test_a_tool_is_made_of_three_examples_and_answers_the_others(folder: Path) -> None:
    questions = SORTING.questions(53)
    engine = Engine(wrong=[questions[3].text])
    resources: Any = Resources(folder, engine)
    context = MeasurementContext(resources, EvaluationSet.FULL)
    cases, metrics = await _found(tool_making(context, SORTING))
    assert all(one.text in engine.built for one in questions[:3])
    assert " ".join(questions[0].want) in engine.built
    assert len(cases) == 50 and [one.case for one in cases if not one.passed] == [questions[3].id]
    right = metrics["right"]
    assert (right.value, right.baseline, right.baseline_name) == (0.98, 0.983, PAPER)
    assert metrics["answered by the tool that was made"].value == 1.0


async def test_arguments_are_read_beside_a_plain_prompt(folder: Path) -> None:
    schema = {"type": "dict", "properties": {"base": {"type": "integer"}}, "required": ["base"]}
    function = {"name": "area", "description": "The area", "parameters": schema}
    rows = [
        {"query": f"A base of {base}?", "function": function, "accepted": {"base": [base]}}
        for base in (3, 4)
    ]
    (folder / CASES).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def reply(prompt: Prompt) -> str:
        return '{"base": 3}'

    resources: Any = Resources(folder, model=ScriptedModel(reply))
    cases, metrics = await _found(bfcl_arguments(MeasurementContext(resources, EvaluationSet.FULL)))
    assert cases[0].passed and cases[0].numbers["plain"] == 1.0
    assert metrics["arguments right"].baseline == 0.5


class Down:
    """A product whose model is not there."""

    async def ask(self, text: str, **_: Any) -> Answer:
        raise ModelUnavailable("the model is down")


async def test_a_model_that_is_down_is_no_wrong_answer(tmp_path: Path) -> None:
    row = AnswerRow("gsm8k-1", "What is 1 + 1?", {}, lambda row, value: False)

    async def ask(text: str, on_event: object) -> Answer:
        return await Down().ask(text)

    with pytest.raises(ModelUnavailable):
        await asked(row, ask, 0.9)  # type: ignore[arg-type]
    with pytest.raises(ModelUnavailable):
        await answer_of(Down(), "What is 1 + 1?")  # type: ignore[arg-type]
