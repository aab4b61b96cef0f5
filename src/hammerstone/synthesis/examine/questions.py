"""The one question to a person that settles most.

An answer says which behaviours are out. The best input is one where the leading behaviour is
most likely wrong: rivals that are still believed count most, then candidates that are already
out, then the test authors (measured: where all other candidates differ from a wrong leader it
is wrong in 71 % of the cases, where none does in 7 %; authors move it from 14 to 37 %). Inputs on
which candidates raise are probably not valid, and a person cannot say what is right there.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from hammerstone.synthesis.examine.belief.belief import Belief, ExaminationEvidence
from hammerstone.synthesis.examine.matrix import OutcomeMatrix
from hammerstone.synthesis.examine.verdict import ReadingQuestion

SEEN = 0.7  # of the belief that the leader is wrong: that a behaviour already seen is right
BY_CANDIDATES, BY_AUTHORS = 0.7, 0.3  # how the rest of it is spread over other results
MADE_UP = 0.9  # worth of an input that nobody wrote
SHORT = 200  # characters of a call that a person reads without effort
AGAINST_EXAMPLE = 2  # candidates that must agree before an example is called into question


@dataclass(frozen=True, slots=True)
class PosedQuestion:
    """A question, where it stands in the matrix, and what the two results mean."""

    question: ReadingQuestion
    column: int
    labels: tuple[int, int]
    example: bool = False  # the first result is an example that no candidate meets


def best_question(
    belief: Belief,
    confidence: float,
    evidence: ExaminationEvidence,
    matrix: OutcomeMatrix,
    written: Collection[int],
) -> PosedQuestion | None:
    """The input worth asking about, or None when everything known points one way.

    `written` are the columns of calls that somebody wrote, as opposed to made-up inputs.
    """
    if not belief.ranking:
        return _about_an_example(belief, evidence, matrix)
    decided = {claim.column for claim in evidence.truth}
    leader = belief.ranking[0].group.labels
    alive = _alive(evidence)
    best: tuple[tuple[float, float], PosedQuestion] | None = None
    for column in range(len(matrix.calls)):
        leading = int(leader[column])
        if leading < 0 or column in decided:
            continue
        doubts = _doubts(column, belief, confidence, evidence, alive)
        if not doubts:
            continue
        other = max(doubts, key=lambda label: doubts[label])
        valid = float((evidence.cells[alive, column] >= 0).mean())
        worth = (sum(doubts.values()) + doubts[other]) * valid**2
        worth *= 1.0 if column in written else MADE_UP
        merit = (round(worth, 4), -float(max(SHORT, len(matrix.calls[column].source or ""))))
        if best is None or merit > best[0]:
            asked = _asked(matrix, column, (leading, other), (confidence, doubts[other]))
            best = (merit, asked)
    return best[1] if best else None


def shares(belief: Belief, confidence: float) -> list[float]:
    """The belief in each behaviour: the leader's is calibrated, the rest share what is left."""
    rest = sum(weighed.weight for weighed in belief.ranking[1:]) or 1.0
    left = (1 - confidence) * SEEN / rest
    return [confidence, *(left * weighed.weight for weighed in belief.ranking[1:])]


def _alive(evidence: ExaminationEvidence) -> list[int]:
    return [int(row) for row in np.flatnonzero((evidence.cells >= 0).any(axis=1))]


def _doubts(
    column: int,
    belief: Belief,
    confidence: float,
    evidence: ExaminationEvidence,
    alive: list[int],
) -> Mapping[int, float]:
    """Results other than the leader's in a column, and how much speaks for each."""
    leading = int(belief.ranking[0].group.labels[column])
    spread = (1 - confidence) * (1 - SEEN)
    doubts: dict[int, float] = {}

    def add(label: int, weight: float) -> None:
        if label >= 0 and label != leading:
            doubts[label] = doubts.get(label, 0.0) + weight

    for row in alive:
        add(int(evidence.cells[row, column]), BY_CANDIDATES * spread / len(alive))
    claims = [claim for claim in evidence.claims if claim.column == column]
    for claim in claims:
        for label in claim.accepted:
            add(label, BY_AUTHORS * spread / (len(claims) * len(claim.accepted)))
    beliefs = shares(belief, confidence)
    for weighed, share in zip(belief.ranking[1:], beliefs[1:], strict=True):
        add(int(weighed.group.labels[column]), share)
    return doubts


def _about_an_example(
    belief: Belief, evidence: ExaminationEvidence, matrix: OutcomeMatrix
) -> PosedQuestion | None:
    """An example that no candidate meets, against what most of them return instead."""
    alive = _alive(evidence)
    best: tuple[int, PosedQuestion] | None = None
    for claim in belief.unmet:
        counts: dict[int, int] = {}
        for row in alive:
            label = int(evidence.cells[row, claim.column])
            if label >= 0:
                counts[label] = counts.get(label, 0) + 1
        values = [label for label in claim.accepted if label >= 0]
        if claim.denied or not counts or len(values) != 1:
            continue
        other = max(counts, key=lambda label: counts[label])
        if counts[other] >= AGAINST_EXAMPLE and (best is None or counts[other] > best[0]):
            share = counts[other] / len(alive)
            asked = _asked(matrix, claim.column, (values[0], other), (1 - share, share), True)
            best = (counts[other], asked)
    return best[1] if best else None


def _asked(
    matrix: OutcomeMatrix,
    column: int,
    labels: tuple[int, int],
    belief: tuple[float, float],
    example: bool = False,
) -> PosedQuestion:
    first, second = labels
    results = (matrix.value(column, first), matrix.value(column, second))
    return PosedQuestion(
        ReadingQuestion(matrix.calls[column], results, belief), column, labels, example
    )
