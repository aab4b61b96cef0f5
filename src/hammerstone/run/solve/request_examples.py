"""Examples that the person gave in the request, held against solutions and tools."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.calls import Failure, Outcome, Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Case, CaseKind, Spec, Tool
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.run.context import Run
from hammerstone.run.solve.sampling import Attempt
from hammerstone.synthesis.solutions.heads import head_of
from hammerstone.synthesis.told import read_told


class ExampleCheck:
    """Sorts out the attempts that contradict an example of the request.

    `unmet` is an example that no attempt has met so far; empty when there is none.
    """

    def __init__(self, words: str, sandbox: Sandbox) -> None:
        self._words = words
        self._sandbox = sandbox
        self._met = False
        self._missed = ""
        self._sorted_out: dict[int, Solution] = {}  # by the attempt's program, as it was before

    @property
    def unmet(self) -> str:
        return "" if self._met else self._missed

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
        cases = _examples(self._words, spec) if spec else []
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


async def contradiction(run: Run, tool: Tool) -> str:
    """The call of an example of the request that the tool does not meet; empty without one."""
    spec = tool.version.spec
    cases = [] if spec.produces else _examples(run.words, spec)
    if not cases:
        return ""
    program = Program(tool.version.code, spec.name)
    missed = await _missed(program, cases, await run.parts.sandbox())
    return (missed.call.source or "an example") if missed else ""


def _examples(words: str, spec: Spec) -> list[Case]:
    """The examples that can be checked by calling the function once."""
    told = read_told(words, spec)
    return [case for case in told.cases if case.kind is not CaseKind.PROPERTY]


async def _missed(program: Program, cases: Sequence[Case], sandbox: Sandbox) -> Case | None:
    """The first example that a program does not meet."""
    (row,) = await sandbox.matrix([program], [case.call for case in cases])
    pairs = zip(cases, row, strict=True)
    return next((case for case, outcome in pairs if not _meets(case, outcome)), None)


def _meets(case: Case, outcome: Outcome) -> bool:
    if case.kind is CaseKind.RAISES:
        return outcome.failure is Failure.RAISED
    return outcome.ok and same_answer(decoded(outcome.value), decoded(case.expected))


def _head_spec(code: str, function: str) -> Spec | None:
    """As much of a specification as reading examples needs: names and types."""
    head = head_of(code, function)
    if head is None:
        return None
    properties: dict[str, Json] = {one.name: one.hint for one in head.parameters}
    required: list[Json] = [one.name for one in head.parameters if not one.has_default]
    parameters: JsonObject = {"type": "object", "properties": properties, "required": required}
    return Spec(head.name, head.description, parameters, head.returns)
