"""Witnesses, the person and the sandbox as an evaluation on recorded material needs them."""

import random
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.judging.equality import decoded, same
from hammerstone.synthesis.examine.suites.cases import BadCase, read_assert
from hammerstone.synthesis.examine.verdict import Choice, ReadingQuestion, StatedResult

Item = TypeVar("Item")

CHARACTERS = 3.5  # of code in a token of the embedded model


class RecordedWitnesses:
    """Hands out a task's candidates and suites in their order, or shuffled by a seed.

    The first of each stays the first: it is the model's best guess, here as in the product.
    `hidden` are calls about which no suite may say anything.
    """

    def __init__(
        self, task: BankTask, shuffle: int = 0, hidden: Collection[str] = frozenset()
    ) -> None:
        self._candidates = list(task.candidates)
        self._suites = [[s for s in suite if not _about(s, task, hidden)] for suite in task.suites]
        self._written = 0  # characters
        if shuffle:
            self._candidates = _shuffled(self._candidates, f"{shuffle} {task.id}")
            self._suites = _shuffled(self._suites, f"{shuffle} {task.id} suites")

    async def candidates(self, count: int) -> list[str]:
        taken, self._candidates = self._candidates[:count], self._candidates[count:]
        self._written += sum(map(len, taken))
        return taken

    async def suites(self, count: int) -> list[list[str]]:
        taken, self._suites = self._suites[:count], self._suites[count:]
        self._written += sum(len(line) for suite in taken for line in suite)
        return taken

    @property
    def tokens(self) -> float:
        """About how many tokens were written for what was handed out: a bank has only texts."""
        return self._written / CHARACTERS


def _shuffled(items: Sequence[Item], seed: str) -> list[Item]:
    rest = list(items[1:])
    random.Random(seed).shuffle(rest)
    return [*items[:1], *rest]


def _about(statement: str, task: BankTask, hidden: Collection[str]) -> bool:
    if not hidden:
        return False
    try:
        drafts = read_assert(statement, task.name)
    except BadCase:
        return False
    return any(draft.case.call.source in hidden for draft in drafts)


class SimulatedPerson:
    """Answers a question by running the reference on the asked input."""

    def __init__(self, task: BankTask, sandbox: Sandbox) -> None:
        self._program = Program(task.reference or "", task.name)
        self._sandbox = sandbox
        self.asked: list[tuple[ReadingQuestion, Choice]] = []

    async def __call__(self, question: ReadingQuestion) -> Choice:
        ((outcome,),) = await self._sandbox.matrix([self._program], [question.call])
        chosen: Choice = None
        if outcome.ok:
            right = decoded(outcome.value)
            places = (n for n, one in enumerate(question.results) if same(decoded(one), right))
            chosen = next(places, StatedResult(outcome.value))
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
