"""Hundreds of edited programs tried at once."""

from typing import Any

import pytest

from hammerstone.core.calls import Call, Failure, Limits, Outcome, Program
from hammerstone.learn.repair import screen as screening
from hammerstone.learn.repair.screen import screen
from tests.unit.own_code import OwnCodeSandbox

CALLS = [Call(source="f(1)"), Call(source="f(2)")]


class _Table(OwnCodeSandbox):
    """Gives what a function makes of the programs of a batch."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self._answer = answer
        self.sizes: list[int] = []

    async def call(self, program: Program, call: Call, **_: Any) -> Outcome:
        codes: Any = call.args[0]
        self.sizes.append(len(codes))
        made = self._answer(codes)
        return Outcome(failure=Failure.MEMORY) if made is None else Outcome(made)


def shown(outcome: Outcome) -> Any:
    return outcome.value if outcome.ok else (outcome.failure, outcome.error_type)


async def test_values_errors_and_programs_that_do_not_load() -> None:
    codes = [
        "def f(n):\n    return [n]\n",
        "def f(n):\n    return 1 // (n - 1)\n",
        "def f(n:\n",
        "def f(n):\n    return 'a' * 30000 * (n - 1)\n",
        "def f(n):\n    while n > 1: pass\n    return 0\n",
        "def f(n):\n    return g\n",
    ]
    rows = await screen(codes, CALLS, OwnCodeSandbox())
    raised = Failure.RAISED
    assert [[shown(cell) for cell in row] for row in rows] == [
        [[1], [2]],
        [(raised, "ZeroDivisionError"), 1],
        [(Failure.LOAD, "")] * 2,
        ["", (Failure.OUTPUT, "")],
        [0, (Failure.TIMEOUT, "")],
        [(raised, "NameError")] * 2,
    ]


async def test_one_slow_call_ends_the_others_of_its_program() -> None:
    calls = [*reversed(CALLS), Call(source="f(0)")]
    code = "def f(n):\n    while n > 1: pass\n    return 0\n"
    (row,) = await screen([code], calls, OwnCodeSandbox())
    assert [cell.failure for cell in row] == [Failure.TIMEOUT] * 3


async def test_the_program_that_kills_a_batch_is_found() -> None:
    codes = [f"code {n}" for n in range(40)]
    sandbox = _Table(
        lambda batch: None if "code 17" in batch else [[["value", c], ["load"]] for c in batch]
    )
    rows = await screen(codes, CALLS, sandbox)
    assert [row[0].failure for row in rows].count(None) == 39
    assert [cell.failure for cell in rows[17]] == [Failure.CRASHED] * 2
    assert [row[0].value for row in rows if row[0].ok] == [c for c in codes if c != "code 17"]
    assert sandbox.sizes[0] == 40 and sandbox.sizes[1] == 10 and 1 in sandbox.sizes


async def test_what_had_no_time_has_timed_out() -> None:
    rows = await screen(["a", "b", "c"], CALLS, _Table(lambda batch: []), total_s=0.0)
    assert [[cell.failure for cell in row] for row in rows] == [[Failure.TIMEOUT] * 2] * 3


async def test_a_batch_may_give_back_a_part_and_goes_on_behind_it() -> None:
    sandbox = _Table(lambda batch: [[["value", c], ["value", 0]] for c in batch[:2]])
    rows = await screen(list("abcde"), CALLS, sandbox)
    assert [row[0].value for row in rows] == list("abcde")
    assert sandbox.sizes == [5, 3, 1]


async def test_batches_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "BATCH", 4)
    sandbox = _Table(lambda batch: [[["value", 1], ["value", 1]] for _ in batch])
    assert len(await screen(["c"] * 9, CALLS, sandbox)) == 9
    assert sandbox.sizes == [4, 4, 1]


@pytest.mark.parametrize(
    ("row", "failures"),
    [
        ("nonsense", [Failure.FORGED] * 2),
        ([["value", 1]], [Failure.FORGED] * 2),
        ([["value", 1], ["value", 1], ["value", 1]], [Failure.FORGED] * 2),
        ([["value"], ["raised", 3]], [Failure.FORGED] * 2),
        ([["memory"], ["output"]], [Failure.FORGED, Failure.OUTPUT]),
        ([["value", None], ["raised", "E"]], [None, Failure.RAISED]),
    ],
)
async def test_what_is_odd_is_a_forgery(row: Any, failures: list[Failure | None]) -> None:
    (found,) = await screen(["c"], CALLS, _Table(lambda _: [row]))
    assert [cell.failure for cell in found] == failures


async def test_more_rows_than_programs_count_as_none() -> None:
    (found,) = await screen(["c"], CALLS, _Table(lambda _: [[["load"]] * 2] * 2))
    assert [cell.failure for cell in found] == [Failure.CRASHED] * 2


async def test_results_may_be_large_and_take_a_whole_core() -> None:
    sandbox = OwnCodeSandbox()
    await screen(["def f(n):\n    return n\n"], CALLS, sandbox)
    assert sandbox.limits == [Limits(output_bytes=8 << 20, cpu_share=1.0)]
