"""The regression wall: nothing that worked may stop working, and nothing may become slow."""

from typing import Any

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind
from hammerstone.learn.policies import GatePolicy, RepairPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.verdict import rule
from hammerstone.learn.repair.complaint import Complaint, PastCall, with_sources
from hammerstone.learn.repair.regression_check import RegressionVerdict, stands
from tests.unit.own_code import OwnCodeSandbox

OLD = "def half(n):\n    return n // 2\n"
GOOD = "def half(n):\n    return n / 2\n"


def case(source: str, expected: Any) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected)


COMPLAINT = Complaint(
    "half",
    OLD,
    "half of a number",
    case("half(3)", 1.5),
    truth=(case("half(4)", 2), case("half(8)", 4), case("half(5)", 99)),
    replays=(PastCall(Call(kwargs={"n": 7}), 3), PastCall(Call(kwargs={"n": 10}), 5)),
)


async def verdict(
    code: str, complaint: Complaint = COMPLAINT, slow: float = 0.0
) -> RegressionVerdict:
    sandbox = OwnCodeSandbox({OLD: 0.004, code: slow})
    return await stands(complaint, code, sandbox, RepairPolicy())


async def test_a_fix_that_breaks_nothing_stands_and_tells_what_it_changes() -> None:
    found = await verdict(GOOD)
    assert found.holds and not found.reason and not found.broken
    assert found.passed == 3  # the wrong case never passed, and need not now
    assert found.changed == ({"call": "half(n=7)", "before": "3", "after": "3.5"},)
    assert found.to_json()["passed"] == 3 and found.to_json()["changed"] == list(found.changed)


async def test_the_failing_case_has_to_pass() -> None:
    found = await verdict(OLD)
    assert not found.holds
    assert found.broken == ("half(3) gives 1",)
    assert found.reason == "half(3) gives 1"


async def test_what_passed_has_to_pass() -> None:
    code = "def half(n):\n    return 1.5 if n == 3 else n // 2 if n > 8 else 0\n"
    found = await verdict(code)
    assert found.broken == ("half(4) gives 0", "half(8) gives 0")
    assert found.reason == "half(4) gives 0 and 1 more"


async def test_an_earlier_success_has_to_give_a_value() -> None:
    code = "def half(n):\n    return [][n] if n == 10 else n / 2\n"
    found = await verdict(code)
    assert found.reason == "half(n=10) fails: IndexError"
    assert not found.holds


@pytest.mark.parametrize(("seconds", "holds"), [(0.001, True), (0.396, True), (0.4, False)])
async def test_a_fix_may_not_be_much_slower(seconds: float, holds: bool) -> None:
    found = await verdict(GOOD, slow=seconds)
    assert found.holds is holds
    assert found.slower == pytest.approx(max(0.002, seconds) / 0.004)
    assert found.reason == ("" if holds else "100 times slower than before")


async def test_a_busy_machine_makes_no_fix_slower_or_quicker() -> None:
    busy = OwnCodeSandbox({OLD: 0.004, GOOD: 0.4}, held_up=60.0)
    assert (await stands(COMPLAINT, GOOD, busy, RepairPolicy())).slower == pytest.approx(100)
    unmeasured = OwnCodeSandbox(held_up=0.5)  # it knows no processor time
    assert (await stands(COMPLAINT, GOOD, unmeasured, RepairPolicy())).slower == 1.0


async def test_time_is_compared_where_both_answer() -> None:
    complaint = Complaint("half", "def half(n):\n    raise KeyError\n", "", case("half(3)", 1.5))
    assert (await verdict(GOOD, complaint, slow=30.0)).slower == 1.0


def test_each_call_is_a_case_once_and_the_failing_one_is_first() -> None:
    again = Complaint("half", OLD, "", case("half(3)", 1.5), truth=(
        case("half(3)", 1), case("half(4)", 2), case("half(5)", 2.5), case("half(4)", 9),
    ))  # fmt: skip
    assert [(c.call.source, c.expected) for c in again.cases] == [
        ("half(3)", 1.5),
        ("half(5)", 2.5),
        ("half(4)", 2),
    ]


@pytest.mark.parametrize(
    ("kind", "expected", "error", "told"),
    [
        (CaseKind.VALUE, 1.5, "returns 1", "`half(3)` must return `1.5` but returns 1."),
        (CaseKind.VALUE, 1.5, "", "`half(3)` must return `1.5`."),
        (CaseKind.RAISES, "ValueError", "", "`half(3)` must raise ValueError."),
        (CaseKind.RAISES, None, "", "`half(3)` must raise an error."),
        (CaseKind.PROPERTY, None, "raises", "`half(3)` must work but raises."),
    ],
)
def test_a_complaint_is_a_sentence(kind: CaseKind, expected: Any, error: str, told: str) -> None:
    failing = Case(kind, Call(source="half(3)"), expected)
    assert Complaint("half", OLD, "", failing, error).told() == told


def test_cases_get_their_calls_as_expressions() -> None:
    given = Case(CaseKind.VALUE, Call(args=(3,), kwargs={"m": [1]}), 2, origin="user")
    opaque = Case(CaseKind.VALUE, Call(args=({"$opaque": ["Lock", "<lock>"]},)), 2)
    (found, *more) = with_sources([given, opaque], "half")
    assert found.call.source == "half(3, m=[1])"
    assert (found.expected, found.origin) == (2, "user")
    assert all(case.call.source for case in more)


async def test_what_the_gate_is_given_was_measured() -> None:
    """Each case with the old program and with the fix: a fix that breaks one is vetoed."""
    good = await verdict(GOOD)
    assert [(pair.case, pair.before, pair.after) for pair in good.pairs] == [
        ("half(3)", 0, 1),
        ("half(4)", 1, 1),
        ("half(8)", 1, 1),
        ("half(5)", 0, 0),
        ("half(n=7)", 1, 1),
        ("half(n=10)", 1, 1),
    ]
    bad = await verdict("def half(n):\n    return 1.5\n")
    evidence = ProposalEvidence(search=bad.pairs[:1], passes=bad.pairs[1:], confidence=0.99)
    ruling = rule(evidence, GatePolicy())
    assert (ruling.finding, ruling.promotes) == ("breaks", False)
    assert ruling.reason == "half(4) was right and would be wrong and 1 more"
