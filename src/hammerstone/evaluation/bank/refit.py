"""A calibration fitted on a bank, whole and in folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.bank.evaluate import start, witnesses_of
from hammerstone.evaluation.bank.recorded import RememberingSandbox, SimulatedPerson
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.synthesis.examine.belief.confidence import Calibration, fit, folds_of, task_key
from hammerstone.synthesis.examine.conclude import simplest
from hammerstone.synthesis.examine.escalate import gather
from hammerstone.synthesis.examine.examination import ALL, Examination, Ingredients
from hammerstone.synthesis.examine.suites.examples import read_examples
from hammerstone.synthesis.examine.verdict import DEFAULT, Choice, ExaminePolicy, ReadingQuestion

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
    """Observations along the way of the policy, with all, one and none of the spec's examples.

    Taken where the policy stops or asks: that is where the number is used. It stops when things
    look good, so random samples would be too hopeful; and the many steps of hard tasks would
    make it too timid for the others.
    """
    remembering = RememberingSandbox(sandbox)
    seen: list[Observation] = []
    for ingredients in _given(task):
        for order in ORDERS:
            examination = start(task, remembering, ingredients)
            examination.calibration = calibration
            person = SimulatedPerson(task, remembering)

            async def asked(
                question: ReadingQuestion,
                examination: Examination = examination,
                person: SimulatedPerson = person,
            ) -> Choice:
                _note(task, examination, seen)
                return await person(question)

            witnesses = witnesses_of(task, ingredients, order)
            ask = asked if task.reference else None
            await gather(examination, witnesses, policy, ask=ask)
            _note(task, examination, seen)
    await remembering.close()
    return seen


def _given(task: BankTask) -> list[Ingredients]:
    """With all examples of the spec, with the first alone, and with none."""
    count = len(read_examples(task.spec, task.name, task.parameters))
    told = [replace(ALL, examples=n) for n in (1, 0) if n < count]
    return [ALL, *told]


def _note(task: BankTask, examination: Examination, seen: list[Observation]) -> None:
    """Add what is known now to `seen`."""
    belief = examination.belief
    if belief.ranking and not belief.unmet and task.correct:
        code = simplest(examination, belief.ranking[0].group.exact)
        right = bool(task.correct.get(code))
        seen.append(Observation(task_key(task.spec), dict(belief.features), right))


def calibrate(banks: Mapping[str, Sequence[Observation]], source: str, model: str) -> JsonObject:
    """The calibration file: fitted on all tasks, in folds that each leave some tasks out, and
    without each of the banks, if there are several."""
    observations = [one for part in banks.values() for one in part]
    fold_of = folds_of({one.task for one in observations}, FOLDS)
    whole = fit_on(observations, source, model)
    folds: list[Json] = [
        _weights(fit_on([one for one in observations if fold_of[one.task] != fold]))
        for fold in range(FOLDS)
    ]
    without: list[Json] = []
    for name, part in banks.items():
        others = [one for other, rows in banks.items() if other != name for one in rows]
        own: list[Json] = [*sorted({one.task for one in part})]
        without.append([own, _weights(fit_on(others)) if others else {}])
    return {**whole.to_json(), "folds": folds, "banks": without}


def _weights(fitted: Calibration) -> JsonObject:
    document = fitted.to_json()
    return {"weights": document["weights"], "intercept": document["intercept"]}


def fit_on(observations: Sequence[Observation], source: str = "", model: str = "") -> Calibration:
    """One calibration in which every task counts the same.

    Told and untold ones are fitted together: apart, the few tasks with examples teach that a
    handful of candidates which meet the examples is enough, and precision falls by two points.
    """
    counts: dict[str, int] = {}
    for one in observations:
        counts[one.task] = counts.get(one.task, 0) + 1
    fitted = fit(
        [one.features for one in observations],
        [one.right for one in observations],
        weights=[TASK_WEIGHT / counts[one.task] for one in observations],
        source=source,
    )
    return replace(fitted, model=model)
