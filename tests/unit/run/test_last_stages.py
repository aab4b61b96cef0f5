"""The last stages: steps carried out, answers, questions back, and the way gone again."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.approvals import Question, QuestionKind, QuestionReply
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.tools import Status
from hammerstone.run.act.carry_out import PlanOutcome, StepInputs, TaskNode
from hammerstone.run.act.step_outcome import SolveOutcome, StepOutcome
from hammerstone.run.context import Run, ToolUse
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.stages import (
    ActStage,
    RespondStage,
    Stages,
    Work,
)
from hammerstone.run.understand.follow_ups import FollowUp
from tests.unit.run.made_runs import done, make_run, make_tool, with_stub

MISSING = Question(QuestionKind.MISSING, "What should n be?", parameter="n")
CHOICE = Question(QuestionKind.CHOICE, "Which?", choices=("10", "15"), tools=("double", "triple"))


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

    async def rival_question(self, run: Run, rival: str, last: StepOutcome) -> Question | None:
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
    ("outcome", "uses"),
    [
        (done(), [ToolUse("double 5", "double", "v-double-1")]),
        (
            done(tool=make_tool(status=Status.EXPERIMENTAL), agrees=True),
            [ToolUse("double 5", "double", "v-double-1", agrees=True)],
        ),
        (replace(done(), tool=None), []),
    ],
)
async def test_a_tool_that_answered_is_noted_to_be_judged(
    outcome: StepOutcome, uses: list[ToolUse]
) -> None:
    work = work_of(finished(outcome))
    answer = await Responding().stage(work)
    assert answer is not None
    assert answer.text == "10"
    assert work.run.ledger.uses == uses


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
        (RequestKind.LIVE_DATA, "I cannot answer that: it needs current data from outside, and no"
         " connector is set up. How to set one up: docs/connectors.md", AnswerStatus.FAILED),
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

    stages = Stages(*[stage(name) for name in ("understand", "find", "consult", "act", "respond")])
    assert (await stages.answer_of(Work(make_run()))).text == "done"
    again = ["find", "consult", "act", "respond"]
    assert went == ["understand", *again, *again]
    went.clear()
    answers["understand"] = [Answer("told")]
    assert (await stages.answer_of(Work(make_run()))).text == "told"
    assert went == ["understand"]


@pytest.mark.parametrize(
    ("documents", "skill", "consulted"),
    [(True, None, True), (False, None, False), (False, "documents", True), (True, "other", True)],
)
async def test_documents_are_consulted_where_there_are_some_or_a_skill_is_named(
    documents: bool, skill: str | None, consulted: bool
) -> None:
    went: list[str] = []

    def stage(name: str) -> Any:
        async def go(work: Work) -> Answer | None:
            went.append(name)
            return Answer("done") if name == "respond" else None

        return go

    run = make_run()
    run.seen = replace(run.seen, documents=documents)
    plan = Plan(Strategy.SKILL, (PlanStep("1", "x", skill=skill),))
    stages = Stages(*[stage(name) for name in ("understand", "find", "consult", "act", "respond")])
    await stages.answer_of(Work(run, plan=plan))
    assert ("consult" in went) is consulted
    assert [name for name in went if name != "consult"] == ["understand", "find", "act", "respond"]
