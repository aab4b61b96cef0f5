"""Slips: what each kind of expression may have been meant to be."""

import ast
from typing import Any

import pytest

from hammerstone.learn.repair.edits.edits import edits


def alternatives(body: str, **options: Any) -> dict[str, int]:
    """The bodies that edits of `def f(a, b): body` give, with the sizes of the change."""
    found = edits(f"def f(a, b):\n    {body}\n", "f", **options)
    made: dict[str, int] = {}
    for edit in found:
        (function,) = ast.parse(edit.code).body
        assert isinstance(function, ast.FunctionDef)
        made["; ".join(map(ast.unparse, function.body)).removeprefix("return ")] = edit.size
    return made


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("return 6", ["7", "5", "-6", "0", "1", "2", "8", "12", "60", "3", "10", "100", "a", "b"]),
        ("return 40", ["4", "20", "80", "400"]),
        ("return 2.5", ["3.5", "1.5", "-2.5", "4.5", "5.0", "25.0", "0"]),
        ("return True", ["False"]),
        ("return None", ["True", "False", "0", "''", "-1", "[]"]),
        ("return 'Abcd'", ["'aBCD'", "'abcd'", "'ABCD'", "''", "' '", "'bcd'", "'Acd'",
                           "'AbcdaBCD'"]),
        ("return a < b", ["a <= b", "a > b", "a >= b", "a == b", "a != b", "b < a", "not a < b"]),
        ("return a in b", ["a not in b", "b in a"]),
        ("return a is b", ["a is not b"]),
        ("return a - b", ["a + b", "a * b", "a / b", "a // b", "a % b", "a ** b", "a & b", "a | b",
                          "a ^ b", "a << b", "a >> b", "a", "b", "b - a", "a - b + 1", "a - b - 1",
                          "abs(a - b)", "-(a - b)", "(a - b)[::-1]"]),
        ("return a - (b - 1)", ["a - b - 1"]),
        ("return a - b - 1", ["a - (b - 1)"]),
        ("return a and b", ["a or b", "a", "b", "not (a and b)"]),
        ("return not a", ["a"]),
        ("return -a", ["a"]),
        ("return a if b else 1", ["a if not b else 1"]),
        ("return a[1:b]", ["a[:b]", "a[1:]", "a[-1:b]", "a[2:b]", "a[1:-1]", "a[1:b:2]", "a[b:1]",
                           "a", "a[1:b][::-1]"]),
        ("return a[0]", ["a", "a[1]", "a[2]", "a[b]", "a[0] + 1", "len(a[0])"]),
        ("return min(a, b)", ["max(a, b)", "min(b, a)", "min(b)", "min(a)", "min(a, b, key=abs)",
                              "min(a, b, key=lambda x: -x)"]),
        ("return sorted(a)", ["a", "sorted(a, reverse=True)", "sorted(a, key=len)", "list(a)",
                              "set(a)", "sorted(a)[::-1]", "sorted(a, key=lambda x: x[1])"]),
        ("return a.sort()", ["a.sort(reverse=True)", "a.sort(key=str)", "a"]),
        ("return round(a)", ["round(a, 2)", "int(a)", "floor(a)", "ceil(a)", "a"]),
        ("return range(a)", ["range(1, a)", "range(2, a)"]),
        ("return sum(a, start=b)", ["sum(a)", "len(a, start=b)", "max(a, start=b)"]),
        ("return a.upper()", ["a.lower()", "a.swapcase()", "a"]),
        ("return [x for x in a if x]", ["[x for x in a]", "sorted([x for x in a if x])",
                                        "len([x for x in a if x])", "[x for x in a if x][::-1]"]),
        ("return a", ["b", "a[1:]", "a[:-1]", "a[::-1]", "a[0]", "a[-1]", "a.lower()", "a.strip()",
                      "a ** 2", "a // 2", "-a", "not a", "a % 2", "a[b:]", "a[:b]", "a + b",
                      "a // b", "a + 1", "a - 1", "str(a)", "float(a)"]),
        ("a += b", ["a = b"]),
        ("a.append(b)", ["a.extend(b)", "a.insert(b)"]),
    ],
)  # fmt: skip
def test_what_may_have_been_meant(body: str, meant: list[str]) -> None:
    found = alternatives(body)
    wanted = [ast.unparse(ast.parse(f"x = {text}")).removeprefix("x = ") for text in meant]
    assert [text for text in wanted if text not in found] == []
    assert ast.unparse(ast.parse(body)).removeprefix("return ") not in found


def test_conditions_of_statements_are_turned_round() -> None:
    code = "def f(a, b):\n    if a < b:\n        a = 1\n    while not a:\n        a -= 1\n"
    texts = [edit.code for edit in edits(code, "f")]
    assert any("if not a < b:" in text for text in texts)
    assert any("while a:" in text for text in texts)
    assert any("while a < b:" in text for text in texts)


def test_given_texts_and_own_constants_may_take_a_constants_place() -> None:
    found = alternatives("return 'x' if a == 17 else 'y'", texts=("total",))
    assert "'total' if a == 17 else 'y'" in found
    assert "'y' if a == 17 else 'y'" in found
    assert "'x' if a == 18 else 'y'" in found
    assert "'x' if b == 17 else 'y'" in found


def test_the_smallest_change_of_the_text_comes_first_whatever_its_kind() -> None:
    found = alternatives("return a < b")
    assert found["a <= b"] == 1
    assert found["a <= b"] < found["abs(a) < b"]
    assert list(found.values()) == sorted(found.values())
    numbers = alternatives("return 6")
    assert numbers["7"] == numbers["5"] == numbers["a"] == 1


def test_there_are_no_more_than_asked_for_and_none_of_what_is_no_function() -> None:
    assert len(edits("def f(a):\n    return a + 1\n", "f", limit=5)) == 5
    assert edits("def f(a):\n    return a + 1\n", "g") == []
    assert edits("def f(a:\n", "f") == []
    assert edits("f = 3\n", "f") == []
