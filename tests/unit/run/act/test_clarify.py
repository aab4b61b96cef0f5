"""A question instead of a guess, and the next message as the answer to one that waits."""

from types import SimpleNamespace
from typing import Any

import pytest

from hammerstone.core.approvals import PendingQuestion, Question, QuestionKind, QuestionReply
from hammerstone.core.calls import Failure
from hammerstone.core.tools import Effect, Tool
from hammerstone.run.act.clarify import Clarification, picked_uses
from hammerstone.run.act.step_outcome import CallExecution
from hammerstone.run.context import ToolUse
from hammerstone.run.understand.reading import read
from tests.unit.run.made_runs import done, make_run, make_tool, with_stub

MISSING = Question(QuestionKind.MISSING, "Which year?", parameter="base_year")
CHOICE = Question(
    QuestionKind.CHOICE,
    "Which result?",
    choices=("double: 10", "square: 25"),
    tools=("double", "square"),
)


class Surroundings:
    """Every service of a clarification."""

    def __init__(
        self,
        question: Question | None = None,
        *,
        before: str | None = "the age in days",
        tools: tuple[Tool, ...] = (),
        gives: CallExecution | None = None,
    ) -> None:
        self._question, self._before = question, before
        self._tools = {tool.name: tool for tool in tools}
        self._gives = gives
        self.registry = self.db = self.runs = self
        self.answers: list[str] = []
        self.called: list[tuple[str, Any]] = []
        self.now: list[bool] = []
        self.reply: QuestionReply | PendingQuestion = QuestionReply("25", 1, "q1")

    async def open(self, run: Any) -> Any:
        return SimpleNamespace(question=self._question, run_id="run0") if self._question else None

    async def answer(self, run: Any, asked: Any, text: str) -> QuestionReply:
        self.answers.append(text)
        text = text.strip()
        assert self._question is not None
        named = [*self._question.tools, *self._question.choices]
        place = int(text) - 1 if text.isdecimal() else named.index(text) if text in named else None
        choice = place % 2 if place is not None and self._question.choices else None
        return QuestionReply(text, choice)

    async def ask(
        self, run: Any, question: Question, *, now: bool
    ) -> QuestionReply | PendingQuestion:
        self.now.append(now)
        return self.reply

    async def find(self, name: str) -> Any:
        if name == "run0":
            return SimpleNamespace(request=self._before) if self._before else None
        return self._tools.get(name)

    async def call(self, run: Any, tool: Tool, arguments: Any) -> CallExecution:
        self.called.append((tool.name, arguments))
        assert self._gives is not None
        return self._gives


def clarification(around: Surroundings) -> Clarification:
    return with_stub(Clarification, around)


@pytest.mark.parametrize(
    ("text", "may"),
    [("1990", True), ("in 1990, I think", True), ("What is 2 + 2?", False), ("why? ", False),
     (" ".join(["word"] * 12), True), (" ".join(["word"] * 13), False)],
)  # fmt: skip
def test_an_answer_is_short_and_asks_nothing(text: str, may: bool) -> None:
    assert read(text).may_answer is may


async def test_a_missing_value_is_put_to_the_request_it_was_missing_in() -> None:
    around = Surroundings(MISSING)
    run = await clarification(around).resume(make_run("1990"))
    assert run.words == "the age in days\n(base year: 1990)"
    assert around.answers == ["1990"] and not run.ledger.alone
    nameless = Question(QuestionKind.MISSING, "Which year?")
    said = await clarification(Surroundings(nameless)).resume(make_run("1990"))
    assert said.words == "the age in days\n(Which year?: 1990)"


@pytest.mark.parametrize(
    ("question", "before", "text"),
    [
        (None, "x", "1990"),  # nothing was asked
        (MISSING, "x", "What is 2 + 2?"),  # another request
        (MISSING, None, "1990"),  # the run that asked is gone
        (CHOICE, "x", "3"),
        (CHOICE, "x", "0"),
        (CHOICE, "x", "Convert 100 km"),
    ],
)
async def test_what_answers_nothing_stays_a_request(
    question: Question | None, before: str | None, text: str
) -> None:
    run = make_run(text)
    around = Surroundings(question, before=before)
    assert await clarification(around).resume(run) is run
    assert run.ledger.alone
    assert around.answers == ([text] if before is None else [])


@pytest.mark.parametrize("text", ["2", " 2 ", "square", "square: 25"])
async def test_a_choice_names_the_tool_and_speaks_for_it(text: str) -> None:
    around = Surroundings(CHOICE, tools=(make_tool("square"),))
    run = await clarification(around).resume(make_run(text))
    assert (run.words, run.given_tool) == ("the age in days", "square")
    assert run.ledger.uses == [
        ToolUse("the age in days", "double", picked=False),
        ToolUse("the age in days", "square", picked=True),
    ]


async def test_a_chosen_tool_that_is_gone_leaves_the_request() -> None:
    run = await clarification(Surroundings(CHOICE)).resume(make_run("2"))
    assert (run.words, run.given_tool, run.ledger.uses) == ("the age in days", None, [])


async def test_only_what_has_choices_is_asked_at_once() -> None:
    around = Surroundings()
    asked = clarification(around)
    assert await asked.ask(make_run(), CHOICE) == QuestionReply("25", 1, "q1")
    around.reply = PendingQuestion("q2", MISSING)
    assert await asked.ask(make_run(), MISSING) is None
    assert around.now == [True, False]


async def test_two_tools_with_two_results_are_a_question() -> None:
    around = Surroundings(tools=(make_tool("square"),), gives=CallExecution(25))
    asked = await clarification(around).rival_question(make_run(), "square", done(10))
    assert asked is not None and asked.kind is QuestionKind.CHOICE
    assert asked.choices == ("double: 10", "square: 25")
    assert asked.tools == ("double", "square")
    assert around.called == [("square", {"n": 5})]


@pytest.mark.parametrize(
    ("rival", "gives", "calls"),
    [
        (make_tool("square"), CallExecution(10), 1),  # the same result
        (make_tool("square"), CallExecution(None, Failure.RAISED), 1),
        (make_tool("square", effect=Effect.WRITES), None, 0),
        (make_tool("square", parameters={"side": {"type": "number"}}), None, 0),
        (make_tool("other"), None, 0),  # not in the library any more
    ],
)
async def test_where_no_other_result_is_there_nobody_is_asked(
    rival: Tool, gives: CallExecution | None, calls: int
) -> None:
    around = Surroundings(tools=(rival,), gives=gives)
    assert await clarification(around).rival_question(make_run(), "square", done(10)) is None
    assert len(around.called) == calls


def test_no_choice_says_nothing() -> None:
    assert picked_uses("x", ("a", "b"), None) == []
