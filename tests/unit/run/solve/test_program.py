"""A reply of a model as a program, and the values that are put into it."""

from typing import Any

import pytest

from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import Solution
from hammerstone.run.solve.program import has_function, is_whole, read_reply
from hammerstone.run.solve.scope import SolutionScope, shown_value

DOUBLE = "def double(n):\n    return 2 * n\n"


def solution(text: str) -> Solution:
    found = read_reply(text).solution
    assert found is not None
    return found


def value(found: Solution) -> Any:
    names: dict[str, Any] = {}
    exec(found.code, names)
    return eval(found.call, names)


@pytest.mark.parametrize(
    ("text", "function", "call", "gives"),
    [
        (f"```python\n{DOUBLE}\nanswer = double(4)\n```", "double", "double(4)", 8),
        (f"So:\n```py\n{DOUBLE}```\nthen\n```\nanswer = double(4)\n```", "double", "double(4)", 8),
        (f"{DOUBLE}\nanswer: int = double(4)\n", "double", "double(4)", 8),
        (f"{DOUBLE}\nprint(double(4))\n", "double", "double(4)", 8),
        (f"{DOUBLE}\ndouble(4)\n", "double", "double(4)", 8),
        (f"{DOUBLE}\nresult = double(4)\n", "double", "double(4)", 8),
        (f"{DOUBLE}\nn = 4\nanswer = double(n)\n", "double", "double(4)", 8),
        (f"{DOUBLE}\nanswer = double(4)\nprint(answer)\n", "double", "double(4)", 8),
        (f"{DOUBLE}\nanswer = 1\nanswer = double(4)\n", "double", "double(4)", 8),
        (f"def one():\n    return 1\n\n\n{DOUBLE}\nanswer = double(one())\n", "double",
         "double(one())", 2),
        ("answer = 3 * 4\n", "answer_value", "answer_value()", 12),
        ("n = 3\nn = n + 1\nanswer = n\n", "answer_value", "answer_value()", 4),
        ("answer = math.sqrt(16)\n", "answer_value", "answer_value()", 4),  # a forgotten import
    ],
)  # fmt: skip
def test_the_answer_is_a_call_of_the_program(
    text: str, function: str, call: str, gives: Any
) -> None:
    found = solution(text)
    assert (found.function, found.call, found.error) == (function, call, "")
    assert value(found) == gives
    assert has_function(found) is (function != "answer_value")


def test_what_uses_the_answer_goes_with_it() -> None:
    later = "total = 3\nassert answer == 8\nif answer:\n    print(f'{answer}')\nprint(total)\n"
    found = solution(f"{DOUBLE}\nanswer = double(4)\n{later}")
    assert value(found) == 8
    assert "total" in found.code and "assert" not in found.code


def test_comments_stay_and_the_answer_goes() -> None:
    found = solution(f"# 2 * 4 = 8\n{DOUBLE}\n# now\nanswer = double(\n    4,\n)\n# done\n")
    assert "# 2 * 4 = 8" in found.code and "# done" in found.code
    assert "answer" not in found.code and "4," not in found.code


@pytest.mark.parametrize("lost", [1, 2, 11])
def test_a_reply_that_was_cut_off_loses_its_last_lines(lost: int) -> None:
    tail = "\n".join("x = (" for _ in range(lost))
    assert value(solution(f"```python\n{DOUBLE}\nanswer = double(4)\n{tail}")) == 8


def test_what_holds_no_answer_says_so() -> None:
    assert solution(DOUBLE).error == "it sets no answer"
    assert solution("```python\n```").error == "it sets no answer"
    assert solution("I do not know (").error == "the code cannot be read"
    lines = "\n".join("x = (" for _ in range(12))
    assert solution(f"```python\nanswer = 1\n{lines}\n```").error == "the code cannot be read"
    assert not has_function(solution(DOUBLE))


@pytest.mark.parametrize("kind", list(RequestKind))
def test_the_first_line_may_name_a_kind(kind: RequestKind) -> None:
    found = read_reply(f"```python\n# {str(kind).capitalize()}.\nanswer = 3\n```")
    assert (found.solution, found.kind) == (None, kind)
    later = read_reply(f"```python\nx = 1\n# {kind}\nanswer = x\n```")
    assert later.solution is not None and later.kind is RequestKind.CALCULATION


def test_a_reply_is_whole_with_its_second_fence() -> None:
    assert not is_whole("```python\nanswer = 3\n")
    assert is_whole("```python\nanswer = 3\n```")
    assert is_whole("```\na\n```\n```\nb\n```")


def test_values_take_the_place_of_their_names() -> None:
    scope = SolutionScope().with_value("earlier", [1, 2], "a list").with_value("other", "x", "text")
    assert scope.notes == ("a list", "text")
    put = scope.put_in(Solution("def f(v):\n    return sum(v)\n", "f", "f(earlier)"))
    assert (put.call, put.code) == ("f([1, 2])", "def f(v):\n    return sum(v)\n")
    inside = scope.put_in(Solution("def f():\n    return earlier[1]\n", "f", "f()"))
    assert value(inside) == 2 and "other" not in inside.code
    same = Solution(DOUBLE, "double", "double(1)")
    assert scope.put_in(same) is same


def test_a_value_is_shown_up_to_a_length() -> None:
    assert shown_value("v", {"a": "é"}, "it") == '(v = {"a": "é"} is in scope: it)'
    assert shown_value("v", "x" * 298, "it") == f'(v = "{"x" * 298}" is in scope: it)'
    assert shown_value("v", "x" * 299, "it") == f'(v = "{"x" * 299}... is in scope: it)'
