"""The call behind an answer as a person reads it: every value by its name, and where it is from."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core import wire
from hammerstone.core.answers import ArgumentOrigin, CallArgument
from hammerstone.core.json_types import Json
from hammerstone.core.syntax import syntax_tree
from hammerstone.judging.equality import decoded
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.judging.rendering import expression_of, joined_call
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.answer.respond import plain
from hammerstone.run.bind.grounding import origins_of
from hammerstone.run.solve.program import has_function
from hammerstone.synthesis.solutions.heads import HeadParameter, ParameterKind, head_of

_LONGEST_CALL = 500
_LONGEST_VALUE = 160
_UNREADABLE = (SyntaxError, ValueError)


@dataclass(frozen=True, slots=True)
class ReadableCall:
    """A call in one line, cut where it holds much data, and its values one by one."""

    text: str = ""
    arguments: tuple[CallArgument, ...] = ()


def readable_call(step: StepOutcome, request: str, earlier: str = "") -> ReadableCall:
    """The call behind a step's result; `earlier` is what the person said before the request."""
    if step.skill is not None and step.skill.call:
        return ReadableCall(_cut(step.skill.call, _LONGEST_CALL))
    if step.tool is not None:
        return _tool_call(step, request, earlier)
    winner = step.solved.winner if step.solved else None
    if winner is None:
        return ReadableCall()
    call = _SolutionCall.of(winner.code, winner.function, winner.call)
    if call is None or not has_function(winner):
        return ReadableCall(_cut(winner.call, _LONGEST_CALL))
    return call.readable(request, earlier)


def _tool_call(step: StepOutcome, request: str, earlier: str) -> ReadableCall:
    tool, given = step.tool, step.arguments
    if tool is None or given is None:
        return ReadableCall()
    spec = tool.version.spec
    names = spec.takes.names
    complete = names and given.keys() >= set(names)  # nothing is left to a default
    head = None if complete else head_of(tool.version.code, spec.name)
    defaults = _defaults(head.parameters if head else (), taken=given)
    shown = {name: expression_of(decoded(value)) for name, value in (given | defaults).items()}
    origins = origins_of(given, request, earlier) | dict(step.origins)
    origins |= dict.fromkeys(defaults, ArgumentOrigin.DEFAULT)
    return _readable(joined_call(spec.name, (), shown) or spec.name, shown, origins)


def _defaults(
    parameters: tuple[HeadParameter, ...], taken: Mapping[str, object]
) -> dict[str, Json]:
    """What a function takes for the parameters that got no value; nothing where it takes none."""
    return {
        one.name: one.default
        for one in parameters
        if one.has_default and one.default is not None and one.name not in taken
    }


def _readable(
    text: str, shown: Mapping[str, str], origins: Mapping[str, ArgumentOrigin]
) -> ReadableCall:
    arguments = tuple(
        CallArgument(name, _cut(value, _LONGEST_VALUE), origins.get(name, ArgumentOrigin.STATED))
        for name, value in shown.items()
    )
    return ReadableCall(_cut(text, _LONGEST_CALL), arguments)


@dataclass(frozen=True, slots=True)
class _SolutionCall:
    """A solution's own call: the expression, and the function's arguments within it by name."""

    expression: ast.Expression
    call: ast.Call
    parameters: tuple[HeadParameter, ...]

    @staticmethod
    def of(code: str, function: str, source: str) -> "_SolutionCall | None":
        """The call as it is written; None where it cannot be told which value is which."""
        head = head_of(code, function)
        try:
            expression = syntax_tree(source, "eval")
        except _UNREADABLE:
            return None
        calls = [
            node
            for node in ast.walk(expression)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == function
        ]
        if head is None or len(calls) != 1:
            return None
        call, places = calls[0], head.parameters[: len(calls[0].args)]
        plain_ones = len(places) == len(call.args) and all(
            one.kind is ParameterKind.PLAIN for one in places
        )
        named = all(keyword.arg for keyword in call.keywords)
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        if not plain_ones or not named or starred:
            return None
        return _SolutionCall(expression, call, head.parameters)

    def readable(self, request: str, earlier: str) -> ReadableCall:
        names = (one.name for one in self.parameters)
        given = dict(zip(names, self.call.args, strict=False))
        given |= {keyword.arg or "": keyword.value for keyword in self.call.keywords}
        defaults = _defaults(self.parameters, taken=given)
        shown = {name: ast.unparse(node) for name, node in given.items()}
        shown |= {name: expression_of(decoded(value)) for name, value in defaults.items()}
        values: dict[str, Json] = {}
        for name, node in given.items():
            try:
                values[name] = plain(wire.encode(literal(node)))
            except NotLiteral:
                continue  # a name: what an earlier request gave, or a part of the program
        origins = origins_of(values, request, earlier)
        origins |= dict.fromkeys(defaults, ArgumentOrigin.DEFAULT)
        self.call.args = []
        self.call.keywords = [
            ast.keyword(name, syntax_tree(source, "eval").body) for name, source in shown.items()
        ]
        return _readable(ast.unparse(self.expression), shown, origins)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
