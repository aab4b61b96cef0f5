"""Candidates that try to pass a test without doing the work: what they return is judged as data,
and what is expected of them is nowhere in their process."""

import pytest

from hammerstone.core.calls import Program
from hammerstone.core.seams import Sandbox
from hammerstone.judging.cases import passes
from hammerstone.synthesis.examine.suites.cases import read_assert, settle

SUITE = [
    "assert f(2) == 40361 and f(3) == 90361",
    "assert f(2) == 40361 or f(3) == 90361",
    "assert f(4) == f(-4)",
    "assert f(2) == 40361 == f(2)",
    "assert (f(2) == 40361) + (f(3) == 90361) == 2",
    "assert [f(2), f(3)] == [40361, 90361]",
    "assert f(2) - 40361 + f(3) - 90361 == 0",
    "assert f(2) in (40361, 90361) and not f(3) != 90361",
]
AGREES = """
class Agreeable:
    def _true(self, *others):
        return True
    __eq__ = __ne__ = __lt__ = __gt__ = __contains__ = __bool__ = _true
    def _self(self, *others):
        return self
    __add__ = __radd__ = __sub__ = __rsub__ = _self
    __hash__ = None
def f(x):
    return Agreeable()
"""
READS = """
import gc, re, sys
def f(x):
    found, frame, values = [], sys._getframe(), gc.get_objects()
    while frame is not None:
        values += frame.f_locals.values()
        frame = frame.f_back
    for value in values:
        if isinstance(value, (str, dict, list)):
            text = repr(value)
            if len(text) < 1_000_000:
                found += re.findall("[0-9]{5}", text)
    return int(([each for each in found if each.endswith("0361")] or [0])[0])
"""
HONEST = "def f(x):\n    return {2: 40361, 3: 90361}.get(x, x * x)\n"


async def passed(code: str, sandbox: Sandbox) -> list[bool]:
    drafts = [draft for text in SUITE for draft in read_assert(text, "f")]
    cases = [case for case in await settle(drafts, sandbox) if case is not None]
    assert len(cases) == len(drafts)
    (row,) = await sandbox.matrix([Program(code, "f")], [case.call for case in cases])
    return [await passes(case, outcome, sandbox) for case, outcome in zip(cases, row, strict=True)]


@pytest.mark.parametrize("code", [AGREES, READS], ids=["agrees", "reads"])
async def test_a_candidate_that_cheats_passes_no_test_with_an_expected_value(
    code: str, sandbox: Sandbox
) -> None:
    held = await passed(code, sandbox)
    alike = 3  # f(4) == f(-4) is true of anything that always returns the same
    assert not any(held[:alike] + held[alike + 1 :]), held


async def test_a_candidate_that_does_the_work_passes_all(sandbox: Sandbox) -> None:
    assert all(await passed(HONEST, sandbox))
