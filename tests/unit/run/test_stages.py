"""Each stage of a request's way: when it answers itself, and what it leaves for the next."""

from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from hammerstone.core.answers import Answer, AnswerStatus, Event, EventKind
from hammerstone.core.approvals import Question, QuestionKind, QuestionReply
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.tools import Status, Tool
from hammerstone.library.memory.context import Context
from hammerstone.run.act.carry_out import PlanOutcome, TaskNode
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.act.stepping import StepInputs
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.solve.solver import SolveOutcome
from hammerstone.run.stages import (
    ActStage,
    FindStage,
    RespondStage,
    Stages,
    UnderstandStage,
    Work,
)
from hammerstone.run.understand.follow_ups import FollowUp
from hammerstone.storage import SessionValue
from tests.unit.run.made_runs import done, make_run, make_tool, session_value, with_stub

MISSING = Question(QuestionKind.MISSING, "What should n be?", parameter="n")
CHOICE = Question(QuestionKind.CHOICE, "Which?", choices=("10", "15"), tools=("double", "triple"))


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

    async def recent(self, session: str, most: int) -> list[SessionValue]:
        assert session == "s1"
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
    assert answer.text.startswith("double cannot be called like that: n: ")
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
    planning = Planning(plan)
    work = Work(make_run("double that result"), inputs=StepInputs((session_value(7),)))
    assert await planning.stage(work) is None
    assert work.plan is plan
    ((text, words),) = planning.asked
    assert text == "double that result"
    assert "7" in words


async def test_what_refers_to_nothing_is_told() -> None:
    work = Work(make_run("double that result"), inputs=StepInputs())
    answer = await Planning(Plan(Strategy.SOLVING, (PlanStep("1", "x"),))).stage(work)
    if answer is not None:
        assert answer.text.startswith("I do not know what you mean: ")
        assert answer.status is AnswerStatus.FAILED


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
    assert answer.text == "I could not make a plan: the steps wait for each other in a circle"


async def test_one_step_is_recorded_together_with_its_run() -> None:
    class Plans:
        async def carry_out(self, run: Run, plan: Plan, inputs: StepInputs) -> PlanOutcome:
            return PlanOutcome()

    for count in (1, 2):
        steps = tuple(PlanStep(str(n), "x") for n in range(count))
        work = Work(make_run(), plan=Plan(Strategy.SEQUENCE, steps))
        assert await ActStage(cast(Any, Plans()))(work) is None
        assert work.run.ledger.together is (count == 1)
        assert work.outcome == PlanOutcome()


class Responding:
    """Everything around the last stage; `says` are the person's answers, None for nobody."""

    def __init__(self, *says: QuestionReply | None, question: Question | None = None) -> None:
        self._says = [*says]
        self._question = question
        self.asked: list[Question] = []
        self.carried: list[Plan] = []
        self.found: Answer | None = None

    async def rival_question(self, run: Run, plan: Plan, last: StepOutcome) -> Question | None:
        return self._question

    async def ask(self, run: Run, question: Question) -> QuestionReply | None:
        self.asked.append(question)
        return self._says.pop(0)

    async def carry_out(self, run: Run, plan: Plan, inputs: StepInputs) -> PlanOutcome:
        self.carried.append(plan)
        return finished(done(15, make_tool("triple")), plan)

    async def answer_in_words(self, run: Run, plan: Plan, outcome: PlanOutcome) -> Answer:
        return Answer(str(outcome.done[plan.last.id].result))

    async def chat(self, run: Run) -> str:
        return "Hello!"

    async def look_up(self, run: Run) -> Answer | None:
        return self.found

    @property
    def stage(self) -> RespondStage:
        return with_stub(RespondStage, self)


ONE = Plan(Strategy.SINGLE, (PlanStep("1", "double 5", "double"),))


def finished(outcome: StepOutcome, plan: Plan = ONE) -> PlanOutcome:
    nodes = [TaskNode(step, "done") for step in plan.steps]
    return PlanOutcome({plan.last.id: outcome}, nodes)


def work_of(outcome: PlanOutcome, plan: Plan = ONE, **run: Any) -> Work:
    return Work(make_run(**run), plan=plan, outcome=outcome)


@pytest.mark.parametrize(
    ("outcome", "learned"),
    [
        (done(), True),
        (done(tool=make_tool(status=Status.TRUSTED)), True),
        (done(tool=make_tool(status=Status.EXPERIMENTAL)), False),
        (done(tool=make_tool(status=Status.EXPERIMENTAL), agrees=True), True),
        (replace(done(), tool=None), False),
    ],
)
async def test_a_proved_tool_that_answered_is_a_lesson(outcome: StepOutcome, learned: bool) -> None:
    work = work_of(finished(outcome))
    answer = await Responding().stage(work)
    assert answer is not None
    assert answer.text == "10"
    expected = [("double 5", outcome.tool)] if learned else []
    assert work.run.ledger.lessons == expected


@pytest.mark.parametrize(
    ("reply", "text", "carried"),
    [
        (QuestionReply("15", 1), "15", ["triple"]),
        (QuestionReply("10", 0), "10", []),
        (None, "Which?\n1) 10\n2) 15", []),
    ],
)
async def test_which_of_two_results_was_meant(
    reply: QuestionReply | None, text: str, carried: list[str]
) -> None:
    around = Responding(reply, question=CHOICE)
    plan = replace(ONE, rival="triple")
    answer = await around.stage(work_of(finished(done()), plan))
    assert answer is not None
    assert answer.text == text
    assert [one.last.tool for one in around.carried] == carried
    assert (answer.status is AnswerStatus.QUESTION) is (reply is None)


async def test_without_a_rival_the_first_result_stays() -> None:
    around = Responding(QuestionReply("15", 1), question=CHOICE)
    answer = await around.stage(work_of(finished(done())))
    assert answer is not None
    assert (answer.text, around.carried) == ("10", [])


def stopped(plan: Plan = ONE, **outcome: Any) -> PlanOutcome:
    failed = StepOutcome(False, **outcome)
    return PlanOutcome({}, [TaskNode(step, "failed") for step in plan.steps], failed)


async def test_what_the_person_says_goes_the_way_again() -> None:
    work = work_of(stopped(question=MISSING))
    work.follow = FollowUp(None)
    assert await Responding(QuestionReply("7")).stage(work) is None
    assert work.run.words == "double 5\n(What should n be? 7)"
    assert (work.follow, work.questions, work.run.ledger.alone) == (None, 1, False)


async def test_nobody_there_leaves_the_question_as_the_answer() -> None:
    answer = await Responding(None).stage(work_of(stopped(question=MISSING)))
    assert answer is not None
    assert (answer.text, answer.status) == ("What should n be?", AnswerStatus.QUESTION)


@pytest.mark.parametrize(("before", "again"), [(0, True), (1, True), (2, False)])
async def test_two_questions_are_asked_and_no_third(before: int, again: bool) -> None:
    work = work_of(stopped(question=MISSING, error="n is missing"))
    work.questions = before
    answer = await Responding(QuestionReply("7")).stage(work)
    assert (answer is None) is again
    if answer:
        assert answer.text == "n is missing"


@pytest.mark.parametrize(
    ("kind", "text", "status"),
    [
        (RequestKind.CONVERSATION, "Hello!", AnswerStatus.DONE),
        (RequestKind.LIVE_DATA, "I cannot answer that: it needs live data from outside, and no"
         " connector is configured.", AnswerStatus.FAILED),
        (RequestKind.HARMFUL, "I will not do that: it would harm someone.", AnswerStatus.FAILED),
        (RequestKind.CALCULATION, "I found no answer: all wrong.", AnswerStatus.FAILED),
    ],
)  # fmt: skip
async def test_what_is_not_to_be_computed(
    kind: RequestKind, text: str, status: AnswerStatus
) -> None:
    work = work_of(stopped(solved=SolveOutcome(kind), error="all wrong"))
    answer = await Responding().stage(work)
    assert answer is not None
    assert (answer.text, answer.status) == (text, status)


async def test_live_data_is_looked_up_where_it_can_be() -> None:
    around = Responding()
    around.found = Answer("12 degrees")
    work = work_of(stopped(solved=SolveOutcome(RequestKind.LIVE_DATA)))
    assert await around.stage(work) is around.found


async def test_a_plan_that_ended_early_says_how_far_it_came() -> None:
    tool = make_tool()
    plan = Plan(Strategy.SEQUENCE, (PlanStep("1", "a"), PlanStep("2", "b", after=("1",))))
    work = work_of(stopped(plan, error="it broke", tool=tool, solved=SolveOutcome()), plan)
    answer = await Responding().stage(work)
    assert answer is not None
    assert answer.text == "it broke\n- a: failed\n- b: failed"
    assert (answer.tool, answer.strategy, len(answer.steps)) == ("double", "sequence", 2)
    alone = await Responding().stage(work_of(stopped(error="it broke", tool=tool)))
    assert alone is not None
    assert (alone.text, alone.steps, alone.strategy) == ("it broke", (), "single")


async def test_the_way_ends_with_the_first_answer_and_is_gone_again_from_the_search_on() -> None:
    went: list[str] = []
    answers: dict[str, list[Answer | None]] = {"respond": [None, Answer("done")]}

    def stage(name: str) -> Any:
        async def go(work: Work) -> Answer | None:
            went.append(name)
            return answers.get(name, [None]).pop(0) if name in answers else None

        return go

    stages = Stages(*[stage(name) for name in ("understand", "find", "act", "respond")])
    assert (await stages.answer_of(Work(make_run()))).text == "done"
    again = ["find", "act", "respond"]
    assert went == ["understand", *again, *again]
    went.clear()
    answers["understand"] = [Answer("told")]
    assert (await stages.answer_of(Work(make_run()))).text == "told"
    assert went == ["understand"]


def test_a_session_with_an_owner_has_a_past() -> None:
    assert Work(make_run()).fresh
    assert not Work(make_run(owner="ada")).fresh
