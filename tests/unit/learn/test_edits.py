"""Small edits: common mistakes are taken back, and nothing else is touched."""

import ast

import pytest

from hammerstone.learn.repair.edits.edits import edits


def made(code: str, function: str = "f", **options: object) -> list[str]:
    return [ast.unparse(ast.parse(edit.code)) for edit in edits(code, function, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return a < b", "return a <= b"),
        ("return a - b", "return a + b"),
        ("return a == 0", "return a == 1"),
        ("return max(a)", "return min(a)"),
        ("return a[0]", "return a[1]"),
        ("return a[1:]", "return a"),
        ("return a - b", "return abs(a - b)"),
        ("return a and b", "return a or b"),
        ("return not a", "return a"),
        ("return a", "return b"),
        ("return a.lower()", "return a.upper()"),
        ("return sorted(a)", "return sorted(a, reverse=True)"),
        ("return range(a)", "return range(1, a)"),
        ("return range(a, b)", "return range(a, b + 1)"),
        ("return True", "return False"),
        ("return len(a) + 1", "return len(a)"),
        ("return a % b", "return a // b"),
        ("return b(a)", "return a"),
        ("return a[::-1]", "return a"),
    ],
)
def test_a_common_mistake_is_taken_back(wrong: str, right: str):
    expected = ast.unparse(ast.parse(f"def f(a, b):\n    {right}\n"))
    assert expected in made(f"def f(a, b):\n    {wrong}\n")


def test_a_statement_too_deep_in_a_loop_comes_out():
    wrong = "def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n        return t\n"
    right = "def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t"
    assert right in made(wrong)


def test_the_docstring_and_other_functions_stay_as_they_are():
    code = 'def g(x):\n    return x + 1\n\ndef f(a):\n    """Says 1 + 1."""\n    return g(a) - 1\n'
    for text in made(code):
        assert "def g(x):\n    return x + 1" in text
        assert "Says 1 + 1." in text


def test_every_edit_is_another_program_that_parses_and_the_smallest_come_first():
    code = "def f(a, b):\n    if a < b:\n        return a + 1\n    return [b, 'x']\n"
    found = edits(code, "f")
    texts = [edit.code for edit in found]
    assert len(set(texts)) == len(texts) > 50
    assert [edit.size for edit in found] == sorted(edit.size for edit in found)
    assert len(edits(code, "f", limit=7)) == 7


@pytest.mark.parametrize("code", ["", "def f(:", "x = 1", "class f: pass", "\x00"])
def test_what_is_no_such_function_gives_nothing(code: str):
    assert edits(code, "f") == []
