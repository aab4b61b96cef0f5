"""A step that no tool does: who may solve it, what it may use, and what is kept of it."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event
from hammerstone.core.calls import Artifact
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Status, Tool
from hammerstone.guard.maturity import Action, Permission
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.act.results import ResultKeeper
from hammerstone.run.act.solving import StepSolver
from hammerstone.run.act.step_outcome import SolveOutcome
from hammerstone.run.answer.confidence import believed
from hammerstone.run.context import Run
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.scope import SolutionScope
from hammerstone.run.solve.votes import AnswerGroup, Tally
from hammerstone.run.understand.mentions import find_mentions
from tests.unit.own_code import OwnCodeSandbox
from tests.unit.run.made_runs import NOW, done, make_run, make_tool, records, session_value

RIGHT = "```python\ndef double(n):\n    return n * 2\n\nanswer = double(5)\n```"


class Around:
    def __init__(self, *said: Any, refused: bool = False, allowed: bool = True) -> None:
        self.model = ScriptedModel(said)
        self._refused, self._allowed = refused, allowed
        self.actions: list[Action] = []
        self.told: list[Event] = []
        self.box = OwnCodeSandbox()

    def get(self, kind: Any) -> Any:
        return kind()

    def is_refused(self, run: Run, action: Action) -> bool:
        return self._refused

    async def request_permission(self, run: Run, action: Action) -> Permission:
        self.actions.append(action)
        return Permission(self._allowed, "" if self._allowed else "at level 2")

    def of(self, run: Run, role: Any) -> ScriptedModel:
        return self.model

    async def sandbox(self) -> Any:
        return self.box

    @property
    def solver(self) -> StepSolver:
        me = cast(Any, self)
        return StepSolver(me, me, me, self.sandbox, ResultKeeper(me, records()))

    def run(self, text: str = "double 5", **more: Any) -> Run:
        return make_run(text, told=self.told, **more)


async def test_a_solved_value_is_kept_and_its_proof_is_owed() -> None:
    around = Around(RIGHT, [RIGHT] * 3, [RIGHT] * 4)
    run = around.run()
    outcome = await around.solver.solve_step(run, (), ())
    assert (outcome.ok, outcome.result) == (True, 10)
    assert outcome.value is run.ledger.values[-1]
    assert (outcome.value.name, outcome.value.about, outcome.value.step) == (
        "double", "double 5", 1,
    )  # fmt: skip
    (proof,) = run.ledger.proofs
    assert (proof.request, proof.value, proof.user, proof.run_id, proof.forced) == (
        "double 5", 10, "ada", "run1", False,
    )  # fmt: skip
    assert around.told[0].text == "no tool fits; writing solutions"
    assert [action.tool for action in around.actions] == ["solving"]


async def test_a_guest_leaves_no_tool_behind() -> None:
    around = Around(RIGHT, [RIGHT] * 3, [RIGHT] * 4)
    run = around.run(keep=False)
    assert (await around.solver.solve_step(run, (), ())).ok
    assert run.ledger.proofs == []


async def test_a_value_without_a_function_is_an_answer() -> None:
    around = Around()
    winner = Solution("x", "answer_value", "answer_value()", value=10)
    tally = Tally((AnswerGroup(10, (0,), 1.0, ()),), 1)
    files = (Artifact("plan.csv", b"1,2"),)
    run = around.run()
    solved = SolveOutcome(tally=tally, winner=winner, artifacts=files)
    around.solver.keep_solved(run, solved)
    assert run.ledger.values[-1].name == "answer"
    assert run.ledger.proofs == []
    assert [(row.name, content) for row, content in run.ledger.files] == [("plan.csv", b"1,2")]


async def test_what_is_not_allowed_is_refused() -> None:
    around = Around(allowed=False)
    outcome = await around.solver.solve_step(around.run(), (), ())
    assert (outcome.ok, outcome.refused, outcome.error) == (False, True, "at level 2")
    assert around.model.prompts == []


@pytest.mark.parametrize(
    ("kind", "asked"), [("conversation", 0), ("harmful", 0), ("calculation", 1)]
)
async def test_where_nothing_may_be_written_the_kind_is_asked_first(kind: str, asked: int) -> None:
    around = Around(f'{{"kind": "{kind}"}}', refused=True, allowed=False)
    outcome = await around.solver.solve_step(around.run(), (), ())
    assert len(around.actions) == asked
    if not asked:
        assert outcome.solved is not None
        assert outcome.solved.kind is RequestKind(kind)


async def test_no_value_is_no_answer() -> None:
    around = Around("```python\nx: int\n```", *["```python\nx: int\n```"] * 20)
    outcome = await around.solver.solve_step(around.run(), (), ())
    assert (outcome.ok, outcome.error) == (False, "it sets no answer")
    assert outcome.solved is not None


async def test_values_that_the_words_mean_are_in_scope() -> None:
    around = Around()
    value = session_value([1, 2], kind="list", tool="parse")
    run = around.run("sum that list")
    mentions = find_mentions(run.words, [value], NOW)
    scope = await around.solver.scope_of(run, mentions, [session_value(9)])
    assert scope.values == {"result_1": [1, 2]}
    assert "that list" in scope.notes[0] and "parse" in scope.notes[0]


async def test_results_of_the_steps_before_are_in_scope() -> None:
    around = Around()
    made = [session_value(4, about="halve 8"), session_value(6, id="b", about="x" * 200)]
    scope = await around.solver.scope_of(around.run("add them"), (), made)
    assert scope.values == {"result_1": 4, "result_2": 6}
    assert "halve 8" in scope.notes[0]
    assert "x" * 80 in scope.notes[1] and "x" * 81 not in scope.notes[1]


async def test_what_is_to_be_solved() -> None:
    around = Around()
    solver = await around.solver.solver_for(around.run("double 5"), await around.solver.scope_of(
        around.run("double 5"), (), ()
    ))  # fmt: skip
    assert (solver.task.words, dict(solver.task.files)) == ("double 5", {})
    long = await around.solver.solver_for(around.run("double " + "5 " * 3000), solver.task.scope)
    assert list(long.task.scope.values) == ["request_data"]


async def test_a_tool_against_an_example_of_the_request() -> None:
    around = Around()
    run = around.run("Double it, double(2) == 5.")
    tool = make_tool(code="def double(n):\n    return n * 2\n")
    found = await around.solver.contradiction(run, tool)
    assert found in ("double(2)", "double(n=2)")
    assert await around.solver.contradiction(around.run("double 5"), tool) == ""


def keeper(**policy: Any) -> ResultKeeper:
    class Policies:
        def get(self, kind: Any) -> Any:
            return SessionPolicy(**policy)

    return ResultKeeper(cast(Any, Policies()), records())


def test_files_are_kept_up_to_a_number_and_a_size() -> None:
    run = make_run()
    files = [Artifact(f"a{n}.csv", b"x" * n) for n in (1, 5, 6, 2)]
    keeper(files_per_request=3, file_bytes=5).keep_files(run, files, 4)
    assert [row.name for row, _ in run.ledger.files] == ["a1.csv", "a5.csv"]
    row, content = run.ledger.files[1]
    assert (row.step, row.media_type, row.size_bytes, content) == (4, "text/csv", 5, b"x" * 5)
    assert (row.expires_at - row.at).days == 7
    odd = Artifact("a.unheardof", b"1")
    keeper().keep_files(run, [odd], 5)
    assert run.ledger.files[-1][0].media_type == "application/octet-stream"


def test_a_value_is_kept_with_what_it_is_and_for_how_long() -> None:
    run = make_run()
    keeper(value_days=2.0).keep_value(run, "double", [1, 2], 3, "about it")
    (value,) = run.ledger.values
    assert (value.name, value.tool, value.kind, value.value, value.step) == (
        "double", "double", "list", [1, 2], 3,
    )  # fmt: skip
    assert (value.expires_at - value.at).days == 2


def test_what_may_be_stored_of_a_value() -> None:
    value = session_value("x" * 8, about="y" * 400)
    kept = keeper(value_bytes=10).storable(value)
    assert (kept.value, kept.missing, len(kept.about)) == ("x" * 8, "", 300)
    large = keeper(value_bytes=9).storable(value)
    assert (large.value, large.missing) == (None, "it was too large to keep")


class Remembered:
    """What memory adds to a request; `about` is what the person said that it is about."""

    def __init__(self, about: str) -> None:
        self.about = about

    def for_models(self, text: str) -> str:
        return f"the rate is 7\n{text}"


@pytest.mark.parametrize(
    ("text", "about", "recalled"),
    [("double 5", "", False), ("double that result", "", True), ("double 5", "my rate", True)],
)
async def test_what_memory_knows_is_told_where_the_words_need_it(
    text: str, about: str, recalled: bool
) -> None:
    around = Around(RIGHT)
    run = around.run(text)
    run.context = Remembered(about)
    solver = await around.solver.solver_for(run, SolutionScope())
    await solver.solve(most=1)
    told = "".join(message.text for message in around.model.prompts[0].messages)
    assert ("the rate is 7" in told, text in told) == (recalled, True)


@pytest.mark.parametrize(
    ("tool", "fit", "confidence", "noted"),
    [
        (make_tool(status=Status.EXPERIMENTAL), 0.95, 0.8, True),
        (make_tool(status=Status.EXPERIMENTAL), 0.95, 0.5, False),  # nobody is sure of the other
        (make_tool(status=Status.EXPERIMENTAL), 0.6, 0.8, False),  # it may be another tool's work
        (make_tool(), 0.95, 0.8, False),  # a proof says more
    ],
)
def test_which_tools_are_outvoted(tool: Tool, fit: float, confidence: float, noted: bool) -> None:
    around = Around()
    run = around.run()
    outcome = done(tool=tool, fit=fit)
    around.solver.note_outvoted(run, outcome, SolveOutcome(confidence=confidence))
    assert [use.tool for use in run.ledger.outvoted] == ["double"] * noted


def test_a_chance_moves_with_the_evidence_and_by_how_sure_it_is() -> None:
    doubtful = replace(make_tool(status=Status.EXPERIMENTAL), confidence=0.3)
    policy = AnswerPolicy()

    def chance(confidence: float, fit: float = 0.95, **more: Any) -> float:
        solved = SolveOutcome(confidence=confidence)
        return believed(done(tool=doubtful, fit=fit, solved=solved, **more), policy)

    alone = believed(done(tool=doubtful, fit=0.95), policy)
    assert alone == pytest.approx(0.3 * 0.95)
    assert alone < chance(0.75, agrees=True) < policy.unproved_alone < chance(0.95, agrees=True)
    assert chance(0.9, outvoted=True) < chance(0.2, outvoted=True) < alone
    small, telling = (chance(0.95, 0.1, agrees=True, result=one) for one in (7, 191.4))
    yes = chance(0.95, 0.1, agrees=True, result=True)
    assert yes < small < telling
