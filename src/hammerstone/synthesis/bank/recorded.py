"""Witnesses, the person and the sandbox as an evaluation on recorded material needs them."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.seams import Sandbox
from hammerstone.synthesis.bank.tasks import BankTask
from hammerstone.synthesis.examine.equality import decoded, same
from hammerstone.synthesis.examine.verdict import Question


class RecordedWitnesses:
    """Hands out a task's candidates and suites in their order, or shuffled by a seed."""

    def __init__(self, task: BankTask, shuffle: int = 0) -> None:
        self._candidates = list(task.candidates)
        self._suites = [list(suite) for suite in task.suites]
        if shuffle:
            random.Random(f"{shuffle} {task.id}").shuffle(self._candidates)
            random.Random(f"{shuffle} {task.id}").shuffle(self._suites)

    async def candidates(self, count: int) -> list[str]:
        taken, self._candidates = self._candidates[:count], self._candidates[count:]
        return taken

    async def suites(self, count: int) -> list[list[str]]:
        taken, self._suites = self._suites[:count], self._suites[count:]
        return taken


class SimulatedPerson:
    """Answers a question by running the reference on the asked input."""

    def __init__(self, task: BankTask, sandbox: Sandbox) -> None:
        self._program = Program(task.reference or "", task.name)
        self._sandbox = sandbox
        self.asked: list[tuple[Question, int | None]] = []

    async def __call__(self, question: Question) -> int | None:
        ((outcome,),) = await self._sandbox.matrix([self._program], [question.call])
        chosen = None
        if outcome.ok:
            right = decoded(outcome.value)
            for place, result in enumerate(question.results):
                if same(decoded(result), right):
                    chosen = place
                    break
        self.asked.append((question, chosen))
        return chosen


class RememberingSandbox:
    """Runs each program on each call once and repeats what came out.

    For one task at a time: lets several rules be compared on the same outcomes. A call in
    surroundings of its own (`call`) is never remembered, so unsteady code is still noticed.
    """

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str, str], Outcome] = {}

    @property
    def backend(self) -> str:
        return self._inner.backend

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        return await self._inner.call(program, call, limits=limits, files=files)

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        groups: dict[tuple[int, ...], list[Program]] = {}
        for program in programs:
            missing = [n for n, call in enumerate(calls) if _key(program, call) not in self._known]
            if missing:
                groups.setdefault(tuple(missing), []).append(program)
        for missing, rows in groups.items():
            wanted = [calls[n] for n in missing]
            table = await self._inner.matrix(
                rows, wanted, limits=limits, case_wall_s=case_wall_s, files=files
            )
            for program, outcomes in zip(rows, table, strict=True):
                for call, outcome in zip(wanted, outcomes, strict=True):
                    if outcome.failure is not Failure.LOST:
                        self._known[_key(program, call)] = outcome
        lost = Outcome(failure=Failure.LOST)
        return [[self._known.get(_key(p, call), lost) for call in calls] for p in programs]

    async def close(self) -> None:
        self._known.clear()


def _key(program: Program, call: Call) -> tuple[str, str, str]:
    return program.code, program.function, call.source or repr((call.args, dict(call.kwargs)))
