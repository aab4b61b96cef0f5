"""A calibration fitted on a bank, whole and in folds."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.bank.evaluate import start, witnesses_of
from hammerstone.evaluation.bank.recorded import RememberingSandbox, SimulatedPerson
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.synthesis.examine.conclude import simplest
from hammerstone.synthesis.examine.confidence import Calibration, fit, task_key
from hammerstone.synthesis.examine.escalate import gather
from hammerstone.synthesis.examine.examination import ALL, Examination
from hammerstone.synthesis.examine.policy import DEFAULT, ExaminePolicy
from hammerstone.synthesis.examine.verdict import ReadingQuestion

FOLDS = 10
ORDERS = (1, 2, 3)  # shuffles of a task's witnesses; its own order is kept for measuring
TASK_WEIGHT = 6.0  # observations that one task counts for, however many were made of it


@dataclass(frozen=True, slots=True)
class Observation:
    """What was known at one moment of an examination, and whether the leader was right."""

    task: str
    features: dict[str, float]
    right: bool


async def observe(
    task: BankTask, sandbox: Sandbox, calibration: Calibration, policy: ExaminePolicy = DEFAULT
) -> list[Observation]:
    """Observations along the way of the policy, with and without the examples of the spec.

    Taken where the policy stops or asks: that is where the number is used. It stops when things
    look good, so random samples would be too hopeful; and the many steps of hard tasks would
    make it too timid for the others.
    """
    remembering = RememberingSandbox(sandbox)
    seen: list[Observation] = []
    for ingredients in (ALL, replace(ALL, examples=0)):
        for order in ORDERS:
            examination = start(task, remembering, ingredients)
            examination.calibration = calibration
            person = SimulatedPerson(task, remembering)

            async def asked(
                question: ReadingQuestion,
                examination: Examination = examination,
                person: SimulatedPerson = person,
            ) -> int | None:
                _note(task, examination, seen)
                return await person(question)

            witnesses = witnesses_of(task, ingredients, order)
            ask = asked if task.reference else None
            await gather(examination, witnesses, policy, ask=ask)
            _note(task, examination, seen)
    await remembering.close()
    return seen


def _note(task: BankTask, examination: Examination, seen: list[Observation]) -> None:
    """Add what is known now to `seen`."""
    belief = examination.belief
    if belief.ranking and not belief.unmet and task.correct:
        code = simplest(examination, belief.ranking[0].group.exact)
        right = bool(task.correct.get(code))
        seen.append(Observation(task_key(task.spec), dict(belief.features), right))


def calibrate(observations: Sequence[Observation], source: str) -> JsonObject:
    """The calibration file: fitted on all tasks, and in folds that each leave some out."""
    tasks = sorted({one.task for one in observations})
    random.Random(0).shuffle(tasks)
    fold_of = {task: number % FOLDS for number, task in enumerate(tasks)}
    whole = fit_on(observations, source)
    folds = [
        fit_on([one for one in observations if fold_of[one.task] != fold], source).to_json()
        for fold in range(FOLDS)
    ]
    parts: list[Json] = [
        {"weights": fold["weights"], "intercept": fold["intercept"]} for fold in folds
    ]
    membership: dict[str, Json] = dict(sorted(fold_of.items()))
    return {**whole.to_json(), "folds": parts, "fold_of": membership}


def fit_on(observations: Sequence[Observation], source: str = "") -> Calibration:
    """One calibration in which every task counts the same.

    Told and untold ones are fitted together: apart, the few tasks with examples teach that a
    handful of candidates which meet the examples is enough, and precision falls by two points.
    """
    counts: dict[str, int] = {}
    for one in observations:
        counts[one.task] = counts.get(one.task, 0) + 1
    return fit(
        [one.features for one in observations],
        [one.right for one in observations],
        weights=[TASK_WEIGHT / counts[one.task] for one in observations],
        source=source,
    )
