"""Code and tests out of a model's reply: fenced blocks, prose around them, cut-off ends."""

import ast
import re
from collections.abc import Iterator

from hammerstone.core.syntax import syntax_tree

_FENCE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_CUTS = 12  # lines that a cut-off reply may lose at its end
_ANSWER = re.compile(r"\banswer\b[\s:*`=]*(?:is\b[\s:]*)?([^\s:*`=].*)", re.IGNORECASE)
_AMOUNT = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_LONGEST_ANSWER = 80  # characters
_MOST = 40  # statements of one suite: more is a model that cannot stop


def code_in(text: str) -> str:
    """The Python module in a model's reply: its fenced blocks, else the whole when it parses."""
    blocks = _FENCE.findall(text) or [text]
    joined = "\n\n".join(block.strip("\n") for block in blocks)
    for source in (joined, blocks[0].strip("\n")):
        try:
            tree = syntax_tree(source)
        except _UNREADABLE:
            continue
        if any(isinstance(node, ast.FunctionDef | ast.Import) for node in tree.body):
            return source
    return ""


def read_tests(text: str) -> list[str]:
    """The asserts and `with raises` blocks in a model's reply, each a statement by itself."""
    blocks = _FENCE.findall(text) or [text]
    found: dict[str, None] = {}
    for block in blocks:
        for statement in _whole(block) or _line_by_line(block):
            found.setdefault(statement)
    return list(found)[:_MOST]


def _whole(block: str) -> list[str]:
    """The statements of a block that parses, perhaps without its last lines."""
    lines = block.strip("\n").split("\n")
    for cut in range(min(_CUTS, len(lines))):
        try:
            tree = syntax_tree("\n".join(lines[: len(lines) - cut]))
        except _UNREADABLE:
            continue
        return list(_statements(tree.body))
    return []


def _statements(body: list[ast.stmt]) -> Iterator[str]:
    """Asserts and raises blocks, with names that stand for a value replaced by it."""
    values: dict[str, ast.expr] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _statements(node.body)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = _Inlining(values).visit(node.value)
        elif isinstance(node, ast.Assert):
            test = _Inlining(values).visit(node.test)
            yield ast.unparse(ast.fix_missing_locations(ast.Assert(test=test, msg=None)))
        elif isinstance(node, ast.With):
            yield ast.unparse(ast.fix_missing_locations(_Inlining(values).visit(node)))


class _Inlining(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def _line_by_line(block: str) -> Iterator[str]:
    """What can be saved of a block that does not parse."""
    for line in block.split("\n"):
        statement = line.strip()
        if not statement.startswith(("assert ", "with ")):
            continue
        try:
            syntax_tree(statement)
        except _UNREADABLE:
            continue
        yield statement


def read_foretold(text: str, call: str) -> list[str]:
    """An answer in words as an assert about a call; empty where the answer is no single value.

    A number agrees within half of its last digit, whatever stands around it; a text agrees
    where it is the result but for case and spaces.
    """
    found = _ANSWER.findall(text)
    if not found:
        return []
    said = found[-1].strip().strip("*`").rstrip(".").strip()
    amounts = _AMOUNT.findall(said)
    if len(amounts) == 1:
        number = amounts[0].replace(",", "")
        digits = len(number.partition(".")[2])
        half = 0.5 * 10.0**-digits
        return [f"assert abs(float(str({call}).rstrip('%')) - ({number})) <= {half + 1e-9!r}"]
    if amounts or not said or len(said) > _LONGEST_ANSWER:
        return []
    plain = said.strip("'\"").casefold()
    return [f"assert str({call}).strip().casefold() == {plain!r}"]
