"""The smallest call that still fails in the same way."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hammerstone.core.calls import Outcome, Program
from hammerstone.core.tools import Spec, Version
from hammerstone.learn.repair import shrink as shrinking
from hammerstone.learn.repair.reflection import call_of
from hammerstone.learn.repair.shrink import _cut, shrink
from tests.unit.own_code import OwnCodeSandbox

LARGE = (
    "def f(items):\n    if any(i > 10 for i in items):\n        raise KeyError(1)\n    return 0\n"
)
TEXT = "def f(items):\n    return items.index('x') if 'x' not in items else 0\n"


def version(code: str, schema: Any, returns: str = "integer") -> Version:
    spec = Spec(
        "f",
        "f of something",
        {"type": "object", "properties": {"items": schema}, "required": ["items"]},
        {"type": returns},
    )
    return Version("f1", "f", 1, code, spec, (), (), {}, datetime.now(UTC))


async def shrunk(made: Version, items: Any) -> Any:
    sandbox = OwnCodeSandbox()
    arguments = {"items": items}
    program = Program(made.code, "f")
    outcome = await sandbox.call(program, call_of(arguments))
    return (await shrink(made, arguments, outcome, sandbox))["items"]


NUMBERS = {"type": "array", "items": {"type": "integer"}}


async def test_what_does_not_matter_is_left_out() -> None:
    assert await shrunk(version(LARGE, NUMBERS), [3, 1, 400, 2, 7, 7]) == [12]


async def test_another_failure_does_not_count() -> None:
    code = LARGE.replace("return 0", "return items[0]")  # nothing in it: IndexError
    assert await shrunk(version(code, NUMBERS), [3, 12, 5]) == [12]


async def test_smaller_calls_fit_the_schema() -> None:
    at_least = {**NUMBERS, "minItems": 3}
    found = await shrunk(version(LARGE, at_least), [500, 4, 5, 6, 7])
    assert len(found) == 3 and sum(i > 10 for i in found) == 1


async def test_a_broken_promise_is_a_failure_too() -> None:
    code = "def f(items):\n    return 'long' if len(items) > 2 else len(items)\n"
    assert len(await shrunk(version(code, {"type": "string"}), "abcdefghij")) == 3


async def test_what_cannot_be_made_smaller_stays() -> None:
    assert await shrunk(version(TEXT, {"type": "string"}), "") == ""


async def test_it_ends_after_its_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinking, "ROUNDS", 1)
    monkeypatch.setattr(shrinking, "AT_ONCE", 2)
    made, sandbox = version(LARGE, NUMBERS), OwnCodeSandbox()
    arguments = {"items": [11] * 64}
    outcome = await sandbox.call(Program(LARGE, "f"), call_of(arguments))
    sandbox.ran.clear()
    assert await shrink(made, arguments, outcome, sandbox) == {"items": [11] * 32}
    assert len(sandbox.ran) == 2


TEXT_PART = st.text("abé ", max_size=6)
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
SCALAR = st.none() | st.booleans() | NUMBER | TEXT_PART
PARTS = SCALAR | st.lists(SCALAR | st.lists(SCALAR, max_size=3), max_size=5)
PARTS |= st.dictionaries(TEXT_PART, SCALAR, max_size=4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PARTS)
def test_cuts_keep_the_kind_and_add_nothing(value: Any) -> None:
    for cut in _cut(value):
        assert type(cut) is type(value)
        if isinstance(value, str | list | dict):
            assert len(cut) <= len(value)
        if isinstance(value, int):
            assert abs(cut) <= max(1, abs(value))


@pytest.mark.parametrize(
    ("value", "cuts"),
    [
        (True, []),
        (None, []),
        (9, [0, 1, 4, 8]),
        (-3, [0, 1, -2]),
        (2.5, [0.0, 1.0, 2.0]),
        ("abcd", ["", "ab", "cd", "bcd", "abc"]),
        ([7, "a"], [[], [7], ["a"], [0, "a"], [1, "a"], [3, "a"], [7, ""], [7, "a"]]),
        ({"a": 5, "b": None}, [{"b": None}, {"a": 5}]),
    ],
)
def test_the_boldest_cuts_come_first(value: Any, cuts: list[Any]) -> None:
    found = list(_cut(value))
    assert [cut for n, cut in enumerate(found) if cut not in found[:n]][: len(cuts)] == cuts


async def test_no_failure_that_is_alike_leaves_the_call_as_it_is() -> None:
    lost = Outcome(None, None, "", "")  # went well, and keeps its promise
    found = await shrink(version(LARGE, NUMBERS), {"items": [1, 2]}, lost, OwnCodeSandbox())
    assert found == {"items": [1, 2]}
