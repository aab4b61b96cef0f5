"""Why a call failed, found out by trying it again."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hammerstone.core.calls import HEAVY, STANDARD, Failure, FailureKind, Outcome
from hammerstone.core.tools import Spec, Version
from hammerstone.judging.result_types import type_mismatch
from hammerstone.learn.repair.reflection import LARGE, limits_of, reflect
from tests.unit.own_code import OwnCodeSandbox


def version(code: str, returns: Any = "number", limits: str = "standard") -> Version:
    spec = Spec(
        "f",
        "f of n",
        {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
        {"type": returns} if returns else {},
        limits=limits,
    )
    return Version("f1", "f", 1, code, spec, (), (), {}, datetime.now(UTC))


def raising(what: str) -> str:
    return f"def f(n):\n    raise {what}\n"


@pytest.mark.parametrize(
    ("code", "n", "kind", "cause"),
    [
        ("def f(n):\n    return n\n", 1, "transient", "the same call works now"),
        ("def f(n):\n    return 'a'\n", 1, "bug", "'a' is not of type 'number'"),
        ("def f(n):\n    return n / 0\n", 1, "bug", "ZeroDivisionError: division by zero"),
        ("def f(n):\n    return n + 'a'\n", 1, "bug", "TypeError"),  # nobody raised it on purpose
        ("def f(n):\n    return n + 'a'\n", "b", "transient", "the same call works now"),
        ("def f(n):\n    return n - 1\n", "b", "bad argument", "n"),
        (raising("ValueError('too small')"), 1, "bad argument", "ValueError: too small"),
        (raising("KeyError('x')"), 1, "bug", "KeyError: 'x'"),
        (raising("NotImplementedError('no')"), 1, "missing capability", "no"),
        (raising("FileNotFoundError('x.csv')"), 1, "environment", "x.csv"),
        ("def g(n):\n    return n\n", 1, "bug", "f"),  # does not load
    ],
)
async def test_the_class_of_a_failure(code: str, n: Any, kind: str, cause: str) -> None:
    returns = None if n == "b" else "number"
    found = await reflect(version(code, returns), {"n": n}, OwnCodeSandbox())
    assert (found.kind, cause in found.cause) == (kind, True), found.cause


class _Ending(OwnCodeSandbox):
    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self._failure = failure

    async def call(self, *_: Any, **__: Any) -> Outcome:
        return Outcome(None, self._failure)


@pytest.mark.parametrize(
    ("failure", "size", "kind", "cause"),
    [
        (Failure.LOST, 1, FailureKind.TRANSIENT, "the sandbox was lost"),
        (Failure.TIMEOUT, 1, FailureKind.BUG, "timeout with a small input"),
        (Failure.MEMORY, 1, FailureKind.BUG, "memory with a small input"),
        (Failure.OUTPUT, LARGE + 1, FailureKind.MISSING_CAPABILITY, "characters are too much"),
        (Failure.TIMEOUT, LARGE - 20, FailureKind.BUG, "small input"),
        (Failure.CRASHED, LARGE + 1, FailureKind.BUG, "crashed"),
    ],
)
async def test_a_limit_says_something_else_for_large_inputs(
    failure: Failure, size: int, kind: FailureKind, cause: str
) -> None:
    made = version("def f(n):\n    return n\n")
    made.spec.parameters["properties"] = {"n": {"type": "string"}}
    found = await reflect(made, {"n": "9" * size}, _Ending(failure))
    assert found.kind is kind and cause in found.cause


async def test_a_signature_names_the_failure_and_not_the_values() -> None:
    code = "def f(n):\n    if n > 5:\n        raise KeyError(f'no {n} here')\n    return [][3]\n"
    signatures = {
        n: (await reflect(version(code), {"n": n}, OwnCodeSandbox())).signature for n in (1, 7, 80)
    }
    assert signatures[7] == signatures[80] != signatures[1]
    elsewhere = code.replace("    if n > 5", "    n = n\n    if n > 5")
    other = await reflect(version(elsewhere), {"n": 7}, OwnCodeSandbox())
    assert other.signature != signatures[7]


async def test_a_heavy_tool_is_tried_with_heavy_limits() -> None:
    sandbox = OwnCodeSandbox()
    made = version("def f(n):\n    return n\n", limits="heavy")
    await reflect(made, {"n": 1}, sandbox)
    assert sandbox.limits == [HEAVY]
    assert limits_of(version("").spec) is STANDARD


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("number", [1, 1.5], [True, "1", None, {"a": 1}]),
        ("integer", [1, 2.0], [1.5, True, "1"]),
        ("string", ["", "a"], [1, None, ["a"]]),
        ("boolean", [True, False], [0, 1, "true"]),
        ("array", [[], [1], {"$set": [1]}], [{}, "a"]),
        ("object", [{}, {"a": 1, "b": 2}], [[], None]),
        ("null", [None], [0, False, ""]),
        ("whatever", [1, None, "a"], []),
        (["string", "null"], ["a", None], [1]),
    ],
)
def test_a_promise_is_about_the_type(kind: Any, good: list[Any], bad: list[Any]) -> None:
    returns = version("", kind).spec.returns
    assert [type_mismatch(returns, value) for value in good] == [""] * len(good)
    assert all(type_mismatch(returns, value) for value in bad)
    assert type_mismatch(version("", None).spec.returns, 3) == ""
