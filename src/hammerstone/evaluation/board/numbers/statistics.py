"""Intervals and paired tests, in plain numpy; each is checked against known values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 4_000
SEED = 22
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def wilson(passed: int, count: int) -> Interval:
    """The 95 % interval of a share (Wilson's score)."""
    if not count:
        return Interval(0.0, 1.0)
    share, square = passed / count, Z95**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    spread = share * (1 - share) / count + square / (4 * count**2)
    half = Z95 * math.sqrt(spread) / (1 + square / count)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def bootstrap_mean(values: Sequence[float]) -> Interval:
    """The 95 % interval of a mean, by drawing the values again with replacement."""
    means = _means(np.asarray(values, float))
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(low), float(high))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of cases that passed in one run and failed in the other."""
    count = only_first + only_second
    if not count:
        return 1.0
    fewer = min(only_first, only_second)
    tail = sum(math.comb(count, k) for k in range(fewer + 1)) / 2**count
    return min(1.0, 2 * tail)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of second minus first over pairs, its 95 % interval, and a two-sided p."""

    mean: float
    low: float
    high: float
    p: float


def paired_difference(first: Sequence[float], second: Sequence[float]) -> PairedDifference:
    """Paired bootstrap; p from flipping the signs of the differences.

    Where both runs gave the same everywhere, the difference is nothing for sure.
    """
    differences = np.asarray(second, float) - np.asarray(first, float)
    if not len(differences) or not np.any(differences):
        return PairedDifference(0.0, 0.0, 0.0, 1.0)
    mean = float(differences.mean())
    means = _means(differences)
    low, high = np.quantile(means, [0.025, 0.975])
    return PairedDifference(mean, float(low), float(high), _sign_flip_p(differences))


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of samples drawn with replacement, in chunks that fit into memory."""
    random = np.random.default_rng(SEED)
    count = len(values)
    rows = max(1, min(DRAWS, 4_000_000 // max(1, count)))
    means: list[NDArray[np.float64]] = []
    drawn = 0
    while drawn < DRAWS:
        size = min(rows, DRAWS - drawn)
        means.append(values[random.integers(0, count, (size, count))].mean(axis=1))
        drawn += size
    return np.concatenate(means)


_EXACT_UP_TO = 12  # nonzero pairs whose 2**n signs are all tried


def _sign_flip_p(differences: NDArray[np.float64]) -> float:
    """How often a mean as large comes from chance, when either run could be the better."""
    moved = differences[differences != 0]
    seen = abs(moved.sum()) * (1 - 1e-9)
    if len(moved) <= _EXACT_UP_TO:
        codes = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))
        sums = ((codes & 1) * 2 - 1) @ moved
        return float((np.abs(sums) >= seen).mean())
    random = np.random.default_rng(SEED)
    hits = done = 0
    size = max(1, min(DRAWS, 4_000_000 // len(moved)))
    while done < DRAWS:
        signs = random.integers(0, 2, (size, len(moved))) * 2 - 1
        hits += int((np.abs(signs @ moved) >= seen).sum())
        done += size
    return (hits + 1) / (done + 1)


def attainable(differing: int) -> float:
    """The smallest p that so many differing pairs can give, when all differ in one direction."""
    return min(1.0, 2.0 ** (1 - differing))


def tarone_holm(p_values: Sequence[float], least: Sequence[float], alpha: float) -> list[float]:
    """The p values, corrected for how many of them could be below `alpha` at all.

    `least` is the smallest p that each test can give. A test whose pairs hardly differ can never
    be called a difference, so it does not make the others harder to show (Tarone, 1990).
    """
    count = 1
    while sum(one <= alpha / count for one in least) > count:
        count += 1
    testable = [at for at, one in enumerate(least) if one <= alpha / count]
    corrected = dict(zip(testable, holm([p_values[at] for at in testable]), strict=True))
    return [corrected.get(at, min(1.0, count * p)) for at, p in enumerate(p_values)]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values, corrected for how many there are (Holm's step-down)."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = highest
    return corrected
