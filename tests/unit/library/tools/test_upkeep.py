"""What use says about a tool: whose fault a failure is, and what a suite is worth."""

import pytest

from hammerstone.core.calls import Failure
from hammerstone.library.tools.new_versions import suite_confidence
from hammerstone.library.tools.upkeep import own_fault
from hammerstone.library.tools.upkeep.trust import refusals

PLAIN = "def f(n):\n    return 1 / n\n"
OWN = "class No(Exception):\n    pass\n\n\ndef f(n):\n    if n < 0:\n        raise No('negative')\n"


@pytest.mark.parametrize(
    ("code", "failure", "error", "own"),
    [
        (PLAIN, Failure.RAISED, "ZeroDivisionError: division by zero", True),
        (PLAIN, Failure.RAISED, "ValueError: not a number", False),
        (OWN, Failure.RAISED, "No: negative", False),
        (OWN, Failure.RAISED, "ValueError: x", True),  # it has words of its own
        (PLAIN, Failure.TIMEOUT, "", True),
        (PLAIN, Failure.LOST, "", False),
        (PLAIN, Failure.CRASHED, "ValueError: x", True),
    ],
)
def test_whose_fault_it_is(code: str, failure: Failure, error: str, own: bool) -> None:
    assert own_fault(code, failure, error) is own


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("raise KeyError", {"KeyError"}),
        ("raise errors.Missing('x')", {"Missing"}),
        ("raise errors.Missing", {"Missing"}),
        ("try:\n    f()\nexcept OSError:\n    raise\n", {"ValueError"}),
        ("raise make()[0]", {"ValueError"}),
        ("def f(:", set()),
        ("raise TypeError(1)\nraise KeyError(2)", {"TypeError", "KeyError"}),
    ],
)
def test_errors_that_are_raised_on_purpose(code: str, named: set[str]) -> None:
    assert refusals(code) == named


@pytest.mark.parametrize(
    ("evidence", "confidence"),
    [
        ({}, 0.7),
        ({"cases": 3}, 0.9032),
        ({"mutants": 10, "mutation_score": 1.0, "cases": 3}, 0.9703),
        ({"mutants": 10, "mutation_score": 0, "cases": 3}, 0.7481),
        ({"mutants": 10, "cases": "3"}, 0.7),
        ({"mutants": "many", "mutation_score": "all", "cases": 1}, 0.8235),
    ],
)
def test_a_suite_takes_as_much_doubt_as_it_notices(evidence: dict, confidence: float) -> None:
    assert suite_confidence(evidence) == confidence
