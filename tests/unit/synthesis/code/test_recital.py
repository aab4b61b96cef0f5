"""Code that knows the examples by heart."""

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind
from hammerstone.synthesis.code.recital import recites


def example(source: str, expected: Json) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin="user")


@pytest.mark.parametrize(
    ("code", "case"),
    [
        ("def f(n):\n    if n == 12:\n        return 479\n    return n", example("f(12)", 479)),
        ("def f(n):\n    return 479 if n == 12 else 0", example("f(n=12)", 479)),
        ("def f(n):\n    return {12: 479}.get(n)", example("f(12)", 479)),
        ("def f(s):\n    if s == 'abc':\n        return 'cba'\n    return s",
         example("f('abc')", "cba")),
        ("def f(a, b):\n    if (a, b) == (30, 4):\n        return 7\n    return 0",
         example("f(30, 4)", 7)),
    ],
)  # fmt: skip
def test_recitals_are_seen(code: str, case: Case) -> None:
    assert recites(code, "f", [case])


@pytest.mark.parametrize(
    ("code", "case"),
    [
        ("def f(n):\n    if n == 0:\n        return 1\n    return n * f(n - 1)",
         example("f(0)", 1)),
        ("def f(n):\n    return n * 2", example("f(12)", 24)),
        ("def f(n):\n    return {1000: 'M', 500: 'D', 1: 'I'}[n]", example("f(1000)", "M")),
        ("def f(y):\n    if y % 400 == 0:\n        return True\n    return y % 4 == 0",
         example("f(400)", True)),
        ("def f(s):\n    if len(s) == 400:\n        return True\n    return False",
         example("f(400)", True)),
        ("def f(:", example("f(12)", 24)),
    ],
)  # fmt: skip
def test_what_computes_is_left_alone(code: str, case: Case) -> None:
    assert not recites(code, "f", [case])
