"""What an author of a fix is told: the promise, the code, what is wrong and what is right."""

import pytest

from hammerstone.core.calls import Call, Outcome
from hammerstone.core.tools import Case, CaseKind
from hammerstone.learn.repair.author import fix_messages, rewrite_messages, without_docstring
from hammerstone.learn.repair.complaint import Complaint, FailingCall, passed_cases

SPEC = 'def half(n: float) -> float:\n    """Half of a number."""'
CODE = 'def half(n: float) -> float:\n    """Half of a number."""\n    return n // 2\n'


def case(source: str, expected: object) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected)  # type: ignore[arg-type]


COMPLAINT = Complaint(
    "half",
    CODE,
    SPEC,
    case("half(3)", 1.5),
    "returns `1`",
    truth=(case("half(4)", 2.0),),
    others=(FailingCall(case("half(5)", 2.5), "returns `2`"),),
)


def test_a_fix_is_asked_for_with_the_promise_every_failure_and_what_passed():
    text = fix_messages(COMPLAINT, [case("half(4)", 2.0)])[-1].text
    assert text.startswith(f"```python\n{SPEC}\n```\n")
    assert "`half(3)` must return `1.5` but returns `1`." in text
    assert "`half(5)` must return `2.5` but returns `2`." in text
    assert "`half(4)` returns `2.0`." in text
    assert text.count("Half of a number") == 1


def test_nothing_is_said_of_calls_that_went_well_where_none_is_known():
    assert "must stay so" not in fix_messages(COMPLAINT)[-1].text


def test_who_writes_anew_sees_neither_the_code_nor_what_it_gave():
    text = rewrite_messages(COMPLAINT)[-1].text
    assert "`half(3)` must return `1.5`. `half(5)` must return `2.5`." in text
    assert "n // 2" not in text and "returns `1`" not in text


def test_a_fix_and_a_rewrite_begin_alike():
    fix, rewrite = fix_messages(COMPLAINT), rewrite_messages(COMPLAINT)
    assert fix[0] == rewrite[0]
    head = f"```python\n{SPEC}\n```\n"
    assert fix[1].text.startswith(head) and rewrite[1].text.startswith(head)


def test_only_a_few_short_calls_that_went_well_are_told_and_no_failing_one():
    passed = [case(f"half({n})", n / 2) for n in (3, 10, 12, 4, 6, 8)]
    told = COMPLAINT.told_passes([*passed, case(f"half({'1' * 400})", 0)])
    assert told == "`half(4)` returns `2.0`; `half(6)` returns `3.0`; `half(8)` returns `4.0`."


def test_every_failing_call_is_a_case_before_the_rest():
    assert [one.call.source for one in COMPLAINT.cases] == ["half(3)", "half(5)", "half(4)"]


def test_what_passed_is_told_with_the_value_that_the_program_gave():
    cases = [case("half(4)", 2.0), case("half(3)", 1.5)]
    (passed,) = passed_cases(cases, [Outcome(value=2), Outcome(value=1)])
    assert (passed.call.source, repr(passed.expected)) == ("half(4)", "2")


@pytest.mark.parametrize(
    ("code", "left"),
    [
        (CODE, "def half(n: float) -> float:\n    return n // 2\n"),
        ('def half(n):\n    """Alone."""\n', 'def half(n):\n    """Alone."""\n'),
        ('def half(n): """One line."""; return n', 'def half(n): """One line."""; return n'),
        ("def half(:", "def half(:"),
    ],
)
def test_a_docstring_is_left_out_where_that_leaves_the_function_whole(code: str, left: str):
    assert without_docstring(code, "half") == left
