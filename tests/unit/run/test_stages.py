"""Each stage of a request's way: when it answers itself, and what it leaves for the next."""

from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.answers import Answer, AnswerStatus, Event, EventKind
from hammerstone.core.tools import Tool
from hammerstone.library.memory.context import Context
from hammerstone.run.act.carry_out import StepInputs
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.stages import (
    FindStage,
    UnderstandStage,
    Work,
)
from hammerstone.run.understand.follow_ups import FollowUp
from hammerstone.storage import SessionValue
from tests.unit.run.made_runs import make_run, make_tool, session_value, with_stub


class Understanding:
    """Everything around the first stage, noting what it was asked."""

    def __init__(
        self,
        *,
        told: str = "",
        follow: FollowUp | None = None,
        values: tuple[SessionValue, ...] = (),
    ) -> None:
        self.asked: list[str] = []
        self._told, self._follow, self._values = told, follow, values
        self.limits: list[int] = []

    async def resume(self, run: Run) -> Run:
        self.asked.append("resume")
        return run

    async def enrich(self, run: Run) -> Context:
        self.asked.append("enrich")
        return Context(told=self._told)

    async def keep_given(self, run: Run) -> None:
        self.asked.append("keep files")

    @asynccontextmanager
    async def with_session_files(self, run: Run) -> Any:
        self.asked.append("open files")
        yield replace(run, files=(Path(__file__),))
        self.asked.append("close files")

    async def follow_up(self, run: Run) -> FollowUp | None:
        self.asked.append("follow up")
        return self._follow

    async def recent(
        self, session: str, most: int, *, asked_by: datetime | None
    ) -> list[SessionValue]:
        assert (session, asked_by) == ("s1", None)
        self.limits.append(most)
        return [*self._values]

    def get(self, kind: Any) -> Any:
        return kind()

    @property
    def stage(self) -> UnderstandStage:
        return with_stub(UnderstandStage, self)


async def test_a_named_call_is_understood_already() -> None:
    around = Understanding()
    assert await around.stage(Work(make_run(), given={"n": 5})) is None
    assert around.asked == []


async def test_a_first_request_reads_no_session() -> None:
    around = Understanding(values=(session_value(5),))
    work = Work(make_run("and that result again"))
    assert await around.stage(work) is None
    assert around.asked == ["enrich"]
    assert work.inputs == StepInputs()
    assert work.run.ledger.alone


async def test_what_was_only_told_is_answered_at_once() -> None:
    around = Understanding(told="Noted: tea.")
    answer = await around.stage(Work(make_run(files=(Path(__file__),))))
    assert answer is not None
    assert (answer.text, answer.status) == ("Noted: tea.", AnswerStatus.DONE)
    assert around.asked == ["enrich"]


async def test_given_files_are_kept() -> None:
    around = Understanding()
    await around.stage(Work(make_run("sum the file", files=(Path(__file__),), owner="ada")))
    assert around.asked == ["resume", "enrich", "keep files"]


async def test_without_memory_the_past_does_not_count() -> None:
    around = Understanding(values=(session_value(5),))
    await around.stage(Work(make_run("double that result", owner="ada", memory=False)))
    assert around.asked == ["resume", "enrich"]
    assert around.limits == []


@pytest.mark.parametrize(
    ("text", "offered", "alone"),
    [("double that result", True, False), ("double 5", False, True)],
)
async def test_values_are_offered_where_the_words_may_mean_them(
    text: str, offered: bool, alone: bool
) -> None:
    value = session_value(5)
    around = Understanding(values=(value,))
    work = Work(make_run(text, owner="ada"))
    await around.stage(work)
    assert [*work.inputs.values] == ([value] if offered else [])
    assert around.limits == ([SessionPolicy().offered_values] if offered else [])
    assert work.run.ledger.alone is alone


async def test_a_follow_up_brings_its_arguments() -> None:
    follow = FollowUp(make_tool(), {"n": 6}, "", {"xs": [1]})
    around = Understanding(follow=follow)
    work = Work(make_run("what about 6?", owner="ada"))
    await around.stage(work)
    assert "follow up" in around.asked
    assert work.follow is follow
    assert (work.inputs.known, work.inputs.data) == ({"n": 6}, {"xs": [1]})
    assert not work.run.ledger.alone


async def test_words_that_vary_nothing_ask_for_no_follow_up() -> None:
    around = Understanding(follow=FollowUp(make_tool()))
    work = Work(make_run("double 5", owner="ada"))
    await around.stage(work)
    assert (work.follow, "follow up" in around.asked) == (None, False)


async def test_files_of_the_session_stay_open_until_the_end() -> None:
    around = Understanding()
    work = Work(make_run("sum the file", owner="ada"))
    async with work.until_end:
        await around.stage(work)
        assert work.run.files == (Path(__file__),)
        assert around.asked[-1] == "open files"
    assert around.asked[-1] == "close files"
    assert not work.run.ledger.alone


class Planning:
    """A planner and a finder with one plan and one tool."""

    def __init__(self, plan: Plan | None = None, tool: Tool | None = None) -> None:
        self.plan, self.tool = plan, tool or make_tool()
        self.asked: list[tuple[str, str]] = []
        self.known: Answer | None = None  # what solutions gave to the same words
        self.fits: list[str | None] = []

    async def solved(self, run: Run, fits: str | None) -> Answer | None:
        self.fits.append(fits)
        return self.known

    async def plan_for(self, run: Run, text: str, words: str) -> Plan:
        self.asked.append((text, words))
        assert self.plan is not None
        return self.plan

    async def knows(self, name: str, user: str) -> bool:
        return False

    async def specs_of(self, plan: Plan) -> dict[str, Any]:
        return {self.tool.name: self.tool.version.spec}

    async def get(self, name: str) -> Tool:
        assert name == self.tool.name
        return self.tool

    @property
    def stage(self) -> FindStage:
        return with_stub(FindStage, self)


def single(work: Work) -> PlanStep:
    assert work.plan is not None
    assert work.plan.strategy is Strategy.SINGLE
    (step,) = work.plan.steps
    return step


async def test_a_named_call_is_its_own_plan() -> None:
    work = Work(make_run("double", given_tool="double"), given={"n": 5})
    assert await Planning().stage(work) is None
    assert single(work) == PlanStep("1", "double", "double")
    assert (work.inputs.known, work.inputs.closed) == ({"n": 5}, True)


async def test_a_named_call_that_does_not_fit_is_refused() -> None:
    work = Work(make_run("double", given_tool="double"), given={"n": "five"})
    answer = await Planning().stage(work)
    assert answer is not None
    assert answer.status is AnswerStatus.FAILED
    assert answer.text.startswith("double cannot be called with these values: n: ")
    assert answer.tool == "double"


@pytest.mark.parametrize(("text", "words"), [("", "what about 6?"), ("double 6", "double 6")])
async def test_a_follow_up_is_the_same_tool_again(text: str, words: str) -> None:
    work = Work(make_run("what about 6?"), follow=FollowUp(make_tool(), text=text))
    assert await Planning().stage(work) is None
    assert single(work) == PlanStep("1", words, "double")
    assert work.run.words == words


async def test_a_tool_that_the_person_named_is_used() -> None:
    work = Work(make_run("double 5", given_tool="double"), follow=FollowUp(None))
    assert await Planning().stage(work) is None
    assert single(work) == PlanStep("1", "double 5", "double")


async def test_anything_else_is_planned_with_what_it_refers_to() -> None:
    plan = Plan(Strategy.SOLVING, (PlanStep("1", "x"),))
    planning, told = Planning(plan), list[Event]()
    work = Work(make_run("double that result", told=told), inputs=StepInputs((session_value(7),)))
    assert await planning.stage(work) is None
    assert work.plan is plan
    assert told == []  # one step is not worth showing
    ((text, words),) = planning.asked
    assert text == "double that result"
    assert "7" in words


@pytest.mark.parametrize(
    ("step", "fits"),
    [
        (PlanStep("1", "x", unfit=True), None),
        (PlanStep("1", "x", "double", beside_solution=True), None),
        (PlanStep("1", "x", "double"), "double"),
    ],
)
async def test_what_was_solved_before_is_not_solved_again(step: PlanStep, fits: str | None) -> None:
    planning, told = Planning(Plan(Strategy.SOLVING, (step,))), list[Event]()
    planning.known = Answer(text="10", result=10, cached=True)
    assert await planning.stage(Work(make_run("x", told=told))) is planning.known
    assert planning.fits == [fits]
    assert [event.kind for event in told] == [EventKind.CACHE_HIT]


async def test_what_refers_to_nothing_is_told() -> None:
    work = Work(make_run("double that result"), inputs=StepInputs())
    answer = await Planning(Plan(Strategy.SOLVING, (PlanStep("1", "x"),))).stage(work)
    assert answer is not None
    assert answer.status is AnswerStatus.FAILED
    assert answer.text == (
        "I do not understand the request: nothing in this session fits 'that result'."
    )


async def test_a_plan_of_several_steps_is_shown_and_checked() -> None:
    told: list[Event] = []
    steps = (PlanStep("1", "double 5", "double"), PlanStep("2", "double it", after=("1",)))
    plan = Plan(Strategy.SEQUENCE, steps)
    work = Work(make_run("double 5, then double it", told=told))
    assert await Planning(plan).stage(work) is None
    assert [(event.kind, event.text) for event in told] == [(EventKind.PLANNING, plan.in_words())]
    assert told[0].data["strategy"] == "sequence"
    circle = Plan(Strategy.SEQUENCE, (replace(steps[0], after=("2",)), steps[1]))
    answer = await Planning(circle).stage(Work(make_run("a, then b")))
    assert answer is not None
    assert answer.text == (
        "I could not plan the steps: the steps wait for each other, so none can start"
    )


def test_a_session_with_an_owner_has_a_past() -> None:
    assert Work(make_run()).fresh
    assert not Work(make_run(owner="ada")).fresh
