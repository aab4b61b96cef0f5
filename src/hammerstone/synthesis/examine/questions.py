"""The one question to a person that settles most.

An answer says which behaviours are out. The best input therefore separates the leading
behaviour from as much of the other belief as possible; among equals, one that a test author
thought of, on which every candidate returns something, and that is short enough to read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.synthesis.examine.belief import Belief
from hammerstone.synthesis.examine.matrix import Matrix
from hammerstone.synthesis.examine.verdict import Question

SEEN = 0.7  # of the belief that the leader is wrong: that a behaviour already seen is right
SHORT = 200  # characters of a call or a result that a person reads without effort


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and where it stands in the matrix."""

    question: Question
    column: int
    labels: tuple[int, int]


def best_question(
    belief: Belief, confidence: float, matrix: Matrix, written: Sequence[int]
) -> Asked | None:
    """The input worth asking about, or None when no two behaviours differ.

    `written` are the columns of calls that somebody wrote, as opposed to made-up inputs.
    """
    if len(belief.ranking) < 2:
        return None
    beliefs = shares(belief, confidence)
    best: tuple[tuple[float, ...], Asked] | None = None
    for column in range(len(matrix.calls)):
        sides: dict[int, list[float]] = {}
        for weighed, share in zip(belief.ranking, beliefs, strict=True):
            sides.setdefault(int(weighed.group.labels[column]), []).append(share)
        leading = int(belief.ranking[0].group.labels[column])
        values = [label for label in sides if label >= 0]
        if leading < 0 or len(values) < 2:
            continue
        other = max((label for label in values if label != leading), key=lambda n: sum(sides[n]))
        asked = _asked(matrix, column, (leading, other), (sum(sides[leading]), sum(sides[other])))
        gained = max(sides[leading]) + max(sides[other])
        merit = (
            round(gained, 3),
            round(-sum(sides[leading]), 3),
            float(column in written),
            -_length(asked),
        )
        if best is None or merit > best[0]:
            best = (merit, asked)
    return best[1] if best else None


def shares(belief: Belief, confidence: float) -> list[float]:
    """The belief in each behaviour: the leader's is calibrated, the rest share what is left."""
    rest = sum(weighed.weight for weighed in belief.ranking[1:]) or 1.0
    left = (1 - confidence) * SEEN / rest
    return [confidence, *(left * weighed.weight for weighed in belief.ranking[1:])]


def _asked(
    matrix: Matrix, column: int, labels: tuple[int, int], belief: tuple[float, float]
) -> Asked:
    first, second = labels
    results = (matrix.value(column, first), matrix.value(column, second))
    return Asked(Question(matrix.calls[column], results, belief), column, labels)


def _length(asked: Asked) -> float:
    """Nothing to choose between short inputs, and the longer the worse beyond that."""
    text = len(asked.question.call.source or "") + sum(len(repr(r)) for r in asked.question.results)
    return float(max(SHORT, text))
