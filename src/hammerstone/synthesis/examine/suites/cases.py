"""Atomic cases out of assert statements, with the expected value kept apart from the call.

What a candidate's process gets to see is only the call. Literals are read here without running
anything; an expected expression that is no literal is evaluated in a sandbox run of its own.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.syntax import last_name, syntax_tree
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.cases import PRELUDE
from hammerstone.judging.literals import NotLiteral, literal

MAX_SOURCE = 20_000  # characters of one statement; longer ones are noise, not tests
MAX_CALLS = 20  # in one statement


class BadCase(ValueError):
    """The text is no test of the function; the message says why."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A case whose expected value may still be an expression that has to be evaluated."""

    case: Case
    expression: str | None = None


def read_assert(text: str, function: str, origin: str = "") -> list[Draft]:
    """The cases that one assert statement, or one `with raises` block, states.

    `f(x) == v` is a value case; any other test around calls of the function is a property of
    their results. Parts that are joined by `and` are cases of their own. Whatever is compared is
    compared here or in a process without a candidate: what the function returns may be an object
    that says it is equal to everything. Raises `BadCase`.
    """
    if len(text) > MAX_SOURCE:
        raise BadCase("too long")
    try:
        statements = syntax_tree(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadCase(f"does not parse: {type(error).__name__}") from None
    if len(statements) != 1:
        raise BadCase("not a single statement")
    statement = statements[0]
    if isinstance(statement, ast.With):
        return [_raises(statement, function, origin)]
    if not isinstance(statement, ast.Assert):
        raise BadCase("not an assert statement")
    parts = [part for part in _joined(statement.test) if find_calls(part, function)]
    if not parts:
        raise BadCase(f"does not call {function}")
    return [_tested(part, function, origin) for part in parts]


def _joined(test: ast.expr) -> list[ast.expr]:
    """The parts of a test that all have to hold."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _joined(value)]
    return [test]


def _tested(test: ast.expr, function: str, origin: str) -> Draft:
    calls = find_calls(test, function)
    if len(calls) > MAX_CALLS:
        raise BadCase(f"calls {function} more than {MAX_CALLS} times")
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if find_calls(right, function) and not find_calls(left, function):
            left, right = right, left
        equal = isinstance(test.ops[0], ast.Eq | ast.Is)
        if equal and not find_calls(right, function) and _only_calls(left, calls):
            return _value(left, right, origin)
    if isinstance(test, ast.Call) and last_name(test.func) in ("isclose", "approx"):
        first, *others = test.args
        if first in calls and others and not find_calls(others[0], function):
            return _value(first, others[0], origin)
    return _property(test, calls, origin)


def _only_calls(node: ast.expr, calls: Sequence[ast.Call]) -> bool:
    """Whether an expression is made of calls alone, so that it says nothing about their results."""
    if node in calls:
        return True
    if isinstance(node, ast.BinOp):
        return _only_calls(node.left, calls) and _only_calls(node.right, calls)
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(_only_calls(part, calls) for part in node.elts)
    return False


def _property(test: ast.expr, calls: Sequence[ast.Call], origin: str) -> Draft:
    """A test of the results of calls that are made one by one, without the test in sight."""
    used = set[str]().union(*(_names(call) - _bound(call) for call in calls))
    called = ", ".join(ast.unparse(call) for call in calls)
    checked = _Substitute(calls).visit(test)
    if used & _bound(checked):
        raise BadCase("calls the function inside a loop")
    call = Call(source=called if len(calls) == 1 else f"({called})")
    return Draft(Case(CaseKind.PROPERTY, call, check=ast.unparse(checked), origin=origin))


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _bound(test: ast.expr) -> set[str]:
    """Names that exist only inside a part of the test: of a loop, of a lambda."""
    names = {
        part.id
        for part in ast.walk(test)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return names | {part.arg for part in ast.walk(test) if isinstance(part, ast.arg)}


def _value(called: ast.expr, expected: ast.expr, origin: str) -> Draft:
    if isinstance(expected, ast.Call) and last_name(expected.func) == "approx" and expected.args:
        expected = expected.args[0]
    case = Case(CaseKind.VALUE, Call(source=ast.unparse(called)), origin=origin)
    try:
        return Draft(replace(case, expected=wire.encode(literal(expected))))
    except NotLiteral:
        return Draft(case, ast.unparse(expected))


def _raises(block: ast.With, function: str, origin: str) -> Draft:
    manager = block.items[0].context_expr
    if not isinstance(manager, ast.Call) or last_name(manager.func) not in (
        "raises",
        "assertRaises",
    ):
        raise BadCase("not an assert statement")
    calls = [call for part in block.body for call in find_calls(part, function)]
    if len(block.body) != 1 or len(calls) != 1:
        raise BadCase(f"does not call {function} once")
    names = [last_name(argument) for argument in manager.args[:1]]
    expected = names[0] if names and names[0] else None
    call = Call(source=ast.unparse(calls[0]))
    return Draft(Case(CaseKind.RAISES, call, expected, origin=origin))


def find_calls(node: ast.AST, function: str) -> list[ast.Call]:
    """Every call of `function` in the tree that is not an argument of another one."""
    if isinstance(node, ast.Call) and last_name(node.func) == function:
        return [node]
    return [call for child in ast.iter_child_nodes(node) for call in find_calls(child, function)]


class _Substitute(ast.NodeTransformer):
    """Puts the name `result` where the call was, or its item where there were several calls."""

    def __init__(self, calls: Sequence[ast.Call]) -> None:
        self._calls = calls

    def visit(self, node: ast.AST) -> Any:
        if node not in self._calls:
            return self.generic_visit(node)
        result = ast.Name("result", ast.Load())
        if len(self._calls) == 1:
            return result
        return ast.Subscript(result, ast.Constant(self._calls.index(node)), ast.Load())


async def settle(drafts: Sequence[Draft], sandbox: Sandbox) -> list[Case | None]:
    """The drafts as cases; None where the expected expression cannot be evaluated.

    The expressions run in a process that holds no candidate.
    """
    open_ones = [draft.expression for draft in drafts if draft.expression is not None]
    values: dict[str, Json] = {}
    if open_ones:
        calls = [Call(source=expression) for expression in open_ones]
        program = Program(PRELUDE + "def nothing(): pass\n", "nothing")
        (row,) = await sandbox.matrix([program], calls)
        for expression, outcome in zip(open_ones, row, strict=True):
            if outcome.ok:
                values[expression] = outcome.value
    settled: list[Case | None] = []
    for draft in drafts:
        if draft.expression is None:
            settled.append(draft.case)
        elif draft.expression in values:
            settled.append(replace(draft.case, expected=values[draft.expression]))
        else:
            settled.append(None)
    return settled
