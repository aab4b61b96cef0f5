"""What simpler rules make of the same outcomes: the bar to beat.

Each rule gives, per task, the code it would verify, or None. They see all candidates and all
suites and make no use of the examples in the specs.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case
from hammerstone.evaluation.bank.recorded import SimulatedPerson
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.synthesis.examine.belief.behaviours import Cells
from hammerstone.synthesis.examine.belief.confidence import fit
from hammerstone.synthesis.examine.matrix import OutcomeMatrix
from hammerstone.synthesis.examine.suites.cases import BadCase, Draft, read_assert, settle
from hammerstone.synthesis.examine.verdict import ReadingQuestion

ALIKE, ALIKE_ANSWERED, LOGISTIC_MARK, LOGISTIC_FOLDS = 0.8, 0.9, 0.9, 5

ONE_SUITE = "one suite passes entirely"
THREE_CANDIDATES = "the same with two more candidates"
AGREEMENT = "at least 80 % of the samples behave alike"
LOGISTIC = "logistic model on agreement features, 5-fold"
ONE_QUESTION = "one question, then 90 % alike"
TWO_QUESTIONS = "two questions, then 90 % alike"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the simple rules say about one task: whether verified, and whether rightly."""

    rules: dict[str, bool | None]  # None: not verified; else whether the code is right
    features: dict[str, float]  # for the logistic rule, which needs the other tasks
    winner_right: bool


async def baselines(task: BankTask, sandbox: Sandbox) -> Verdicts:
    """The verdicts of all rules but the logistic one."""
    matrix = OutcomeMatrix(task.name, sandbox)
    rows = [matrix.add_code(code) for code in task.candidates]
    passed = await _fill(task, matrix)
    cells = matrix.labels[rows] if rows else np.zeros((0, 0), np.int64)
    correct = task.correct or {}

    def right(row: int | None) -> bool | None:
        return None if row is None else bool(correct.get(matrix.codes[row]))

    first = [row for row in rows[:1] if passed(row)]
    three = [row for row in rows[:3] if passed(row)]
    top, share, rival = _largest(cells)
    rules = {
        ONE_SUITE: right(first[0] if first else None),
        THREE_CANDIDATES: right(three[0] if three else None),
        AGREEMENT: right(rows[top] if rows and share >= ALIKE else None),
    }
    person = SimulatedPerson(task, sandbox)
    for count, name in ((1, ONE_QUESTION), (2, TWO_QUESTIONS)):
        chosen = await _asked(cells, matrix, person, count) if task.reference else None
        rules[name] = right(None if chosen is None else rows[chosen])
    features = {
        "share": math.log((share * len(rows) + 0.5) / ((1 - share) * len(rows) + 0.5)),
        "rival": rival,
        "behaviours": math.log(max(1, len({row.tobytes() for row in cells}))),
    }
    return Verdicts(rules, features, bool(right(rows[top])) if rows else False)


def logistic(verdicts: Sequence[Verdicts]) -> list[bool | None]:
    """The logistic rule: each task judged by a model fitted on the other folds."""
    results: list[bool | None] = []
    for number, one in enumerate(verdicts):
        others = [
            v for n, v in enumerate(verdicts) if n % LOGISTIC_FOLDS != number % LOGISTIC_FOLDS
        ]
        if len({v.winner_right for v in others}) < 2:
            results.append(None)
            continue
        model = fit(
            [v.features for v in others],
            [v.winner_right for v in others],
            names=("share", "rival", "behaviours"),
        )
        sure = model.probability(one.features) >= LOGISTIC_MARK
        results.append(one.winner_right if sure else None)
    return results


async def _fill(task: BankTask, matrix: OutcomeMatrix) -> Callable[[int], bool]:
    """Run everything; gives a test whether a row passes the first suite entirely."""
    first: list[tuple[int, Case]] = []
    unreadable = not task.suites or not task.suites[0]
    for number, suite in enumerate(task.suites):
        drafts: list[Draft] = []
        for line in suite:
            try:
                drafts += read_assert(line, task.name)
            except BadCase:
                unreadable = unreadable or number == 0
        for case in await settle(drafts, matrix.sandbox):
            if case is None:
                unreadable = unreadable or number == 0
                continue
            column = matrix.add_call(case.call)
            if number == 0:
                first.append((column, case))
    await matrix.fill()
    accepted = [(column, await matrix.accepted(case, column)) for column, case in first]

    def passed(row: int) -> bool:
        return not unreadable and all(int(matrix.labels[row, c]) in good for c, good in accepted)

    return passed


def _largest(cells: Cells) -> tuple[int, float, float]:
    """A member of the largest group of equal rows, its share, and the next one's."""
    counts = Counter(row.tobytes() for row in cells)
    if not counts:
        return 0, 0.0, 0.0
    (key, count), *others = counts.most_common()
    member = next(n for n, row in enumerate(cells) if row.tobytes() == key)
    return member, count / len(cells), others[0][1] / len(cells) if others else 0.0


async def _asked(
    cells: Cells, matrix: OutcomeMatrix, person: SimulatedPerson, count: int
) -> int | None:
    """Ask about the inputs that split the candidates most evenly, then want 90 % alike."""
    left: NDArray[np.int64] = np.arange(len(cells))
    for _ in range(count):
        column = _splitting(cells[left])
        if column is None:
            break
        common = [
            label for label, _ in Counter(map(int, cells[left, column])).most_common() if label >= 0
        ]
        shown = common[:2]
        results = [matrix.value(column, label) for label in shown]
        question = ReadingQuestion(matrix.calls[column], (results[0], results[-1]), (0.5, 0.5))
        chosen = await person(question)
        if not isinstance(chosen, int):  # neither: these rules know no other answer
            left = left[~np.isin(cells[left, column], shown)]
        else:
            left = left[cells[left, column] == shown[min(chosen, len(shown) - 1)]]
        if not len(left):
            return None
    top, share, _ = _largest(cells[left])
    return int(left[top]) if len(left) and share >= ALIKE_ANSWERED else None


def _splitting(cells: Cells) -> int | None:
    best: tuple[float, int] | None = None
    for column in range(cells.shape[1]):
        labels = [int(label) for label in cells[:, column]]
        counts = Counter(labels)
        if len([label for label in counts if label >= 0]) < 2:
            continue
        evenness = -sum(n / len(labels) * math.log(n / len(labels)) for n in counts.values())
        if best is None or evenness > best[0]:
            best = (evenness, column)
    return best[1] if best else None
