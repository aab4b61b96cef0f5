"""Generated modules without demonstrations and noise; what is examined is what is kept."""

import ast

from hammerstone.synthesis.code.tidy import is_empty, tidy

MESSY = '''import os
import math
from typing import List

UNUSED = 1
FACTOR = 2

def helper(x):
    return x * FACTOR  # doubled

def area(r: float) -> float:
    """Old text."""
    return math.pi * helper(r) ** 2

print(area(3))
if __name__ == "__main__":
    area(1)
assert area(0) == 0
'''


def test_only_what_the_function_needs_stays() -> None:
    code = tidy(MESSY, "area", "The area.\n\nr: the radius")
    assert "print" not in code and "assert" not in code and "__main__" not in code
    assert "import os" not in code and "UNUSED" not in code and "List" not in code
    assert "import math" in code and "FACTOR = 2" in code and "# doubled" in code
    (*_, function) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function) or "").startswith("The area.")


def test_a_docstring_is_added_where_there_is_none() -> None:
    code = tidy("def f(x):\n    return x\n", "f", 'Says """x""" and \\n.')
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    assert "x" in (ast.get_docstring(function) or "")


def test_a_docstring_that_ends_in_a_quote_stays_python() -> None:
    code = tidy("def f(x):\n    return x\n\nprint(f(1))\n", "f", 'Says "hi"')
    ast.parse(code)
    assert "print" not in code


def test_the_last_definition_wins() -> None:
    code = tidy("def f():\n    return 1\n\ndef f():\n    return 2\n", "f")
    assert "return 2" in code and "return 1" not in code


def test_one_liners_and_decorated_functions_survive() -> None:
    assert ast.parse(tidy("def f(x): return x", "f", "doc"))
    code = tidy("import functools\n@functools.cache\ndef f(x):\n    return x\n", "f", "d")
    assert "@functools.cache" in code


def test_what_defines_nothing_is_nothing() -> None:
    assert tidy("x = 1", "f") == ""
    assert tidy("def f(:", "f") == ""


def test_lines_are_those_of_the_parser() -> None:
    code = "SIGN = '\u2028\x0c'\n\ndef f(x):\n    # keep\n    return SIGN + x\n\nprint(f(1))\n"
    made = tidy(code, "f", "doc")
    assert "print" not in made and "# keep" in made
    scope: dict[str, object] = {}
    exec(made, scope)
    assert scope["f"]("a") == "\u2028\x0ca"  # type: ignore[operator]


def test_what_can_never_run_is_left_out() -> None:
    code = "def f(x):\n    if x:\n        return 1\n        x = 2\n    return 3\n    print(x)\n"
    made = tidy(code, "f", "doc")
    assert "x = 2" not in made and "print" not in made and "return 3" in made


def test_the_heads_hints_are_the_specs() -> None:
    head = "def f(a: int, b: str) -> list[int]:"
    made = tidy("def f(\n    a,\n    b,\n):\n    return [a]\n", "f", "doc", head)
    assert made.startswith(f'{head}\n    """doc"""\n    return [a]')
    other = tidy("def f(a, b=1):\n    return [a]\n", "f", "doc", head)
    assert other.startswith("def f(a, b=1):")  # another promise is left as it is


def test_odd_layouts_are_written_anew() -> None:
    made = tidy("def f(x):\n\tif x: return 1\n\treturn 2\n", "f", "doc")
    assert "\t" not in made and "    if x:\n        return 1\n" in made
    assert tidy("def f(x):\n  return x", "f") == "def f(x):\n    return x\n"


def test_strings_keep_their_spaces() -> None:
    made = tidy("def f():\n    return '''a  \n  b'''   \n", "f")
    scope: dict[str, object] = {}
    exec(made, scope)
    assert scope["f"]() == "a  \n  b"  # type: ignore[operator]


def test_a_stub_given_back_is_empty() -> None:
    stub = 'def f(x):\n    """Doc.\n    >>> f(1)\n    2\n    """\n'
    assert (
        is_empty(stub, "f")
        and is_empty(stub + "    pass\n", "f")
        and is_empty(stub + "    ...", "f")
    )
    assert not is_empty(stub + "    return x + 1\n", "f")
    assert is_empty("x = 1\n", "f")
