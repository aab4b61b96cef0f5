"""Functions behind a head that takes plain JSON, and rivals behind the winner's head."""

import datetime
from typing import Any

import pytest

from hammerstone.core import wire
from hammerstone.core.json_types import Json
from hammerstone.core.solutions import Solution
from hammerstone.synthesis.solutions.own_call import OwnCall
from hammerstone.synthesis.solutions.plain import PlainFunction, plain_function
from hammerstone.synthesis.solutions.rivals import matched


def plain(code: str, function: str, **arguments: Any) -> PlainFunction | str:
    given: dict[str, Json] = {name: wire.encode(value) for name, value in arguments.items()}
    return plain_function(Solution(code, function, f"{function}()"), OwnCall(given, None, None))


def called(made: PlainFunction | str) -> Any:
    """What the plain function returns for its own call; run here, since the test wrote it."""
    assert isinstance(made, PlainFunction)
    names: dict[str, Any] = {}
    exec(made.code, names)
    return names[made.head.name](**made.arguments)


def test_a_plain_function_stays_as_it_is_without_its_demonstration() -> None:
    made = plain("def f(a: int):\n    return a + 1\n\nanswer = f(2)\n", "f", a=2)
    assert isinstance(made, PlainFunction) and "answer" not in made.code
    assert called(made) == 3


@pytest.mark.parametrize(
    ("code", "arguments", "plainly", "result"),
    [
        ("def f(*words): return len(words)", {"words": ("a", "b")}, {"words": ["a", "b"]}, 2),
        (
            "def f(day): return day.year",
            {"day": datetime.date(2026, 3, 1)},
            {"day": "2026-03-01"},
            2026,
        ),
        ("def f(a, *, b): return a - b", {"a": 5, "b": 3}, {"a": 5, "b": 3}, 2),
        ("def f(pair): return pair[0]", {"pair": (4, 5)}, {"pair": [4, 5]}, 4),
        ("def f(s): return len(s | {9})", {"s": {1, 2}}, {"s": [1, 2]}, 3),
        (
            "def f(*n): return n[0] * f(*n[1:]) if n else 1",
            {"n": (2, 3, 4)},
            {"n": [2, 3, 4]},
            24,
        ),
    ],
)
def test_what_is_no_json_gets_a_head_that_takes_it(
    code: str, arguments: dict[str, Any], plainly: dict[str, Any], result: Any
) -> None:
    made = plain(code, "f", **arguments)
    assert isinstance(made, PlainFunction), made
    assert made.arguments == plainly
    assert called(made) == result


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("def f(**more): return 1", {"more": {"a": 1}}),
        ("def f(a): return 1", {"a": 3 + 4j}),
        ("def g(a): return 1", {"a": 1}),
    ],
)
def test_what_has_no_plain_form_is_told(code: str, arguments: dict[str, Any]) -> None:
    assert isinstance(plain(code, "f", **arguments), str)


WINNER = plain("def tip(bill, percent, people=1): return 0", "tip", bill=86.4, percent=15, people=1)


@pytest.mark.parametrize(
    ("code", "arguments", "names"),
    [
        ("def f(percent, bill): ...", {"percent": 1, "bill": 2}, {"percent": 0, "bill": 0}),
        (
            "def f(rate, amount): ...",
            {"rate": 15, "amount": 86.4},
            {"rate": "percent", "amount": "bill"},
        ),
        (
            "def f(amount, rate): ...",
            {"amount": 90.0, "rate": 0.15},
            {"amount": "bill", "rate": "percent"},
        ),
        (
            "def f(bill, rate, digits=2): ...",
            {"bill": 1, "rate": 15, "digits": 2},
            {"bill": "bill", "rate": "percent"},
        ),
        ("def f(bill): ...", {"bill": 86.4}, "no parameter for percent"),
        ("def f(bill, percent, who): ...", {"bill": 1, "percent": 2, "who": "x"}, "takes who"),
    ],
)
def test_parameters_are_matched_by_name_value_and_type(
    code: str, arguments: dict[str, Any], names: Any
) -> None:
    rival = plain(code.replace("...", "return 0"), "f", **arguments)
    assert isinstance(rival, PlainFunction) and isinstance(WINNER, PlainFunction)
    found = matched(rival, WINNER)
    if isinstance(names, str):
        assert isinstance(found, str) and names in found
    else:
        wanted = {name: other or name for name, other in names.items()}
        assert found == wanted
