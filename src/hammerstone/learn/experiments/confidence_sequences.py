"""Confidence sequences: intervals for an effect that hold at every look, however many there are.

Units come one after the other, each drawn into one of two arms with a known chance. Each gives
one number whose mean is the effect (`effect_scores`), whatever else changes over time. Shares
are bet on (exact for any sample; Waudby-Smith and Ramdas, 2023); other metrics get a normal
mixture (right from some dozens of units on; Waudby-Smith and others, 2024).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_LARGEST_BET = 0.5  # share of what may be lost at most in one bet
_AT_ONCE = 2000  # units whose bets on the whole grid are worked out together
_STEPS = 400  # of the grid between -1 and 1


@dataclass(frozen=True, slots=True)
class EffectInterval:
    """What is known of an effect. `p` bounds the chance of ever seeing as much without any."""

    effect: float
    low: float
    high: float
    p: float


UNKNOWN = EffectInterval(0.0, -math.inf, math.inf, 1.0)


def effect_scores(values: Numbers, treated: NDArray[np.bool_], share: float) -> Numbers:
    """One number a unit, whose mean is the difference between the arms.

    What the arms came to before is taken off first, which makes the numbers steadier and, being
    known before the unit came, leaves their mean as it is.
    """
    scores = np.empty_like(values)
    pooled = _means_before(values, np.ones_like(treated))
    with_it = _means_before(values, treated, pooled)
    without = _means_before(values, ~treated, pooled)
    base = with_it - without
    scores[treated] = (base + (values - with_it) / share)[treated]
    scores[~treated] = (base - (values - without) / (1 - share))[~treated]
    return scores


def _means_before(
    values: Numbers, chosen: NDArray[np.bool_], otherwise: Numbers | None = None
) -> Numbers:
    """For each unit, the mean of the chosen ones that came before it."""
    totals = np.cumsum(np.where(chosen, values, 0.0)) - np.where(chosen, values, 0.0)
    counts = np.cumsum(chosen) - chosen
    start = np.zeros_like(values) if otherwise is None else otherwise
    return np.where(counts > 0, totals / np.maximum(counts, 1), start)


def share_interval(scores: Numbers, share: float, alpha: float) -> EffectInterval:
    """The interval for a difference between shares, by betting; holds for every sample size."""
    if not len(scores):
        return UNKNOWN
    grid = np.linspace(-1.0, 1.0, _STEPS + 1)
    capital = np.zeros((2, len(grid)))
    for begin in range(0, len(scores), _AT_ONCE):
        stakes = _stakes(scores, share, alpha)[begin : begin + _AT_ONCE]
        part = _log_capital(scores[begin : begin + _AT_ONCE], stakes, grid, share)
        capital += part.sum(axis=1)
    kept = grid[np.max(capital, axis=0) < math.log(2 / alpha)]
    effect = float(np.clip(scores.mean(), -1.0, 1.0))
    step = 2.0 / _STEPS  # the true border lies within one step beyond the last that is kept
    low, high = (kept[0] - step, kept[-1] + step) if len(kept) else (effect, effect)
    return EffectInterval(
        effect,
        max(-1.0, float(low)),
        min(1.0, float(high)),
        float(share_p(scores, share, alpha)[-1]),
    )


def share_p(scores: Numbers, share: float, alpha: float) -> Numbers:
    """After each unit, the p-value against no difference; valid whenever one stops."""
    bets = _log_capital(scores, _stakes(scores, share, alpha), np.zeros(1), share)[:, :, 0]
    largest = np.max(np.cumsum(bets, axis=1), axis=0)
    return np.minimum(1.0, 2.0 * np.exp(-np.maximum(largest, 0.0)))


def _stakes(scores: Numbers, share: float, alpha: float) -> Numbers:
    """How much is bet on each unit, from the variance of those before it."""
    bound = 1 / min(share, 1 - share)
    scaled = (scores + bound) / (2 * bound)
    order = np.arange(1, len(scaled) + 1)
    means = (0.5 + np.cumsum(scaled)) / (order + 1)
    spread = (0.25 + np.cumsum((scaled - means) ** 2)) / (order + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    return np.sqrt(2 * math.log(2 / alpha) / (before * order * np.log(order + 1)))


def _log_capital(scores: Numbers, stakes: Numbers, effects: Numbers, share: float) -> Numbers:
    """What bets up and down add to the logarithm of the capital: (2, units, effects)."""
    bound = 1 / min(share, 1 - share)
    scaled = ((scores + bound) / (2 * bound))[:, None]
    middle = ((effects + bound) / (2 * bound))[None, :]
    up = np.minimum(stakes[:, None], _LARGEST_BET / middle)
    down = np.minimum(stakes[:, None], _LARGEST_BET / (1 - middle))
    return np.stack([np.log1p(up * (scaled - middle)), np.log1p(-down * (scaled - middle))])


def mean_interval(scores: Numbers, alpha: float, sharpest_at: int) -> EffectInterval:
    """The interval for a difference between means, narrowest at so many units."""
    if len(scores) < 2:
        return UNKNOWN
    count, effect, spread = len(scores), float(scores.mean()), float(scores.std())
    if spread == 0.0:
        return UNKNOWN
    weight = _weight(alpha, sharpest_at)
    grown = count * weight + 1
    half = spread * math.sqrt(
        2 * grown / (count * count * weight) * math.log(math.sqrt(grown) / alpha)
    )
    p = float(mean_p(scores, alpha, sharpest_at)[-1])
    return EffectInterval(effect, effect - half, effect + half, p)


def mean_p(scores: Numbers, alpha: float, sharpest_at: int) -> Numbers:
    """After each unit, the p-value against no difference; valid whenever one stops."""
    order = np.arange(1, len(scores) + 1)
    means = np.cumsum(scores) / order
    spread = np.maximum(np.cumsum(scores**2) / order - means**2, 0.0)
    weight = _weight(alpha, sharpest_at)
    grown = order * weight + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        gained = np.where(
            spread > 0, order**2 * means**2 * weight / (2 * spread * grown), 0.0
        ) - 0.5 * np.log(grown)
    return np.minimum(1.0, np.exp(-np.maximum(gained, 0.0)))


def _weight(alpha: float, sharpest_at: int) -> float:
    """The mixture's variance that makes the interval narrowest after so many units."""
    needed = -2 * math.log(alpha)
    return (needed + math.log(needed + 1)) / max(1, sharpest_at)
