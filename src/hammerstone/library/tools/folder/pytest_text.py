"""A suite as a pytest file that people read, run and edit, and back.

Understood in a `test_...` function are `assert call == expected` (also with `pytest.approx`,
`is None`, a bare call or `not`), `with pytest.raises(Error):` around one call, and
`result = call` with asserts about `result` after it. Everything is read, nothing is run.
A comment behind the function's head says where its cases came from; without one a person
wrote them, and what a person says is truth. What cannot be said in literals is a comment line
`# case: {...}`.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.documents import case_from_json, case_to_json
from hammerstone.core.json_types import Json
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Case, CaseKind, CaseOrigin
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.judging.rendering import call_source, wire_source

_CASE = "# case: "


@dataclass(frozen=True, slots=True)
class FileCases:
    """The cases of a test file, and what could not be read of it."""

    cases: tuple[Case, ...]
    problems: tuple[str, ...]  # each with its line


def render_suite(function: str, suite: Sequence[Case]) -> str:
    """The suite as a pytest file beside the tool's code."""
    tests = list(_tests(function, suite))
    needs = "\nimport pytest\n" if any("pytest." in test for test in tests) else ""
    head = f'''"""What {function} promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path
{needs}
{function} = run_path(str(Path(__file__).with_name("tool.py")))["{function}"]
'''
    return "\n\n".join([head, *(f"{test}\n" for test in tests)])


def _tests(function: str, suite: Sequence[Case]) -> Iterator[str]:
    for number, case in enumerate(suite, start=1):
        body = _body(case, function)
        if body is None:
            yield _CASE + json.dumps(case_to_json(case), sort_keys=True)
        else:
            origin = (
                ""
                if case.origin_kind is CaseOrigin.USER
                else f"  # {_one_line(case.origin) or 'proved'}"
            )
            yield f"def test_{number}():{origin}\n{body}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _body(case: Case, function: str) -> str | None:
    call = _plain_call(call_source(case.call, function, readable=True), function)
    if call is None:
        return None
    if case.kind is CaseKind.RAISES:
        name = case.expected if isinstance(case.expected, str) and case.expected else "Exception"
        if not name.isidentifier():
            return None
        return f"    with pytest.raises({name}):\n        {call}"
    if case.kind is CaseKind.PROPERTY:
        check = _plain_check(case.check)
        return None if check is None else f"    result = {call}\n    assert {check}"
    expected = wire_source(case.expected, readable=True)
    if expected is None:
        return None
    if expected in ("None", "True", "False"):
        return f"    assert {call} is {expected}"
    if isinstance(case.expected, float):
        expected = f"pytest.approx({expected})"
    return f"    assert {call} == {expected}"


def _plain_call(source: str | None, function: str) -> str | None:
    """The call on one line, if that is what the source is."""
    try:
        node = syntax_tree(source or "", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return ast.unparse(node) if _calls(node, function) else None


def _plain_check(check: str) -> str | None:
    try:
        node = syntax_tree(check, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return ast.unparse(node) if _about_result(node) else None


def _calls(node: ast.AST, function: str) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
    )


def read_suite(text: str, function: str) -> FileCases:
    """The cases of a pytest file, and what in it cannot be understood."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError) as error:
        return FileCases((), (f"it is not Python: {error}",))
    lines = text.splitlines()
    found: list[tuple[int, Case]] = []
    problems: list[str] = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test"):
            continue
        head = lines[node.lineno - 1]
        origin = head.partition("#")[2].strip() or CaseOrigin.USER
        for place, case in _cases(node.body, function):
            if isinstance(case, str):
                problems.append(f"line {place}: {case}")
            else:
                found.append((place, _with_origin(case, origin)))
    for number, line in enumerate(lines, start=1):
        if line.startswith(_CASE):
            try:
                found.append((number, case_from_json(json.loads(line.removeprefix(_CASE)))))
            except (ValueError, KeyError, TypeError):
                problems.append(f"line {number}: the case cannot be read")
    return FileCases(
        tuple(case for _, case in sorted(found, key=lambda each: each[0])), tuple(problems)
    )


def _with_origin(case: Case, origin: str) -> Case:
    return Case(case.kind, case.call, case.expected, case.check, origin)


def _cases(body: Sequence[ast.stmt], function: str) -> Iterator[tuple[int, Case | str]]:
    """Each statement's case, or why it has none."""
    result: ast.expr | None = None
    for node in body:
        match node:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id="result")], value=value) if _calls(
                value, function
            ):
                result = value
            case ast.With(items=[item], body=[ast.Expr(value=value)]) if _calls(value, function):
                name = _raised(item.context_expr)
                if name is None:
                    yield node.lineno, "only pytest.raises(Error) is understood"
                else:
                    yield node.lineno, Case(CaseKind.RAISES, _call(value), name)
            case ast.Assert(test=test):
                yield node.lineno, _asserted(test, function, result)
            case _:
                yield node.lineno, f"not understood: {ast.unparse(node)[:100]}"


def _asserted(test: ast.expr, function: str, result: ast.expr | None) -> Case | str:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]) if _calls(
            left, function
        ):
            try:
                return _value(left, _expected(right))
            except NotLiteral as error:
                return f"not a plain value: {error}"
        case ast.UnaryOp(op=ast.Not(), operand=operand) if _calls(operand, function):
            return _value(operand, False)
        case _ if _calls(test, function):
            return _value(test, True)
        case _ if result is not None and _about_result(test):
            return Case(CaseKind.PROPERTY, _call(result), check=ast.unparse(test))
        case _:
            return f"not understood: {ast.unparse(test)[:100]}"


def _about_result(test: ast.expr) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    return "result" in names


def _expected(node: ast.expr) -> Json:
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "approx"
        and node.args
    ):
        value = literal(node.args[0])
        node_value = float(value) if isinstance(value, int) else value
        return wire.encode(node_value)
    return wire.encode(literal(node))


def _value(call: ast.expr, expected: Json) -> Case:
    return Case(CaseKind.VALUE, _call(call), expected)


def _call(node: ast.expr) -> Call:
    return Call(source=ast.unparse(node))


def _raised(node: ast.expr) -> str | None:
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "raises"
        and len(node.args) == 1
        and not node.keywords  # what an error says is no part of a case
        and isinstance(node.args[0], ast.Name)
    ):
        return node.args[0].id
    return None
