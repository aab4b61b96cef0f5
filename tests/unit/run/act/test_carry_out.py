"""Plans carried out: in waves, each step once, and what is told of one that ended early."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event, Proof
from hammerstone.core.approvals import Question, QuestionKind
from hammerstone.core.chat import Usage
from hammerstone.core.tools import Status
from hammerstone.run.act.carry_out import PlanOutcome, PlanRunner, StepInputs, TaskNode
from hammerstone.run.act.step_outcome import SolveOutcome, StepOutcome
from hammerstone.run.answer.wording import (
    notes,
    plain_answer,
    question_answer,
    unfinished_text,
    with_remarks,
)
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.solve.votes import AnswerGroup, Tally
from hammerstone.storage import StepRow
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import done, make_run, make_tool, records


class Steps:
    """Steps that come to what a table says; notes which were done before each."""

    def __init__(self, clock: HandClock, **outcomes: StepOutcome | Exception) -> None:
        self._clock, self._outcomes = clock, outcomes
        self.ran: list[tuple[str, list[str]]] = []

    async def run_step(
        self, run: Run, step: PlanStep, before: Mapping[str, StepOutcome], inputs: StepInputs
    ) -> StepOutcome:
        self.ran.append((step.id, sorted(before)))
        self._clock.forward(2)
        run.budget.spend(Usage(100, 40, 10, 0.5, 1.0, 1))
        outcome = self._outcomes.get(f"s{step.id}", done(int(step.id) * 10))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Rows:
    """Keeps what is written of the task tree."""

    def __init__(self) -> None:
        self.written: list[list[StepRow]] = []

    @property
    def steps(self) -> "Rows":
        return self

    async def put(self, rows: list[StepRow]) -> None:
        self.written.append(rows)


class Carrying:
    def __init__(self, **outcomes: StepOutcome | Exception) -> None:
        self.clock, self.rows, self.told = HandClock(), Rows(), list[Event]()
        self.steps = Steps(self.clock, **outcomes)
        self.run = make_run(told=self.told)
        self.run.budget = type(self.run.budget)(tokens=None, model_calls=None, usd=None)

    async def out(self, plan: Plan) -> PlanOutcome:
        kept = records(cast(Any, self.rows), self.clock)
        runner = PlanRunner(cast(Any, self.steps), kept)
        return await runner.carry_out(self.run, plan, StepInputs())


def plan_of(*afters: tuple[str, ...]) -> Plan:
    steps = (PlanStep(str(n), f"part {n}", after=after) for n, after in enumerate(afters, 1))
    return Plan(Strategy.SEQUENCE, tuple(steps))


async def test_a_single_step_is_its_own_record() -> None:
    carrying = Carrying()
    outcome = await carrying.out(plan_of(()))
    assert outcome.last.result == 10
    assert outcome.stopped is None
    assert carrying.rows.written == []
    assert carrying.told == []
    (node,) = outcome.nodes
    assert (node.status, node.tool, node.result, node.seconds) == ("done", "double", 10, 2.0)
    assert node.spent == Usage(100, 40, 10, 0.5, 1.0, 1)
    assert node.to_json() == {
        "id": "1", "text": "part 1", "after": [], "tool": "double", "status": "done",
        "error": None, "tokens": node.spent.tokens, "model_calls": 1, "seconds": 2.0,
    }  # fmt: skip


async def test_steps_wait_for_those_they_need() -> None:
    carrying = Carrying()
    outcome = await carrying.out(plan_of((), (), ("1", "2"), ("3",)))
    assert carrying.steps.ran == [
        ("1", []), ("2", []), ("3", ["1", "2"]), ("4", ["1", "2", "3"]),
    ]  # fmt: skip
    assert list(outcome.done) == ["1", "2", "3", "4"]
    assert [event.text for event in carrying.told] == ["step 3: part 3", "step 4: part 4"]
    assert [[row.status for row in rows] for rows in carrying.rows.written] == [
        ["done", "done", "waiting", "waiting"],
        ["done", "done", "done", "waiting"],
        ["done"] * 4,
    ]
    last = carrying.rows.written[-1][1]
    assert (last.run_id, last.id, last.place, last.text, last.tool, last.result) == (
        "run1", "2", 2, "part 2", "double", 20,
    )  # fmt: skip
    assert (last.model_calls, last.usd) == (1, 0.5)
    assert [pair[1].result for pair in outcome.pairs()] == [10, 20, 30, 40]


async def test_a_failed_step_stops_those_that_wait_for_it() -> None:
    broken = StepOutcome(False, error="it broke")
    carrying = Carrying(s1=broken)
    outcome = await carrying.out(plan_of((), (), ("1",), ("2",)))
    assert outcome.stopped is broken
    assert [step for step, _ in carrying.steps.ran] == ["1", "2", "4"]
    assert [node.status for node in outcome.nodes] == ["failed", "done", "skipped", "done"]
    assert [row.status for row in carrying.rows.written[-1]] == [
        "failed", "done", "skipped", "done",
    ]  # fmt: skip
    assert outcome.nodes[0].error == "it broke"
    assert unfinished_text(carrying.run, plan_of((), (), ("1",), ("2",)), outcome) == (
        "it broke\n- part 1: failed\n- part 2: done\n- part 3: not started\n- part 4: done"
    )


async def test_the_first_failure_is_the_one_that_is_told() -> None:
    first, second = StepOutcome(False, error="first"), StepOutcome(False, error="second")
    outcome = await Carrying(s1=first, s2=second).out(plan_of((), ()))
    assert outcome.stopped is first


async def test_what_cannot_go_on_is_written_and_raised() -> None:
    carrying = Carrying(s2=ValueError("gone"))
    with pytest.raises(ValueError, match="gone"):
        await carrying.out(plan_of((), (), ("2",)))
    assert [(row.status, row.error) for row in carrying.rows.written[-1]] == [
        ("done", ""), ("failed", "gone"), ("waiting", ""),
    ]  # fmt: skip


def tally_of(agree: int, total: int) -> Tally:
    return Tally((AnswerGroup(10, tuple(range(agree)), float(agree), ()),), total)


def test_what_is_confirmed_and_what_is_not() -> None:
    solved = SolveOutcome(why="3 of 4 agree")
    table = {
        "1": done(),
        "2": done(tool=make_tool(status=Status.TRUSTED), doubt="its own tests differ"),
        "3": done(tool=make_tool("triple", status=Status.EXPERIMENTAL)),
        "4": StepOutcome(True, solved=solved),
        "5": StepOutcome(True),
        "8": done(agrees=True),
        "9": done(confirmed="a case of double says so"),
        "10": StepOutcome(True, solved=SolveOutcome(tally=tally_of(3, 4))),
        "11": StepOutcome(True, solved=SolveOutcome(tally=tally_of(2, 4), why="2 of 4 agree")),
        "12": StepOutcome(True, solved=SolveOutcome(tally=tally_of(1, 1), why="one alone")),
        "13": done(agrees=True, doubt="odd"),
    }
    plan = plan_of(*((),) * 13)
    nodes = [TaskNode(step) for step in plan.steps]
    nodes[5].error = "no tool"
    assert PlanOutcome(table, nodes).checks() == {
        "confirmed": [
            "part 8: a second, independent solution gave the same result",
            "part 9: a case of double says so",
            "part 10: 3 of 4 solutions gave the same result",
        ],
        "contradicted": ["part 2: its own tests differ", "part 13: odd"],
        "unverified": [
            "part 1: double is verified; nothing else checked it",  # a proof is about no value
            "part 3: triple is experimental; nothing else checked it",
            "part 4: 3 of 4 agree", "part 5: not proved", "part 6: no tool", "part 7: not done",
            "part 11: 2 of 4 agree", "part 12: one alone",
        ],
    }  # fmt: skip


def test_what_a_person_has_to_know_beside_the_result() -> None:
    old = make_tool("old", status=Status.DEPRECATED)
    outcome = PlanOutcome({"1": done(tool=old), "2": done(tool=old, doubt="odd"), "3": done()})
    assert notes(outcome) == ["old is deprecated: there is a better tool", "doubtful: odd"]
    assert notes(PlanOutcome({"1": done()})) == []


def test_what_was_changed_for_good_is_told() -> None:
    run = make_run()
    run.ledger.wrote += ["sent a mail", "moved a file"]
    text = unfinished_text(run, plan_of(()), PlanOutcome())
    assert text == (
        "not all steps could be done\nAlready changed, and not undone: sent a mail; moved a file"
    )


@pytest.mark.parametrize(
    ("tool", "proof"),
    [
        (None, Proof.NONE),
        (make_tool(), Proof.PROVED),
        (make_tool(status=Status.TRUSTED), Proof.PROVED),
        (make_tool(status=Status.EXPERIMENTAL), Proof.UNPROVED),
    ],
)
def test_a_plain_answer_says_whose_it_is(tool: Any, proof: Proof) -> None:
    answer = plain_answer(make_run(), "text", tool)
    assert (answer.text, answer.proof, answer.session_id, answer.run_id, answer.trace_id) == (
        "text", proof, "s1", "run1", "t1",
    )  # fmt: skip
    assert (answer.tool, answer.version) == (("double", 1) if tool else (None, None))


def test_remarks_and_questions_below_an_answer() -> None:
    run = make_run()
    answer = plain_answer(run, "text")
    assert with_remarks(run, answer) is answer
    run.ledger.remarks += ["one", "two"]
    assert with_remarks(run, answer).text == "text\n\none\n\ntwo"
    question = Question(QuestionKind.CHOICE, "Which?", choices=("a", "b"))
    assert question_answer(run, question).text == "Which?\n1) a\n2) b"
    assert question_answer(run, replace(question, choices=())).text == "Which?"
