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
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.cases import PRELUDE
from hammerstone.judging.literals import NotLiteral, literal

MAX_SOURCE = 20_000  # characters of one statement; longer ones are noise, not tests


class BadCase(ValueError):
    """The text is no test of the function; the message says why."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A case whose expected value may still be an expression that has to be evaluated."""

    case: Case
    expression: str | None = None


def read_assert(text: str, function: str, origin: str = "") -> Draft:
    """The case that one assert statement, or one `with raises` block, states.

    `f(x) == v` is a value case; any other test around a single call of the function is a
    property of its result. Raises `BadCase`.
    """
    if len(text) > MAX_SOURCE:
        raise BadCase("too long")
    try:
        statements = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadCase(f"does not parse: {type(error).__name__}") from None
    if len(statements) != 1:
        raise BadCase("not a single statement")
    statement = statements[0]
    if isinstance(statement, ast.With):
        return _raises(statement, function, origin)
    if not isinstance(statement, ast.Assert):
        raise BadCase("not an assert statement")
    return _tested(statement.test, function, origin)


def _tested(test: ast.expr, function: str, origin: str) -> Draft:
    calls = find_calls(test, function)
    if not calls:
        raise BadCase(f"does not call {function}")
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if find_calls(right, function) and not find_calls(left, function):
            left, right = right, left
        equal = isinstance(test.ops[0], ast.Eq | ast.Is)
        if equal and not find_calls(right, function) and (left in calls or len(calls) > 1):
            return _value(left, right, origin)
    if isinstance(test, ast.Call) and _name(test.func) in ("isclose", "approx"):
        first, *others = test.args
        if first in calls and others:
            return _value(first, others[0], origin)
    if len(calls) > 1:
        return Draft(Case(CaseKind.VALUE, Call(source=ast.unparse(test)), True, origin=origin))
    call = Call(source=ast.unparse(calls[0]))
    check = ast.unparse(_Substitute(calls[0]).visit(test))
    return Draft(Case(CaseKind.PROPERTY, call, check=check, origin=origin))


def _value(called: ast.expr, expected: ast.expr, origin: str) -> Draft:
    if isinstance(expected, ast.Call) and _name(expected.func) == "approx" and expected.args:
        expected = expected.args[0]
    case = Case(CaseKind.VALUE, Call(source=ast.unparse(called)), origin=origin)
    try:
        return Draft(replace(case, expected=wire.encode(literal(expected))))
    except NotLiteral:
        return Draft(case, ast.unparse(expected))


def _raises(block: ast.With, function: str, origin: str) -> Draft:
    manager = block.items[0].context_expr
    if not isinstance(manager, ast.Call) or _name(manager.func) not in ("raises", "assertRaises"):
        raise BadCase("not an assert statement")
    calls = [call for part in block.body for call in find_calls(part, function)]
    if len(block.body) != 1 or len(calls) != 1:
        raise BadCase(f"does not call {function} once")
    names = [_name(argument) for argument in manager.args[:1]]
    expected = names[0] if names and names[0] else None
    call = Call(source=ast.unparse(calls[0]))
    return Draft(Case(CaseKind.RAISES, call, expected, origin=origin))


def find_calls(node: ast.AST, function: str) -> list[ast.Call]:
    """Every call of `function` in the tree that is not an argument of another one."""
    if isinstance(node, ast.Call) and _name(node.func) == function:
        return [node]
    return [call for child in ast.iter_child_nodes(node) for call in find_calls(child, function)]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


class _Substitute(ast.NodeTransformer):
    """Puts the name `result` where the call was."""

    def __init__(self, call: ast.Call) -> None:
        self._call = call

    def visit(self, node: ast.AST) -> Any:
        return ast.Name("result", ast.Load()) if node is self._call else self.generic_visit(node)


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
