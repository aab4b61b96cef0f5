"""Confidence sequences: intervals for an effect that hold at every look, however many there are.

Units come one after the other, each drawn into one of two arms with a known chance. Each gives
one number whose mean is the effect (`effect_scores`), whatever else changes over time. Somebody
bets against each effect, with a mixture of stakes around the one that is best after so many units
(`sharpest_at`), and an effect is ruled out when a fortune was made. For shares this is exact for
any sample (Waudby-Smith and Ramdas, 2023); for other metrics the bets are those on a random walk
with their variance, right from some dozens of units on (Waudby-Smith and others, 2024).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_LARGEST_BET = 0.5  # share of what may be lost at most in one bet
_OCTAVES = np.arange(-3.0, 3.5, 0.5)  # by which stakes are smaller or larger than the best one
_BELIEFS = np.exp(-(_OCTAVES**2) / 2)  # how much is bet with each stake
_LOG_BELIEFS = np.log(_BELIEFS / _BELIEFS.sum())
_HALVINGS = 14  # of the effects between -1 and 1, until a border is known to about 0.0001


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


def share_interval(scores: Numbers, share: float, alpha: float, sharpest_at: int) -> EffectInterval:
    """The interval for a difference between shares; holds for every sample size."""
    if not len(scores):
        return UNKNOWN
    return EffectInterval(
        float(np.clip(scores.mean(), -1.0, 1.0)),
        _least_share(scores, share, alpha, sharpest_at),
        -_least_share(-scores, share, alpha, sharpest_at),
        float(share_p(scores, share, alpha, sharpest_at)[-1]),
    )


def share_p(scores: Numbers, share: float, alpha: float, sharpest_at: int) -> Numbers:
    """After each unit, the p-value against no difference; valid whenever one stops."""
    stakes = _stakes(alpha, sharpest_at)
    capital = [_share_capital(way * scores, share, stakes, 0.0) for way in (1, -1)]
    largest = np.maximum.accumulate(np.maximum(*capital))
    return np.minimum(1.0, 2.0 * np.exp(-np.maximum(largest, 0.0)))


def _least_share(scores: Numbers, share: float, alpha: float, sharpest_at: int) -> float:
    """The largest effect that is ruled out as too small; what is smaller is ruled out, too."""
    stakes, enough = _stakes(alpha, sharpest_at), math.log(2 / alpha)
    out, kept = -1.0, 1.0
    for _ in range(_HALVINGS):
        middle = (out + kept) / 2
        if _share_capital(scores, share, stakes, middle).max() >= enough:
            out = middle
        else:
            kept = middle
    return out


def _share_capital(scores: Numbers, share: float, stakes: Numbers, effect: float) -> Numbers:
    """The logarithm of what bets on more than this effect have made, after each unit.

    How much is bet on a unit follows from the variance of those before it.
    """
    bound = 1 / min(share, 1 - share)
    scaled, middle = (scores + bound) / (2 * bound), (effect + bound) / (2 * bound)
    order = np.arange(1, len(scaled) + 1)
    means = (0.5 + np.cumsum(scaled)) / (order + 1)
    spread = (0.25 + np.cumsum((scaled - means) ** 2)) / (order + 1)
    before = np.sqrt(np.concatenate([[0.25], spread[:-1]]))
    bets = np.minimum(stakes / before[:, None], _LARGEST_BET / middle)
    return _mixed(np.cumsum(np.log1p(bets * (scaled - middle)[:, None]), axis=0))


def mean_interval(scores: Numbers, alpha: float, sharpest_at: int) -> EffectInterval:
    """The interval for a difference between means."""
    if len(scores) < 2:
        return UNKNOWN
    count, effect, spread = len(scores), float(scores.mean()), float(scores.std())
    if spread == 0.0:
        return UNKNOWN
    stakes, enough = _stakes(alpha, sharpest_at), math.log(2 / alpha)
    inside, outside = 0.0, math.sqrt(count)
    while _walk_capital(np.array([outside]), np.array([count]), stakes)[0] < enough:
        inside, outside = outside, 2 * outside
    for _ in range(4 * _HALVINGS):
        middle = (inside + outside) / 2
        if _walk_capital(np.array([middle]), np.array([count]), stakes)[0] < enough:
            inside = middle
        else:
            outside = middle
    half = outside * spread / count
    p = float(mean_p(scores, alpha, sharpest_at)[-1])
    return EffectInterval(effect, effect - half, effect + half, p)


def mean_p(scores: Numbers, alpha: float, sharpest_at: int) -> Numbers:
    """After each unit, the p-value against no difference; valid whenever one stops."""
    order = np.arange(1, len(scores) + 1)
    totals = np.cumsum(scores)
    spread = np.sqrt(np.maximum(np.cumsum(scores**2) / order - (totals / order) ** 2, 0.0))
    walked = np.divide(np.abs(totals), spread, out=np.zeros_like(totals), where=spread > 0)
    capital = _walk_capital(walked, order, _stakes(alpha, sharpest_at))
    return np.minimum(1.0, 2.0 * np.exp(-np.maximum(capital, 0.0)))


def _walk_capital(walked: Numbers, counts: NDArray[Any], stakes: Numbers) -> Numbers:
    """The logarithm of what bets have made on a random walk that came so far in so many steps."""
    return _mixed(stakes * walked[:, None] - stakes**2 * counts[:, None] / 2)


def _stakes(alpha: float, sharpest_at: int) -> Numbers:
    """What is bet, in standard deviations of a score: the best after so many units, and others."""
    return math.sqrt(2 * math.log(2 / alpha) / max(1, sharpest_at)) * np.exp2(_OCTAVES)


def _mixed(capitals: Numbers) -> Numbers:
    """The logarithm of the mean of capitals whose logarithms these are, by the beliefs in them."""
    weighed = capitals + _LOG_BELIEFS
    largest = weighed.max(axis=1)
    return largest + np.log(np.exp(weighed - largest[:, None]).sum(axis=1))
