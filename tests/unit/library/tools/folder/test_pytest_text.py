"""Cases as lines of a pytest file: every kind, the values that need their own form, and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind
from hammerstone.library.tools.folder.pytest_text import read_suite, render_suite

VALUE, RAISES, PROPERTY = CaseKind.VALUE, CaseKind.RAISES, CaseKind.PROPERTY


def lines(case: Case) -> list[str]:
    """What is written of a case, behind the head of the file."""
    head, _, body = render_suite("f", [case]).partition('["f"]\n')
    assert ("import pytest" in head) == ("pytest." in body)
    return body.strip().splitlines()


@pytest.mark.parametrize(
    ("case", "body"),
    [
        (Case(VALUE, Call(source="f(1)"), 2), ["assert f(1) == 2"]),
        (Case(VALUE, Call(source="f( 1 )"), None), ["assert f(1) is None"]),
        (Case(VALUE, Call(source="f(1)"), True), ["assert f(1) is True"]),
        (Case(VALUE, Call(source="f(1)"), False), ["assert f(1) is False"]),
        (Case(VALUE, Call(source="f(1)"), 0.5), ["assert f(1) == pytest.approx(0.5)"]),
        (Case(VALUE, Call(source="f(1)"), [0.5]), ["assert f(1) == [0.5]"]),
        (Case(VALUE, Call(args=("a",), kwargs={"n": 2}), "b"), ["assert f('a', n=2) == 'b'"]),
        (
            Case(RAISES, Call(source="f(1)"), "KeyError"),
            ["with pytest.raises(KeyError):", "    f(1)"],
        ),
        (Case(RAISES, Call(source="f(1)")), ["with pytest.raises(Exception):", "    f(1)"]),
        (Case(RAISES, Call(source="f(1)"), ""), ["with pytest.raises(Exception):", "    f(1)"]),
        (
            Case(PROPERTY, Call(source="f(1)"), check="result>0"),
            ["result = f(1)", "assert result > 0"],
        ),
    ],
)
def test_a_case_is_a_test_that_a_person_would_write(case: Case, body: list[str]) -> None:
    assert lines(case) == ["def test_1():  # proved", *(f"    {line}" for line in body)]


@pytest.mark.parametrize(
    "case",
    [
        Case(RAISES, Call(source="f(1)"), "two words"),
        Case(PROPERTY, Call(source="f(1)"), check="len(x) >"),
        Case(PROPERTY, Call(source="f(1)"), check="True"),
        Case(VALUE, Call(source="f(1) + 1"), 1),
        Case(VALUE, Call(source="m.f(1)"), 1),
        Case(VALUE, Call(source="f(1"), 1),
    ],
)
def test_what_no_test_can_say_is_kept_as_data(case: Case) -> None:
    (line,) = lines(case)
    assert line.startswith("# case: ")
    assert read_suite(line, "f").cases == (case,)


def test_where_a_case_comes_from_stands_behind_its_head() -> None:
    for origin, written in (("author\n  2", "author 2"), ("user", "user"), ("", "proved")):
        text = render_suite("f", [Case(VALUE, Call(source="f(1)"), 1, origin=origin)])
        assert read_suite(text, "f").cases[0].origin == written


def test_cases_keep_their_order_and_are_numbered() -> None:
    suite = [Case(VALUE, Call(source=f"f({n})"), n, origin="user") for n in range(3)]
    suite.insert(1, Case(PROPERTY, Call(source="f(9)"), check="True", origin="user"))
    text = render_suite("f", suite)
    assert [number for number in range(9) if f"def test_{number}()" in text] == [1, 3, 4]
    assert text.index("f(0)") < text.index("# case: ") < text.index("f(1)")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("with pytest.raises(KeyError, match='x'):\n        f(1)", "only pytest.raises(Error)"),
        ("with pytest.raises(errors.Bad):\n        f(1)", "only pytest.raises(Error)"),
        ("with raises(KeyError):\n        f(1)", "only pytest.raises(Error)"),
        ("with pytest.raises(KeyError):\n        g(1)", "not understood"),
        ("assert f(1) == open('x')", "not a plain value"),
        ("assert result > 0", "not understood"),
        ("result = g(1)", "not understood"),
        ("assert f(1) == 1 == 1", "not understood"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line(body: str, problem: str) -> None:
    read = read_suite(f"def test_a():\n    assert f(0) == 0\n    {body}\n", "f")
    assert [case.call.source for case in read.cases] == ["f(0)"]
    assert len(read.problems) == 1 and read.problems[0].startswith(f"line 3: {problem}")


def test_a_result_is_asked_about_until_another_one_is_made() -> None:
    text = (
        "def test_a():\n    result = f(1)\n    assert result > 0\n    assert len(result) == 2\n"
        "    result = f(2)\n    assert not result\n"
        "def test_b():\n    assert result == 3\n"
    )
    read = read_suite(text, "f")
    assert [(case.call.source, case.check) for case in read.cases] == [
        ("f(1)", "result > 0"),
        ("f(1)", "len(result) == 2"),
        ("f(2)", "not result"),
    ]
    assert [problem.partition(":")[0] for problem in read.problems] == ["line 8"]


def test_only_functions_that_are_tests_are_read() -> None:
    text = "def helper():\n    assert f(1) == 1\nx = f(2)\nclass Tests:\n    pass\n"
    assert read_suite(text, "f") == read_suite("", "f")


@pytest.mark.parametrize(
    ("written", "expected"),
    [("2", 2.0), ("0.25", 0.25), ("[1, 2]", [1, 2]), ("0.5, rel=0.1", 0.5)],
)
def test_what_is_nearly_right_is_read_as_the_number(written: str, expected: Json) -> None:
    (case,) = read_suite(f"def test_a():\n    assert f(1) == pytest.approx({written})\n", "f").cases
    assert wire.encode(case.expected) == expected
    assert type(case.expected) is type(expected)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=80)
@given(values, values, st.sampled_from(["user", "author 1"]))
def test_any_value_is_read_back(given_: Json, expected: Json, origin: str) -> None:
    case = Case(VALUE, Call(args=(wire.encode(given_),)), wire.encode(expected), origin=origin)
    read = read_suite(render_suite("f", [case]), "f")
    assert read.problems == () and len(read.cases) == 1
    assert (read.cases[0].expected, read.cases[0].origin) == (case.expected, origin)
