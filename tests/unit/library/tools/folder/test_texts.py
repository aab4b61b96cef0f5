"""Suites as pytest files and specs as TOML: what is written is read back the same."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind
from hammerstone.library.tools.folder.files import toml_value, without_nulls_spelled
from hammerstone.library.tools.folder.pytest_text import read_suite, render_suite

SUITE = (
    Case(CaseKind.VALUE, Call(source="f(1, b='x')"), 2.5, origin="user"),
    Case(CaseKind.VALUE, Call(source="f([])"), None, origin="author 2"),
    Case(CaseKind.VALUE, Call(source="f({'a': 1})"), {"$tuple": [1, "a"]}, origin="user"),
    Case(CaseKind.RAISES, Call(source="f('')"), "ValueError", origin="strengthening"),
    Case(CaseKind.PROPERTY, Call(source="f(3)"), check="result > 2", origin="author 1"),
    # What literals cannot say: a date, another function's name, a property of nothing.
    Case(CaseKind.VALUE, Call(args=({"$date": "2024-03-01"},)), 1, origin="user", support=0.5),
    Case(CaseKind.VALUE, Call(source="g(1)"), 1, origin="user"),
    Case(CaseKind.PROPERTY, Call(source="f(3)"), check="True", origin="author 1"),
)


def test_a_suite_is_read_back_as_it_was() -> None:
    read = read_suite(render_suite("f", SUITE), "f")
    assert read.problems == ()
    assert read.cases == SUITE


def test_a_rendered_suite_runs_under_pytest(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("def f(a):\n    return a / 4\n")
    suite = (
        Case(CaseKind.VALUE, Call(source="f(1)"), 0.25, origin="user"),
        Case(CaseKind.RAISES, Call(source="f('')"), "TypeError", origin="user"),
        Case(CaseKind.PROPERTY, Call(source="f(8)"), check="result > 1", origin="user"),
    )
    (tmp_path / "test_f.py").write_text(render_suite("f", suite))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "3 passed" in done.stdout, done.stdout


def test_what_people_write_is_understood() -> None:
    text = '''
import pytest

def test_everything():
    """Several in one function."""
    assert f(1) == 1
    assert f(2) == pytest.approx(0.5)
    assert f(3)
    assert not f(4)
    assert f(5) is None
    with pytest.raises(KeyError):
        f(6)
    result = f(7)
    assert len(result) == 2
'''
    read = read_suite(text, "f")
    assert read.problems == ()
    assert [case.expected for case in read.cases] == [1, 0.5, True, False, None, "KeyError", None]
    assert {case.origin for case in read.cases} == {"user"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("assert f(1) == g(2)", "line 2: not a plain value"),
        ("assert 1 == 1", "line 2: not understood"),
        ("import os; os.remove('x')", "line 2: not understood"),
        ("assert f(1) > 0", "line 2: not understood"),
    ],
)
def test_what_is_not_understood_is_told_with_its_line(line: str, problem: str) -> None:
    read = read_suite(f"def test_1():\n    {line}\n", "f")
    assert read.problems
    assert read.problems[0].startswith(problem)
    assert read.cases == ()


def test_broken_python_is_a_problem_and_no_crash() -> None:
    assert read_suite("def test_1(:", "f").problems
    assert read_suite("def test_1():\n    assert f(\x00)", "f").problems
    assert read_suite("# case: {broken", "f").problems == ("line 1: the case cannot be read",)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(plain)
def test_any_document_survives_toml(value: Json) -> None:
    read = tomllib.loads(f"value = {toml_value(value)}")
    assert without_nulls_spelled(read["value"]) == value
