"""What each reply is worth, and how much more or less likely it is to be made.

A reply is held against the other replies to the same request, so nothing is learned where all
are alike: all right (nothing to gain) or all wrong (nothing to copy).
"""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from training.solutions import Judged, crude

_GENERAL, _FORM = 0.2, 0.1  # of a right reply's worth
_SHARED_ERROR = 0.25  # what a wrong value loses when all give it
_NO_VALUE = 0.1
_LEAST_SPREAD = 0.25  # smaller differences of worth are not blown up
_MOST = 4  # replies of one request


def worths(judged: Sequence[Judged]) -> list[float]:
    """What each reply to one request is worth, in the order of the replies."""
    wrong = Counter(crude(one.value) for one in judged if not one.right)
    return [_worth(one, wrong[crude(one.value)] / len(judged)) for one in judged]


def _worth(one: Judged, alike: float) -> float:
    """A right reply is worth most if it is general and in form; a wrong one less the more give
    its value, since what counts in the end is a vote."""
    if one.score is not None:
        return one.score
    if one.right:
        return 1.0 - _GENERAL * (not one.general) - _FORM * (not one.well_formed)
    return -_NO_VALUE if one.value is None else -_SHARED_ERROR * alike


def weight_of_request(judged: Sequence[Judged]) -> float:
    """Less where the vote is won already."""
    right = sum(one.right for one in judged) / len(judged)
    return 1.0 if right <= 0.5 else 0.7 if right <= 0.75 else 0.4


@dataclass(frozen=True, slots=True)
class Lesson:
    """A reply and how much its probability is to rise (positive) or fall."""

    text: str
    weight: float


def lessons(texts: Sequence[str], judged: Sequence[Judged]) -> list[Lesson]:
    """What is learned from the replies to one request; equal texts count together."""
    worth = worths(judged)
    mean = statistics.fmean(worth)
    spread = max(statistics.pstdev(worth), _LEAST_SPREAD)
    if max(worth) - min(worth) < 0.05:
        return []
    weight = weight_of_request(judged)
    summed: dict[str, float] = {}
    for text, one in zip(texts, worth, strict=True):
        summed[text] = summed.get(text, 0.0) + weight * (one - mean) / spread
    found = [Lesson(text, value) for text, value in summed.items() if abs(value) > 0.05]
    return balanced(found, _MOST)


def balanced(found: Sequence[Lesson], most: int) -> list[Lesson]:
    """At most `most`, the strongest of both signs; what stays carries the weight of what goes."""
    kept: list[Lesson] = []
    up = sorted((one for one in found if one.weight > 0), key=lambda one: -one.weight)
    down = sorted((one for one in found if one.weight < 0), key=lambda one: one.weight)
    half = most // 2
    for side, other in ((up, down), (down, up)):
        part = side[: max(half, most - len(other))]
        whole, left = sum(one.weight for one in side), sum(one.weight for one in part)
        kept += [Lesson(one.text, one.weight * whole / left) for one in part]
    return kept


def judged_from_json(row: dict[str, Any]) -> list[Judged]:
    """What `training.filter --judge` wrote for one request."""
    return [Judged(**one) for one in row["judged"]]
