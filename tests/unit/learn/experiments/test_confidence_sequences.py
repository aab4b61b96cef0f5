"""Intervals that hold at every look: seldom wrong without an effect, and they find a real one."""

from itertools import product

import numpy as np
import pytest

from hammerstone.learn.experiments.confidence_sequences import (
    UNKNOWN,
    _share_capital,
    _stakes,
    effect_scores,
    mean_interval,
    mean_p,
    share_interval,
    share_p,
)

DAYS, A_DAY = 28, 40


def drawn(rng: np.random.Generator, gain: float) -> tuple[np.ndarray, np.ndarray]:
    treated = rng.random(DAYS * A_DAY) < 0.5
    rate = np.where(treated, 0.6 + gain, 0.6)
    return (rng.random(DAYS * A_DAY) < rate).astype(float), treated


def test_looking_every_day_is_seldom_fooled_where_there_is_nothing() -> None:
    rng = np.random.default_rng(7)
    shares = means = 0
    for _ in range(200):
        values, treated = drawn(rng, 0.0)
        scores = effect_scores(values, treated, 0.5)
        shares += bool((share_p(scores, 0.5, 0.05, 500)[A_DAY - 1 :: A_DAY] <= 0.05).any())
        costs = effect_scores(rng.lognormal(0, 1, len(values)), treated, 0.5)
        means += bool((mean_p(costs, 0.05, 500)[2 * A_DAY - 1 :: A_DAY] <= 0.05).any())
    assert shares <= 10 and means <= 10  # 5 % of 200


@pytest.mark.parametrize("values", ["00000000", "11111111", "01101001", "00011111", "2.1.0.2."])
def test_without_an_effect_the_bets_are_fair_to_the_last_digit(values: str) -> None:
    """Over all ways to draw the variants, capital stays what it was: that is why it may be looked
    at whenever one likes."""
    known = np.array([min(1.0, float(one.replace(".", "0.5"))) / 2 for one in values])
    stakes = _stakes(0.05, 20)
    for way in (1, -1):
        ends = [
            np.exp(_share_capital(way * effect_scores(known, drawn, 0.5), 0.5, stakes, 0.0))
            for drawn in map(np.array, product([True, False], repeat=len(known)))
        ]
        assert np.mean(ends, axis=0) == pytest.approx(1.0)


def test_a_real_difference_is_found_and_lies_in_the_interval() -> None:
    rng = np.random.default_rng(8)
    for gain in (0.25, -0.25):
        values, treated = drawn(rng, gain)
        scores = effect_scores(values, treated, 0.5)
        for found in (share_interval(scores, 0.5, 0.05, 500), mean_interval(scores, 0.05, 500)):
            assert found.low < gain < found.high and found.p < 0.01
            assert (found.low > 0) == (gain > 0) and (found.high < 0) == (gain < 0)


def test_the_interval_and_the_p_value_say_the_same() -> None:
    rng = np.random.default_rng(9)
    for gain in (0.0, 0.03, 0.06, 0.09, 0.12, 0.15):
        values, treated = drawn(rng, gain)
        scores = effect_scores(values, treated, 0.5)
        share = share_interval(scores, 0.5, 0.05, 500)
        if share.low > 0 or share.high < 0:  # borders are rounded outwards
            assert share.p <= 0.05
        mean = mean_interval(scores, 0.05, 500)
        assert (mean.p <= 0.05) == (mean.low > 0 or mean.high < 0)


def test_a_drift_that_both_arms_share_is_no_effect() -> None:
    rng = np.random.default_rng(10)
    treated = rng.random(1000) < 0.5
    rising = (rng.random(1000) < np.linspace(0.1, 0.9, 1000)).astype(float)
    found = share_interval(effect_scores(rising, treated, 0.5), 0.5, 0.05, 500)
    assert found.low < 0 < found.high


def test_the_scores_are_fair_also_where_one_arm_is_drawn_more_often() -> None:
    rng = np.random.default_rng(11)
    treated = rng.random(20_000) < 0.2
    values = (rng.random(20_000) < np.where(treated, 0.7, 0.5)).astype(float)
    assert effect_scores(values, treated, 0.2).mean() == pytest.approx(0.2, abs=0.03)


def test_nothing_is_known_of_nothing() -> None:
    none = np.array([])
    assert share_interval(none, 0.5, 0.05, 500) == mean_interval(none, 0.05, 500) == UNKNOWN
    same = np.zeros(50)
    assert mean_interval(same, 0.05, 500) == UNKNOWN
    one = share_interval(np.array([2.0]), 0.5, 0.05, 500)
    assert (one.low, one.high) == (-1.0, 1.0)
