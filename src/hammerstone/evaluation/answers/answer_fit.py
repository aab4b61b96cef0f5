"""Learns what evidence weighs in a vote and how sure a tally is, from requests with known answers.

Reproducible: no chance is involved, and the requests are parted by their texts. Weights maximise
the likelihood of the right group, which is taken to be as likely as a power of its votes;
sureness is a ridge-penalised logistic model for each number of solutions.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.solutions import Solution
from hammerstone.run.solve.calibration import (
    EVIDENCE_NAMES,
    PLAIN_VOTES,
    SIZES,
    AnswerCalibration,
    VoteWeights,
    fold_of,
    request_key,
)
from hammerstone.run.solve.sureness import features_of
from hammerstone.run.solve.votes import Tally, tally
from hammerstone.synthesis.examine.belief.confidence import Calibration, fit

FOLDS = 10
_RIDGE = 0.5
_STEPS = 200


@dataclass(frozen=True, slots=True)
class KnownRequest:
    """A request with its solutions in sampling order, and what says whether a value is right."""

    request: str
    solutions: tuple[Solution, ...]
    is_right: Callable[[Json], bool]


@dataclass(frozen=True, slots=True)
class _RequestTallies:
    """A request's tallies for each number of solutions, with every vote equal."""

    key: str
    tallies: dict[int, list[Tally]]
    is_right: Callable[[Json], bool]

    @staticmethod
    def of(one: KnownRequest) -> "_RequestTallies":
        tallies = {
            size: [
                tally([one.solutions[at] for at in positions], one.request, PLAIN_VOTES)
                for positions in draws(len(one.solutions), size)
            ]
            for size in SIZES
        }
        return _RequestTallies(request_key(one.request), tallies, one.is_right)


def fit_answers(known: Sequence[KnownRequest], source: str) -> JsonObject:
    """The calibration of all requests, and of all but each part, as `calibration.json` holds it."""
    counted = [_RequestTallies.of(one) for one in known]
    whole = _fitted(counted, source)
    folds = [
        _fitted([one for one in counted if fold_of(one.key, FOLDS) != fold], source)
        for fold in range(FOLDS)
    ]
    return {
        **whole.to_json(),
        "folds": [fold.to_json() for fold in folds],
        "fitted": [*sorted({one.key for one in counted})],
    }


def _fitted(counted: Sequence[_RequestTallies], source: str) -> AnswerCalibration:
    weights = _weights(counted)
    sizes = tuple((size, _sureness(counted, size, weights)) for size in SIZES)
    return AnswerCalibration(weights, sizes, source)


def draws(count: int, size: int) -> Iterable[list[int]]:
    """Positions of samples as a run of `size` solutions would see them: the greedy one first."""
    if size >= count:
        yield list(range(count))
    elif size == 1:
        yield [0]
    else:
        warm = list(range(1, count))
        for start in range(0, len(warm), 2):
            yield [0, *((warm + warm)[start : start + size - 1])]


def _sureness(counted: Sequence[_RequestTallies], size: int, weights: VoteWeights) -> Calibration:
    observed: list[dict[str, float]] = []
    right: list[bool] = []
    shares: list[float] = []
    for one in counted:
        for count in one.tallies[size]:
            if count.leader is not None:
                led = count.weighed(weights)
                observed.append(features_of(led))
                right.append(one.is_right(led.value))
                shares.append(1 / len(one.tallies[size]))
    names = tuple(observed[0])
    if size == 1:
        names = tuple(name for name in names if name not in _CONSTANT_OF_ONE)
    return fit(observed, right, names=names, penalty=_RIDGE, weights=shares)


_CONSTANT_OF_ONE = ("share", "odds", "unanimous", "lead", "failed", "greedy", "copied")


def _weights(counted: Sequence[_RequestTallies]) -> VoteWeights:
    """The weights that make the right groups likeliest, where some group is right."""
    problems = [
        _Problem.of(count, [one.is_right(group.value) for group in count.groups])
        for one in counted
        for count in one.tallies[max(SIZES)]
        if len(count.groups) > 1
    ]
    problems = [problem for problem in problems if problem.right.any()]
    if not problems:
        return PLAIN_VOTES
    scale = np.concatenate([problem.table for problem in problems]).std(axis=0)
    scale[scale < 1e-9] = 1.0
    start = np.zeros(len(EVIDENCE_NAMES) + 1)
    start[-1] = 1.0
    best = _minimum(lambda point: _loss(point, problems, scale), start)
    return VoteWeights(EVIDENCE_NAMES, tuple(float(value) for value in best[:-1] / scale))


@dataclass(frozen=True, slots=True)
class _Problem:
    """The evidence of one request's solutions, which group each is in, and the right groups."""

    table: NDArray[np.float64]
    groups: NDArray[np.float64]  # one row a group, 1 for its members
    right: NDArray[np.float64]

    @staticmethod
    def of(count: Tally, right: Sequence[bool]) -> "_Problem":
        rows = [
            [getattr(evidence, name) for name in EVIDENCE_NAMES]
            for group in count.groups
            for evidence in group.evidence
        ]
        owners = [number for number, group in enumerate(count.groups) for _ in group.members]
        member = np.zeros((len(count.groups), len(rows)))
        member[owners, range(len(rows))] = 1.0
        return _Problem(np.array(rows, float), member, np.array(right, float))


def _loss(
    point: NDArray[np.float64],
    problems: Sequence[_Problem],
    scale: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64]]:
    """The negative log-likelihood with its gradient; the last number is the power of the votes."""
    weights, power = point[:-1], point[-1]
    total = float(_RIDGE * weights @ weights / 2)
    gradient = np.append(_RIDGE * weights, 0.0)
    for problem in problems:
        table = problem.table / scale
        vote = np.exp(np.clip(table @ weights, -20, 20))
        votes = problem.groups @ vote
        log = power * np.log(votes)
        chance = np.exp(log - log.max())
        chance /= chance.sum()
        correct = float(chance @ problem.right)
        pull = chance * problem.right / max(correct, 1e-12) - chance
        slope = (problem.groups @ (vote[:, None] * table)) / votes[:, None]
        total -= float(np.log(max(correct, 1e-12)))
        gradient[:-1] -= power * (pull @ slope)
        gradient[-1] -= pull @ np.log(votes)
    return total, gradient


def _minimum(
    loss: Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]],
    point: NDArray[np.float64],
) -> NDArray[np.float64]:
    """A minimum by quasi-Newton steps (BFGS) with halving."""
    inverse = np.eye(len(point)) * 0.01
    value, gradient = loss(point)
    for _ in range(_STEPS):
        direction = -inverse @ gradient
        length = 1.0
        while True:
            next_value, next_gradient = loss(point + length * direction)
            if next_value <= value + 1e-4 * length * (gradient @ direction) or length < 1e-6:
                break
            length /= 2
        step, change = length * direction, next_gradient - gradient
        done = abs(value - next_value) < 1e-7
        point, value, gradient = point + step, next_value, next_gradient
        curve = float(change @ step)
        if done:
            break
        if curve > 1e-12:
            left = np.eye(len(point)) - np.outer(step, change) / curve
            inverse = left @ inverse @ left.T + np.outer(step, step) / curve
    return point
