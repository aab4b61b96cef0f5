"""Asserts become atomic cases, and the expected value never travels with the call."""

import pytest

from hammerstone.core.calls import Call, Outcome, Program
from hammerstone.core.tools import CaseKind
from hammerstone.synthesis.examine.suites.cases import BadCase, read_assert, settle


@pytest.mark.parametrize(
    ("text", "call", "expected"),
    [
        ("assert f(1, [2]) == 3", "f(1, [2])", 3),
        ("assert 3 == f(1)", "f(1)", 3),
        ("assert f('a') is None", "f('a')", None),
        ("assert f(1) == (1, 2)", "f(1)", {"$tuple": [1, 2]}),
        ("assert f(1) == -2.5", "f(1)", -2.5),
        ("assert f(1) == float('inf')", "f(1)", {"$float": "inf"}),
        ("assert f(1) == set()", "f(1)", {"$set": []}),
        ("assert f(2) == 2 + 3 * 4", "f(2)", 14),
        ("assert math.isclose(f(2), 1.5, rel_tol=1e-9)", "f(2)", 1.5),
        ("assert f(2) == pytest.approx(1.5)", "f(2)", 1.5),
        ("assert f(f(2)) == 4", "f(f(2))", 4),
        ("assert f(1) + f(2) == 3", "f(1) + f(2)", 3),
    ],
)
def test_value_cases(text: str, call: str, expected: object) -> None:
    (draft,) = read_assert(text, "f", "author 1")
    assert draft.case.kind is CaseKind.VALUE
    assert draft.case.call.source == call
    assert draft.case.expected == expected
    assert draft.expression is None
    assert draft.case.origin == "author 1"


@pytest.mark.parametrize(
    ("text", "call", "check"),
    [
        ("assert f(1)", "f(1)", "result"),
        ("assert not f(1)", "f(1)", "not result"),
        ("assert f(1) != 2", "f(1)", "result != 2"),
        ("assert len(f([1])) == 1", "f([1])", "len(result) == 1"),
        ("assert isinstance(f(1), list)", "f(1)", "isinstance(result, list)"),
        ("assert 0 < f(1) < 5", "f(1)", "0 < result < 5"),
        ("assert all(x > 0 for x in f([x for x in y]))", "f([x for x in y])", None),
        ("assert all(x > 0 for x in f(1))", "f(1)", "all((x > 0 for x in result))"),
        ("assert f(1) == f(2)", "(f(1), f(2))", "result[0] == result[1]"),
        ("assert f(2) == 4 or f(3) == 9", "(f(2), f(3))", "result[0] == 4 or result[1] == 9"),
        ("assert f(2) == 4 == f(-2)", "(f(2), f(-2))", "result[0] == 4 == result[1]"),
        ("assert f(2) - 4 + f(3) == 9", "(f(2), f(3))", "result[0] - 4 + result[1] == 9"),
        ("assert math.isclose(f(1), f(2))", "(f(1), f(2))", "math.isclose(result[0], result[1])"),
        ("assert (f(1) == 1) + (f(2) == 4) == 2", "(f(1), f(2))", None),
    ],
)
def test_other_tests_around_calls_are_properties(text: str, call: str, check: str | None) -> None:
    (draft,) = read_assert(text, "f")
    case = draft.case
    assert (case.kind, case.call.source) == (CaseKind.PROPERTY, call)
    assert check is None or case.check == check


@pytest.mark.parametrize(
    "text",
    [
        "assert f(2) == 4 and f(3) == 9",
        "assert f(2) == 4 and (f(3) == 9 and True)",
        "assert isinstance(1, int) and f(2) == 4 and 9 == f(3)",
    ],
)
def test_parts_joined_by_and_are_cases_of_their_own(text: str) -> None:
    cases = [draft.case for draft in read_assert(text, "f")]
    assert [(case.kind, case.call.source, case.expected) for case in cases] == [
        (CaseKind.VALUE, "f(2)", 4),
        (CaseKind.VALUE, "f(3)", 9),
    ]


def test_a_raises_block_names_the_error() -> None:
    (draft,) = read_assert("with pytest.raises(ValueError):\n    f(-1)", "f")
    case = draft.case
    assert (case.kind, case.call.source, case.expected) == (CaseKind.RAISES, "f(-1)", "ValueError")


@pytest.mark.parametrize(
    "text",
    [
        "assert f",
        "assert 1 == 1",
        "f(1)",
        "assert f(1) ==",
        "x = 1\nassert f(1) == 1",
        "a" * 30_000,
        "assert all(f(n) == n * n for n in range(5))",
        "assert (lambda n: f(n) == n)(3)",
        "assert " + " + ".join(f"f({n})" for n in range(30)) + " > 0",
    ],
)
def test_what_is_no_test_of_the_function_is_said_to_be_so(text: str) -> None:
    with pytest.raises(BadCase):
        read_assert(text, "f")


class OnlyExpressions:
    """A sandbox that knows the value of a few expressions and records what it was shown."""

    backend = "table"

    def __init__(self, values: dict[str, object]) -> None:
        self.values = values
        self.programs: list[Program] = []

    async def matrix(self, programs, calls, **_):  # type: ignore[no-untyped-def]
        self.programs += programs
        return [[Outcome(value=self.values[call.source]) for call in calls]]


async def test_an_expected_expression_is_evaluated_without_a_candidate() -> None:
    sandbox = OnlyExpressions({"sorted([2, 1])": [1, 2]})
    drafts = read_assert("assert f([2, 1]) == sorted([2, 1])", "f")
    (case,) = await settle(drafts, sandbox)  # type: ignore[arg-type]
    assert case is not None
    assert case.expected == [1, 2]
    assert case.call == Call(source="f([2, 1])")
    assert "def f" not in sandbox.programs[0].code
