"""Examples that the person gave in the request, held against solutions and tools."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.approvals import OnQuestion
from hammerstone.core.calls import Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Case, CaseKind, Spec, Tool
from hammerstone.judging.cases import meets
from hammerstone.judging.equality import same_answer
from hammerstone.judging.rendering import show
from hammerstone.run.services import OpenSandbox
from hammerstone.run.solve.sampling import Attempt
from hammerstone.synthesis.request_examples import (
    Contradiction,
    RequestExamples,
    read_request_examples,
)
from hammerstone.synthesis.solutions.heads import head_of


class ExampleCheck:
    """Sorts out the attempts that contradict an example of the request.

    `unmet` is an example that no attempt has met so far; empty when there is none. Where two
    examples name different results for one call, the person is asked once which is right; with
    nobody there neither counts, and `open_contradiction` says so.
    """

    def __init__(self, words: str, sandbox: Sandbox, ask: OnQuestion | None = None) -> None:
        self._words = words
        self._sandbox = sandbox
        self._ask = ask
        self._said: dict[str, Case | None] = {}  # by what is asked; None: nobody said
        self.open_contradiction = ""
        self._met = False
        self._missed = ""
        self._sorted_out: dict[int, Solution] = {}  # by the attempt's program, as it was before

    @property
    def unmet(self) -> str:
        return "" if self._met else self._missed

    @property
    def settled(self) -> tuple[str, ...]:
        """The examples that the person chose, as they would have written them."""
        chosen = [case for case in self._said.values() if case is not None]
        return tuple(f"{case.call.source} == {show(case.expected)}" for case in chosen)

    def counted(self, attempts: Sequence[Attempt]) -> list[Solution]:
        """The solutions that count: where none meets the examples, all of them do."""
        found: list[Solution] = []
        for attempt in attempts:
            before = self._sorted_out.get(id(attempt.program)) if self.unmet else None
            solution = before or attempt.solution
            found += [solution] if solution is not None else []
        return found

    async def of(self, attempt: Attempt) -> Attempt:
        """The attempt, with an error where it contradicts an example that another one meets."""
        solution = attempt.solution
        if solution is None or solution.error:
            return attempt
        spec = _head_spec(solution.code, solution.function)
        cases = await self._cases(spec) if spec else []
        if not cases:
            return attempt
        program = Program(solution.code, solution.function)
        missed = await _missed(program, cases, self._sandbox)
        if missed is None:
            self._met = True
            return attempt
        self._missed = missed.call.source or ""
        self._sorted_out[id(attempt.program)] = solution
        error = f"it contradicts the example {missed.call.source}"
        return replace(attempt, solution=replace(solution, error=error))

    async def _cases(self, spec: Spec) -> list[Case]:
        told = read_request_examples(self._words, spec)
        cases = _checkable(told)
        for against in told.contradictions:
            cases = [case for case in cases if case is not against.first]
            right = await self._right_one(against)
            cases += [right] if right is not None else []
        return cases

    async def _right_one(self, against: Contradiction) -> Case | None:
        """What the person says about two results for one call, asked once."""
        pair = (against.first, against.second)
        shown = tuple(show(case.expected) for case in pair)
        key = f"{against.call.partition('(')[2]} {shown}"
        if key not in self._said:
            question = f"What should {against.call} return?"
            chosen = await self._ask(question, shown) if self._ask is not None else None
            self._said[key] = None if chosen is None else pair[chosen]
        if self._said[key] is None:
            self.open_contradiction = str(against)
        return self._said[key]


async def contradiction(words: str, tool: Tool, sandbox: OpenSandbox) -> str:
    """The call of an example of the request that the tool does not meet; empty without one."""
    spec = tool.version.spec
    told = RequestExamples() if spec.produces else read_request_examples(words, spec)
    if told.contradictions:
        return told.contradictions[0].call  # no tool meets both
    cases = _checkable(told)
    if not cases:
        return ""
    program = Program(tool.version.code, spec.name)
    missed = await _missed(program, cases, await sandbox())
    return (missed.call.source or "an example") if missed else ""


def _checkable(told: RequestExamples) -> list[Case]:
    """The examples that can be checked by calling the function once."""
    return [case for case in told.cases if case.kind is not CaseKind.PROPERTY]


async def _missed(program: Program, cases: Sequence[Case], sandbox: Sandbox) -> Case | None:
    """The first example that a program does not meet."""
    (row,) = await sandbox.matrix([program], [case.call for case in cases])
    pairs = zip(cases, row, strict=True)
    return next(
        (case for case, outcome in pairs if not meets(case, outcome, equal=same_answer)), None
    )


def _head_spec(code: str, function: str) -> Spec | None:
    """As much of a specification as reading examples needs: names and types."""
    head = head_of(code, function)
    if head is None:
        return None
    properties: dict[str, Json] = {one.name: one.hint for one in head.parameters}
    required: list[Json] = [one.name for one in head.parameters if not one.has_default]
    parameters: JsonObject = {"type": "object", "properties": properties, "required": required}
    return Spec(head.name, head.description, parameters, head.returns)
