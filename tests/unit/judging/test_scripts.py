"""A script of tests: passed when it runs to the end, and a busy machine gets a second chance."""

from typing import Any, cast

from hammerstone.core.calls import Call, Failure, Limits, Outcome, Program
from hammerstone.core.seams import Sandbox
from hammerstone.judging.cases import passes_script


class Replies:
    """Gives prepared outcomes and notes what it was asked to run."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.left = list(outcomes)
        self.programs: list[Program] = []
        self.limits: list[float] = []

    async def call(self, program: Program, _call: Call, *, limits: Limits, **_: Any) -> Outcome:
        self.programs.append(program)
        self.limits.append(limits.wall_s)
        return self.left.pop(0)


async def _passes(replies: Replies, code: str = "def f():\n    return 1") -> bool:
    return await passes_script(cast(Sandbox, replies), code, "assert f() == 1", "import math")


async def test_a_script_that_runs_to_the_end_passes() -> None:
    replies = Replies(Outcome(True))
    assert await _passes(replies)
    (program,) = replies.programs
    order = [program.code.index(part) for part in ("import math", "def f", "assert f()")]
    assert order == sorted(order)
    assert f"def {program.function}()" in program.code


async def test_an_error_or_another_value_is_no_pass() -> None:
    assert not await _passes(Replies(Outcome(failure=Failure.LOAD)))
    assert not await _passes(Replies(Outcome("True")))


async def test_what_ran_out_of_time_is_tried_once_more_with_more() -> None:
    replies = Replies(Outcome(failure=Failure.TIMEOUT), Outcome(True))
    assert await _passes(replies)
    assert replies.limits[0] < replies.limits[1]
    assert not await _passes(Replies(*[Outcome(failure=Failure.LOST)] * 2))


async def test_no_code_passes_nothing() -> None:
    assert not await _passes(Replies(), code="")
