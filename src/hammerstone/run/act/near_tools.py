"""Tools that are near to some words, tried on the value that solutions gave.

Search is not sure of any of them. One that comes to the same as an independent solution is the
right one far more often than not, and from then on these words find it. Only tools without
effects are tried, on values of the request: those that the words settle, or those that the
solution was called with. What does not agree leaves no trace.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hammerstone.core.calls import STANDARD, Call, Program
from hammerstone.core.json_types import Json, JsonObject, is_mapping, is_sequence
from hammerstone.core.tools import Spec, Tool
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.run.act.step_outcome import SolveOutcome
from hammerstone.run.bind.binding import ArgumentSources, Binder, BoundArguments
from hammerstone.run.bind.grounding import has_another_rule, occurs, unused_numbers
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Discovery, Finder
from hammerstone.run.services import OpenSandbox

_MOST_CALLS = 3  # of solutions that give the leading value, whose arguments are tried


@dataclass(frozen=True, slots=True)
class AgreeingTool:
    """A tool that comes to what solutions gave, the chance that it fits, and its arguments."""

    found: Discovery
    tool: Tool
    bound: BoundArguments


class NearTools:
    """Finds the near tool that agrees with a solution."""

    def __init__(self, finder: Finder, binder: Binder, sandbox: OpenSandbox) -> None:
        self._finder = finder
        self._binder = binder
        self._sandbox = sandbox

    async def of(self, run: Run, text: str, least: float) -> list[Discovery]:
        """The tools that are near to some words and fit with a chance of at least `least`."""
        near = [found async for found in self._finder.nearest(run, text)]
        return [found for found in near if found.probability >= least]

    async def agreeing(
        self, run: Run, near: Sequence[Discovery], given: ArgumentSources, solved: SolveOutcome
    ) -> AgreeingTool | None:
        """The likeliest of the tools that comes to the leading value of the solutions."""
        if solved.tally is None or solved.tally.leader is None:
            return None
        members = solved.tally.leader.members[:_MOST_CALLS]
        calls = [solved.solutions[place].call for place in members if solved.solutions]
        for found in sorted(near, key=lambda one: -one.probability):
            tool = found.tool
            if tool is None:
                continue
            for bound in self._bindings(run, tool, given, calls):
                if await self._gives(tool, bound.values, solved.tally.value):
                    return AgreeingTool(found, tool, bound)
        return None

    def _bindings(
        self, run: Run, tool: Tool, given: ArgumentSources, calls: Sequence[str]
    ) -> list[BoundArguments]:
        """The ways to call the tool: by what the words settle, else by what solutions took."""
        spec = tool.version.spec
        plain = self._binder.by_words(run, tool, given)
        taken = [arguments_of_call(spec, call, run.words) for call in calls]
        ways = [plain] if plain is not None else [BoundArguments(one) for one in taken if one]
        return [one for one in ways if not _breaks_rule(spec, run.words, one.values)]

    async def _gives(self, tool: Tool, values: JsonObject, wanted: Json) -> bool:
        program = Program(tool.version.code, tool.version.spec.name)
        sandbox = await self._sandbox()
        outcome = await sandbox.call(program, Call(kwargs=values), limits=STANDARD)
        return outcome.ok and same_answer(decoded(outcome.value), decoded(wanted))


def arguments_of_call(spec: Spec, call: str, words: str) -> JsonObject | None:
    """The values of a solution's own call as a tool's arguments, in their order.

    None unless the call states each of them, the request does as well, and none is left over.
    """
    try:
        tree = ast.parse(call.strip(), mode="eval").body
        if not isinstance(tree, ast.Call):
            return None
        taken = [ast.literal_eval(one) for one in (*tree.args, *(k.value for k in tree.keywords))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = spec.takes.names
    if not taken or not len(spec.takes.required) <= len(taken) <= len(names):
        return None
    values: JsonObject = {n: _plain(one) for n, one in zip(names, taken, strict=False)}
    stated = all(occurs(one, words) for one in values.values())
    if not stated or spec.takes.mismatch(values) or unused_numbers(words, values):
        return None
    return values


def _plain(value: Any) -> Json:
    """A literal as JSON has it: a tuple is a list."""
    if is_sequence(value):
        return [_plain(one) for one in value]
    if is_mapping(value):
        return {str(name): _plain(one) for name, one in value.items()}
    return value if isinstance(value, str | int | float | bool) else None


def _breaks_rule(spec: Spec, words: str, values: JsonObject) -> bool:
    return bool(spec.constants) and has_another_rule(spec, words, values)
