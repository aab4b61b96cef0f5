"""Text as a syntax tree: what nests too deeply is no program, and a sound tree is always made."""

import ast
import gc
import traceback
from typing import Literal

import pytest

from hammerstone.core.syntax import LONGEST_SOURCE, MOST_LEVELS, syntax_tree

DEEP = ["(" * 5000, "[{}]" * 9000, "-" * 5000 + "1", "1" + "+1" * 5000, "lambda:" * 3000 + "1"]


@pytest.mark.parametrize("source", [*DEEP, "x" * (LONGEST_SOURCE + 1)])
@pytest.mark.parametrize("mode", ["exec", "eval"])
def test_what_is_too_deep_or_too_long_is_no_program(
    source: str, mode: Literal["exec", "eval"]
) -> None:
    with pytest.raises(SyntaxError):
        syntax_tree(source, mode)
    assert ast.unparse(syntax_tree("a + 1", "eval")) == "a + 1"


def test_an_expression_is_as_deep_as_allowed_and_no_deeper() -> None:
    fits = "-" * (MOST_LEVELS - 2) + "1"
    assert ast.unparse(syntax_tree(f"{fits}   ", "eval")) == fits
    with pytest.raises(SyntaxError, match=f"nested deeper than {MOST_LEVELS} levels"):
        syntax_tree("-" * (MOST_LEVELS + 1) + "1", "eval")


def test_a_value_of_as_many_brackets_as_python_takes_is_read() -> None:
    text = "[" * 199 + "]" * 199
    assert ast.unparse(syntax_tree(text, "eval")) == text


def test_a_long_chain_of_branches_is_a_program() -> None:
    lines = [f"elif n == {number}:\n    pass\n" for number in range(400)]
    assert len(syntax_tree("if n:\n    pass\n" + "".join(lines)).body) == 1


class Waste:
    """Garbage that formats a traceback when it is collected, one that is deeper in the stack."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        try:
            self._fail(7)
        except ZeroDivisionError:
            traceback.format_exc()

    def _fail(self, levels: int) -> float:
        return self._fail(levels - 1) if levels else 1 + (1 / 0) + 2


def test_a_collection_in_the_midst_does_not_spoil_a_tree() -> None:
    source = "y = f(a + b, c)\n" * 500
    gc.collect()
    for _ in range(20):
        for _ in range(5):
            Waste()
        assert len(syntax_tree(source).body) == 500
