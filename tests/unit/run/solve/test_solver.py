"""Solving: how many solutions are asked for, which value leads, and when a person is asked."""

from pathlib import Path
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.calls import Call, Failure, Outcome, Program
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.act.step_outcome import SolveOutcome
from hammerstone.run.context import Contacts
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.scope import SolutionScope
from hammerstone.run.solve.solver import Solver, SolverTask, _is_even, rivals_of
from hammerstone.run.solve.votes import AnswerGroup, Tally
from tests.unit.own_code import OwnCodeSandbox
from tests.unit.run.made_runs import make_run

WORDS = "What is 17 times 23?"


def reply(
    answer: str, function: str = "times(a, b):\n    return a * b", fence: str = "python"
) -> str:
    return f"```{fence}\ndef {function}\n\nanswer = {answer}\n```"


RIGHT = reply("times(17, 23)")
WRONG = reply("times(17, 22)")
BROKEN = reply("times(17, 23)", "times(a, b):\n    return a / 0")
CHAT = "```python\n# conversation\n```"


class Solving:
    def __init__(self, *lines: Any, words: str = WORDS, **parts: Any) -> None:
        self.told: list[Event] = []
        self.model = ScriptedModel(lines)
        contacts = Contacts(on_question=parts.pop("ask", None))
        run = make_run(words, told=self.told, contacts=contacts)
        sandbox = parts.pop("sandbox", None) or OwnCodeSandbox()
        task = SolverTask(words, parts.pop("scope", SolutionScope()), parts.pop("files", {}))
        policy = AnswerPolicy(**parts)
        self.solver = Solver(run, task, policy, self.model, cast(Sandbox, sandbox))

    async def solve(self, **options: Any) -> SolveOutcome:
        return await self.solver.solve(**options)

    @property
    def samples(self) -> list[int]:
        return [prompt.samples for prompt in self.model.prompts]

    def of(self, kind: EventKind) -> list[Event]:
        return [event for event in self.told if event.kind is kind]


async def test_one_solution_where_one_is_wanted() -> None:
    solving = Solving(RIGHT)
    outcome = await solving.solve(most=1)
    assert outcome.tally is not None and outcome.winner is not None
    assert (outcome.tally.value, outcome.tally.total, outcome.winner.call) == (
        391, 1, "times(17, 23)",
    )  # fmt: skip
    assert outcome.why == "only one solution so far"
    (prompt,) = solving.model.prompts
    assert (prompt.temperature, prompt.samples) == (0.0, 1)  # the first one is greedy
    (answer,) = solving.of(EventKind.ANSWER)
    assert (answer.data["value"], answer.data["agree"], answer.data["solutions"]) == (391, 1, 1)
    assert answer.data["settled"] is True  # no more are to come


async def test_rounds_go_on_until_the_answer_is_sure() -> None:
    solving = Solving(RIGHT, [RIGHT] * 3, [RIGHT] * 4, stop_at=1.01)
    outcome = await solving.solve()
    assert solving.samples == [1, 3, 4]
    assert outcome.tally is not None
    assert (outcome.tally.total, outcome.tally.agree) == (8, 8)
    assert [prompt.temperature for prompt in solving.model.prompts] == [0.0, 0.8, 0.8]
    numbers = [event.data["number"] for event in solving.of(EventKind.SOLUTION)]
    assert numbers == list(range(1, 9))
    assert solving.of(EventKind.SOLUTION)[0].text == "solution 1 of at most 8: 391"


async def test_an_answer_that_is_sure_enough_asks_for_no_more() -> None:
    solving = Solving(RIGHT, stop_at=0.0)
    await solving.solve()
    assert solving.samples == [1]


async def test_asked_again_it_goes_on_with_what_is_there() -> None:
    solving = Solving(RIGHT, [RIGHT] * 3, max_solutions=4, stop_at=1.01)
    await solving.solve(most=1)
    outcome = await solving.solve()
    assert solving.samples == [1, 3]
    assert outcome.tally is not None
    assert outcome.tally.total == 4


async def test_asked_again_with_no_more_to_write_it_keeps_what_is_there() -> None:
    solving = Solving(RIGHT, max_solutions=1)
    await solving.solve(most=1)
    outcome = await solving.solve()
    assert solving.samples == [1]
    assert outcome.tally is not None and outcome.tally.value == 391 and not outcome.error


async def test_the_value_that_most_give_leads() -> None:
    solving = Solving(WRONG, [RIGHT, RIGHT, RIGHT], max_solutions=4, stop_at=1.01)
    outcome = await solving.solve()
    assert outcome.tally is not None
    assert (outcome.tally.value, outcome.tally.agree) == (391, 3)
    assert outcome.why == "3 of 4 independent solutions agree"
    assert [one.value for one in rivals_of(outcome)] == [374, 391, 391]
    assert len(outcome.solutions) == 4


async def test_an_error_is_shown_once_to_its_author() -> None:
    solving = Solving(BROKEN, RIGHT)
    outcome = await solving.solve(most=1)
    assert outcome.tally is not None
    assert outcome.tally.value == 391
    repair = solving.model.prompts[1]
    assert repair.purpose == "solution repair"
    assert "ZeroDivisionError" in repair.messages[-1].text
    said = [event.text for event in solving.of(EventKind.SOLUTION)]
    assert said == [
        "solution 1 of at most 8: ZeroDivisionError: division by zero",
        "solution 1 of at most 8 (second try, after an error): 391",
    ]


async def test_without_repairs_an_error_stays() -> None:
    solving = Solving(BROKEN, repair_errors=False)
    outcome = await solving.solve(most=1)
    assert (outcome.tally, outcome.error) == (None, "ZeroDivisionError: division by zero")


async def test_a_repair_that_fails_too_leaves_the_error() -> None:
    solving = Solving(BROKEN, BROKEN)
    outcome = await solving.solve(most=1)
    assert outcome.tally is None
    assert len(solving.model.prompts) == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\ndef f(:\n```", "the code cannot be read"),
        ("```python\nx: int\n```", "it sets no answer"),
    ],
)
async def test_what_is_no_program_says_so(text: str, error: str) -> None:
    outcome = await Solving(text, repair_errors=False).solve(most=1)
    assert outcome.error == error


async def test_nothing_to_compute_is_believed_at_once_without_data() -> None:
    solving = Solving(CHAT, words="How are you?")
    assert (await solving.solve()).kind is RequestKind.CONVERSATION
    assert solving.samples == [1]


async def test_with_data_a_second_look_is_taken() -> None:
    solving = Solving(CHAT, [RIGHT] * 3, max_solutions=4, stop_at=1.01)
    outcome = await solving.solve()
    assert outcome.kind is RequestKind.CALCULATION
    assert outcome.tally is not None
    assert outcome.tally.agree == 3
    again = Solving(CHAT, [CHAT] * 3, max_solutions=4)
    assert (await again.solve()).kind is RequestKind.CONVERSATION
    for given in ({"scope": SolutionScope({"x": 1})}, {"files": {"a.csv": Path("a.csv")}}):
        more = Solving(CHAT, [CHAT] * 3, words="How are you?", max_solutions=4, **given)
        await more.solve()
        assert more.samples == [1, 3]


async def test_a_spent_budget_ends_with_what_was_found() -> None:
    solving = Solving(RIGHT, BudgetExceeded("enough"), stop_at=1.01)
    outcome = await solving.solve()
    assert outcome.tally is not None
    assert outcome.tally.total == 1
    with pytest.raises(BudgetExceeded):
        await Solving(BudgetExceeded("enough")).solve()
    repair = Solving(BROKEN, BudgetExceeded("enough"))
    assert (await repair.solve(most=1)).tally is None


class Slow:
    """A sandbox in which nothing comes to an end."""

    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    async def call(self, program: Program, call: Call, **_: Any) -> Outcome:
        return Outcome(None, self._failure)


@pytest.mark.parametrize(
    ("failure", "error", "samples"),
    [
        (Failure.TIMEOUT, "the code does not come to an end within 10 s", [1, 3]),
        (Failure.MEMORY, "the code takes too much memory", [1, 3]),
        (Failure.OUTPUT, "the code's result, or what it prints, is too large", [1, 3, 4]),
        (Failure.CRASHED, "crashed", [1, 3, 4]),
    ],
)
async def test_what_does_not_come_to_an_end_is_not_tried_eight_times(
    failure: Failure, error: str, samples: list[int]
) -> None:
    lines = (RIGHT, [RIGHT] * 3, [RIGHT] * 4)
    solving = Solving(*lines, sandbox=Slow(failure), repair_errors=False)
    outcome = await solving.solve()
    assert outcome.error == error
    assert solving.samples == samples


async def test_values_in_scope_are_put_in() -> None:
    scope = SolutionScope({"result_1": [1, 2, 3]}, ("(result_1 is in scope)",))
    text = reply("total(result_1)", "total(xs):\n    return sum(xs)")
    solving = Solving(text, words="Sum that list", scope=scope)
    outcome = await solving.solve(most=1)
    assert outcome.tally is not None and outcome.winner is not None
    assert (outcome.tally.value, outcome.winner.call) == (6, "total([1, 2, 3])")
    assert "(result_1 is in scope)" in solving.model.prompts[0].messages[-1].text


@pytest.mark.parametrize(("choice", "value"), [(0, 391), (1, 374), (None, 391)])
async def test_two_values_that_are_even_are_asked_about(choice: int | None, value: int) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    async def ask(text: str, choices: tuple[str, ...]) -> int | None:
        asked.append((text, choices))
        return choice

    solving = Solving(
        RIGHT, [RIGHT, WRONG, WRONG], max_solutions=4, stop_at=1.01, likely_at=1.01, ask=ask
    )
    outcome = await solving.solve()
    ((text, choices),) = asked
    assert text == "Two answers are about as likely. Which is right?"
    assert set(choices) == {"391", "374"}
    assert outcome.tally is not None and outcome.winner is not None
    if choice is None:
        assert outcome.confidence < 1
        return
    assert str(outcome.tally.value) == choices[choice]
    assert outcome.winner.value == outcome.tally.value
    assert (outcome.confidence, outcome.why) == (0.97, "you chose this result")
    assert value in (374, 391)


async def test_nobody_is_asked_about_an_answer_that_is_likely() -> None:
    async def ask(text: str, choices: tuple[str, ...]) -> int | None:
        raise AssertionError("nobody is to be asked")

    lines = (RIGHT, [RIGHT, WRONG, WRONG])
    likely = Solving(*lines, max_solutions=4, stop_at=1.01, likely_at=0.0, ask=ask)
    assert (await likely.solve()).tally is not None
    first = Solving(RIGHT, stop_at=1.01, likely_at=1.01, ask=ask)
    await first.solve(most=1)


def group(*members: int) -> AnswerGroup:
    return AnswerGroup(members[0], members, float(len(members)), ())


@pytest.mark.parametrize(
    ("groups", "even"),
    [
        ((group(1, 2), group(3, 4)), True),
        ((group(1, 2), group(3)), True),  # 1 of 3
        ((group(1, 2, 3), group(4)), False),  # 2 of 4
        ((group(1, 2, 3), group(4, 5)), True),
        ((group(1),), False),
        ((), False),
    ],
)
def test_when_two_values_are_nearly_even(groups: tuple[AnswerGroup, ...], even: bool) -> None:
    assert _is_even(Tally(groups, 8), AnswerPolicy()) is even


async def test_a_function_of_its_own_stands_for_the_value() -> None:
    bare = "```python\nanswer = 17 * 23\n```"
    solving = Solving(bare, [bare, RIGHT, bare], max_solutions=4, stop_at=1.01)
    outcome = await solving.solve()
    assert outcome.winner is not None
    assert outcome.winner.function == "times"
    assert outcome.winner not in rivals_of(outcome)


def test_rivals_are_those_that_ran() -> None:
    winner = Solution("a", "f", "f()", value=1)
    other = Solution("b", "f", "f()", value=2)
    broken = Solution("c", "f", "f()", error="no")
    outcome = SolveOutcome(winner=winner, solutions=(winner, other, broken))
    assert rivals_of(outcome) == [other]


async def test_examples_of_the_request_decide() -> None:
    words = "Double numbers: double(2) == 4. What is double(5)?"
    right = reply("double(5)", "double(n):\n    return n * 2")
    wrong = reply("double(5)", "double(n):\n    return n * 3")
    solving = Solving(wrong, [right, wrong, wrong], words=words, max_solutions=4, stop_at=1.01,
                      repair_errors=False)  # fmt: skip
    outcome = await solving.solve()
    assert outcome.tally is not None
    assert outcome.tally.value == 10
    errors = [one.error for one in outcome.solutions if one.error]
    assert errors == ["it contradicts the example double(2)"] * 3
    none = Solving(wrong, words=words, repair_errors=False)
    only = await none.solve(most=1)
    assert only.tally is not None
    assert only.confidence == 0.0
    assert only.why.startswith("no solution gives what your example double(2) says")
