"""Cross-examination on every task of a bank, and what came of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.bank.recorded import (
    RecordedWitnesses,
    RememberingSandbox,
    SimulatedPerson,
)
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.synthesis.examine.belief.confidence import (
    Calibration,
    shipped_without,
    shipped_without_bank_of,
    task_key,
)
from hammerstone.synthesis.examine.escalate import escalate
from hammerstone.synthesis.examine.examination import ALL, Examination, Ingredients
from hammerstone.synthesis.examine.suites.examples import read_examples
from hammerstone.synthesis.examine.verdict import DEFAULT, BehaviourStanding, ExaminePolicy

AT_ONCE = 3  # tasks: an examination waits for single candidates most of the time

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Setup:
    """What is switched on in one pass over a bank."""

    questions: int = 0
    policy: ExaminePolicy = DEFAULT
    ingredients: Ingredients = ALL
    freezes: bool = True
    calibration: Calibration | None = None  # instead of the shipped one
    other_bank: bool = False  # judged by what was fitted without the task's own bank


@dataclass(frozen=True, slots=True)
class ScoredTask:
    """One task's verdict next to the truth."""

    task_id: str
    standing: BehaviourStanding
    confidence: float
    right: bool
    candidates: int
    suites: int
    questions: int
    seconds: float
    mutation_score: float | None
    reason: str
    asked: str = ""
    authored_score: float | None = None  # of the suite before it was strengthened
    tokens: float = 0.0
    veto: str = ""
    ease: float = 0.0  # share of the task's candidates that are right; only for the report

    @property
    def verified(self) -> bool:
        return self.standing is BehaviourStanding.VERIFIED

    def to_json(self) -> JsonObject:
        return {
            "task_id": self.task_id,
            "standing": str(self.standing),
            "confidence": round(self.confidence, 4),
            "right": self.right,
            "candidates": self.candidates,
            "suites": self.suites,
            "questions": self.questions,
            "seconds": round(self.seconds, 2),
            "mutation_score": self.mutation_score,
            "reason": self.reason,
            "asked": self.asked,
            "tokens": round(self.tokens),
            "veto": self.veto,
        }


OnTask = Callable[[BankTask, RememberingSandbox, ScoredTask], Awaitable[None]]


async def evaluate(
    tasks: Sequence[BankTask],
    sandbox: Sandbox,
    setup: Setup,
    on_task: OnTask | None = None,
) -> list[ScoredTask]:
    """Every task examined and scored; the label is looked up after the verdict.

    `on_task` gets the task's outcomes so far, for baselines and ablations on the same runs.
    """

    async def one(task: BankTask) -> ScoredTask:
        remembering = RememberingSandbox(sandbox)
        result = await examine_task(task, remembering, setup)
        if on_task:
            await on_task(task, remembering, result)
        await remembering.close()
        return result

    return await side_by_side(tasks, one)


async def side_by_side(
    tasks: Sequence[BankTask], work: Callable[[BankTask], Awaitable[Result]]
) -> list[Result]:
    """The work on each task, a few at a time, in the tasks' order."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def turn(task: BankTask) -> Result:
        async with turns:
            return await work(task)

    async with asyncio.TaskGroup() as group:
        running = [group.create_task(turn(task)) for task in tasks]
    return [task.result() for task in running]


async def examine_task(task: BankTask, sandbox: Sandbox, setup: Setup) -> ScoredTask:
    """One task, judged by the calibration that was fitted without it."""
    began = time.perf_counter()
    examination = start(task, sandbox, setup.ingredients)
    other = shipped_without_bank_of(task_key(task.spec)) if setup.other_bank else None
    examination.calibration = setup.calibration or other or examination.calibration
    witnesses = witnesses_of(task, setup.ingredients)
    person = SimulatedPerson(task, sandbox)
    can_answer = setup.questions > 0 and task.reference
    examination.freezes = setup.freezes
    verdict = await escalate(
        examination,
        witnesses,
        replace(setup.policy, max_questions=setup.questions),
        ask=person if can_answer else None,
    )
    seconds = time.perf_counter() - began
    right = bool(verdict.code and task.correct and task.correct.get(verdict.code))
    return ScoredTask(
        task_id=task.id,
        standing=verdict.standing,
        confidence=verdict.confidence,
        right=right,
        candidates=verdict.candidates_used,
        suites=verdict.suites_used,
        questions=verdict.questions_asked,
        seconds=seconds,
        mutation_score=verdict.mutation_score,
        reason=verdict.reason,
        asked="; ".join(f"{question.text} {answer}" for question, answer in person.asked),
        authored_score=_number(verdict.evidence.get("authored_mutation_score")),
        ease=_ease(task),
        tokens=witnesses.tokens,
        veto=str(verdict.evidence.get("veto", "")),
    )


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _ease(task: BankTask) -> float:
    right = [bool(task.correct and task.correct.get(code)) for code in task.candidates]
    return sum(right) / max(1, len(right))


def start(task: BankTask, sandbox: Sandbox, ingredients: Ingredients = ALL) -> Examination:
    """An examination of the task with the examples in its spec as truth."""
    examples = read_examples(task.spec, task.name, task.parameters)
    return Examination(
        task.name,
        sandbox,
        truth=examples[: ingredients.examples],
        calibration=shipped_without(task_key(task.spec)),
        ingredients=ingredients,
    )


def witnesses_of(task: BankTask, ingredients: Ingredients, order: int = 0) -> RecordedWitnesses:
    """The task's authors. Examples that are left out are left out of their suites too.

    Test authors copy the examples of a spec. Left in, they would be the person's word by
    another way, and a spec that has none would look safer than it is.
    """
    examples = read_examples(task.spec, task.name, task.parameters)
    hidden = {case.call.source or "" for case in examples[ingredients.examples :]}
    return RecordedWitnesses(task, order, hidden)
