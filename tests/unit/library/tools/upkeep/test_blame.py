"""Whether a failed call is the tool's own fault."""

import pytest

from hammerstone.core.calls import Failure
from hammerstone.library.tools.upkeep.trust import own_fault, refusals

PLAIN = "def f(x):\n    return 1 / x\n"
REFUSING = "def f(x):\n    if x < 0:\n        raise BadInput('below zero')\n    return x\n"
BOTH = "def f(x):\n    try:\n        raise errors.Odd\n    except KeyError:\n        raise\n"


@pytest.mark.parametrize(
    ("code", "named"),
    [
        (PLAIN, {"ValueError"}),
        (REFUSING, {"BadInput"}),
        (BOTH, {"Odd"}),
        ("def f(x):\n    raise x\n", {"x"}),
        ("def f(x):\n    raise make()()\n", {"ValueError"}),
        ("def f(:\n", set()),
        ("\x00", set()),
        ("", {"ValueError"}),
    ],
)
def test_the_errors_that_a_program_raises_on_purpose(code: str, named: set[str]) -> None:
    assert refusals(code) == named


@pytest.mark.parametrize(
    ("code", "failure", "error", "own"),
    [
        (PLAIN, Failure.RAISED, "ZeroDivisionError: division by zero", True),
        (PLAIN, Failure.RAISED, "ValueError: no number", False),
        (PLAIN, Failure.RAISED, "ValueError", False),
        (PLAIN, Failure.RAISED, " ValueError : no number", False),
        (PLAIN, Failure.RAISED, "", True),
        (REFUSING, Failure.RAISED, "BadInput: below zero", False),
        (REFUSING, Failure.RAISED, "ValueError: no number", True),
        (REFUSING, Failure.RAISED, "TypeError: BadInput", True),
        (PLAIN, Failure.TIMEOUT, "ValueError: slow", True),
        (PLAIN, Failure.MEMORY, "", True),
        (PLAIN, Failure.LOST, "", False),
        (REFUSING, Failure.LOST, "BadInput: x", False),
    ],
)
def test_an_error_in_its_own_words_is_an_answer_and_any_other_an_accident(
    code: str, failure: Failure, error: str, own: bool
) -> None:
    assert own_fault(code, failure, error) is own
