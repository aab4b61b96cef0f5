"""Examples in a request: who meets them, who does not, and what a person says of two."""

from typing import Any, cast

import pytest

from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.run.solve.program import ReplyProgram
from hammerstone.run.solve.request_examples import ExampleCheck, contradiction
from hammerstone.run.solve.sampling import Attempt
from tests.unit.own_code import OwnCodeSandbox
from tests.unit.run.made_runs import make_tool

WORDS = "Square numbers, assert square(3) == 9"
BOTH = "assert square(3) == 9\nassert square(n=3) == 10"
RIGHT = "def square(n: int) -> int:\n    return n * n\n"
WRONG = "def square(n: int) -> int:\n    return n * 2\n"
TENS = "def square(n: int) -> int:\n    return n * n + 1\n"


def attempt(code: str, error: str = "") -> Attempt:
    solution = Solution(code, "square", "square(5)", value=25, error=error)
    return Attempt(ReplyProgram(solution, text=code), solution)


def checking(words: str = WORDS, ask: Any = None) -> ExampleCheck:
    return ExampleCheck(words, cast(Sandbox, OwnCodeSandbox()), ask)


async def test_what_meets_the_examples_stays() -> None:
    check = checking()
    good = attempt(RIGHT)
    assert await check.of(good) is good
    assert (check.unmet, check.settled, check.open_contradiction) == ("", (), "")
    assert check.counted([good]) == [good.solution]


async def test_what_contradicts_an_example_is_sorted_out() -> None:
    check = checking()
    bad = await check.of(attempt(WRONG))
    assert bad.solution is not None
    assert bad.solution.error == "it contradicts the example square(3)"
    assert check.unmet == "square(3)"
    # While nobody meets it, all of them count.
    assert [one.error for one in check.counted([bad])] == [""]
    await check.of(attempt(RIGHT))
    assert check.unmet == ""
    assert [one.error for one in check.counted([bad])] == [bad.solution.error]


@pytest.mark.parametrize(
    "one",
    [
        attempt(WRONG, error="it broke"),
        Attempt(ReplyProgram(None), None),
        attempt("square = 5\n"),
    ],
)
async def test_what_cannot_be_checked_stays_as_it_is(one: Attempt) -> None:
    check = checking()
    assert await check.of(one) is one
    assert check.unmet == ""


async def test_without_examples_nothing_is_checked() -> None:
    check = checking("the square of 5")
    bad = attempt(WRONG)
    assert await check.of(bad) is bad
    assert check.counted([bad, Attempt(ReplyProgram(None), None)]) == [bad.solution]


@pytest.mark.parametrize(
    ("choice", "meets", "settled"),
    [(0, RIGHT, "square(3) == 9"), (1, TENS, "square(n=3) == 10")],
)
async def test_a_person_says_which_of_two_examples_is_right(
    choice: int, meets: str, settled: str
) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    async def ask(text: str, choices: tuple[str, ...]) -> int | None:
        asked.append((text, choices))
        return choice

    check = checking(BOTH, ask)
    good, bad = attempt(meets), attempt(WRONG)
    assert await check.of(good) is good
    assert (await check.of(bad)).failed
    assert len(asked) == 1  # once, however many attempts
    assert asked[0][1] == ("9", "10")
    assert check.settled == (settled,)
    assert check.open_contradiction == ""


@pytest.mark.parametrize("there", [True, False])
async def test_without_a_word_neither_counts(there: bool) -> None:
    async def ask(text: str, choices: tuple[str, ...]) -> int | None:
        return None

    check = checking(BOTH, ask if there else None)
    bad = attempt(WRONG)
    assert await check.of(bad) is bad
    assert check.open_contradiction != ""
    assert check.settled == ()


@pytest.mark.parametrize(
    ("words", "code", "call"),
    [
        (WORDS, RIGHT, ""),
        (WORDS, WRONG, "square(3)"),
        (BOTH, RIGHT, "square(n=3)"),
        ("the square of 5", WRONG, ""),
    ],
)
async def test_a_tool_against_the_examples(words: str, code: str, call: str) -> None:
    async def sandbox() -> Any:
        return OwnCodeSandbox()

    tool = make_tool("square", code=code)
    assert await contradiction(words, tool, sandbox) == call
    produces = make_tool("square", code=code, produces=("csv",))
    assert await contradiction(words, produces, sandbox) == ""
