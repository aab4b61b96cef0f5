"""Statistics against values that are known from elsewhere."""

import numpy as np
import pytest

from hammerstone.evaluation.board.numbers.statistics import (
    attainable,
    bootstrap_mean,
    holm,
    mcnemar,
    paired_difference,
    tarone_holm,
    wilson,
)


def test_wilson_as_in_the_textbooks():
    interval = wilson(8, 10)  # R: prop.test(8, 10, correct=FALSE)
    assert (interval.low, interval.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0, 10).low == 0.0
    assert wilson(0, 0) == wilson(0, 0).__class__(0.0, 1.0)


def test_mcnemar_is_the_exact_binomial_test():
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 5) == 1.0
    assert mcnemar(1, 9) == pytest.approx(0.021484375)  # R: binom.test(1, 10)
    assert mcnemar(9, 1) == mcnemar(1, 9)
    assert mcnemar(0, 6) == pytest.approx(0.03125)


def test_holm_multiplies_the_smallest_most_and_never_turns_the_order_round():
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])


def test_what_hardly_differs_does_not_make_a_difference_harder_to_show():
    assert [attainable(count) for count in (0, 1, 6)] == [1.0, 1.0, 0.03125]
    lost, still = mcnemar(10, 0), [1.0] * 40
    everywhere = [attainable(10), *[attainable(0)] * 40]
    assert holm([lost, *still])[0] > 0.05  # beside forty numbers in which nothing changed
    assert tarone_holm([lost, *still], everywhere, 0.05)[0] == pytest.approx(lost)
    # As many tests that could be significant are corrected for as there are.
    assert tarone_holm([0.004] * 10, [0.001] * 10, 0.05) == pytest.approx([0.04] * 10)
    # A test that cannot be significant beside the others is not, whatever its own p.
    assert min(tarone_holm([0.04, 0.04], [0.04, 0.04], 0.05)) > 0.05
    assert tarone_holm([], [], 0.05) == []


def test_bootstrap_agrees_with_the_normal_interval_where_that_holds():
    values = np.random.default_rng(1).normal(10, 2, 400)
    interval = bootstrap_mean(values.tolist())
    half = 1.96 * values.std(ddof=1) / 20
    assert interval.low == pytest.approx(values.mean() - half, abs=0.05)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.05)


def test_a_paired_difference_of_nothing_is_nothing_for_sure():
    same = paired_difference([1.0, 2.0], [1.0, 2.0])
    assert (same.mean, same.low, same.high, same.p) == (0.0, 0.0, 0.0, 1.0)


def test_a_paired_difference_has_the_exact_p_of_flipped_signs():
    first, second = [0.0] * 6, [1.0] * 6
    found = paired_difference(first, second)
    assert found.mean == 1.0
    assert found.p == pytest.approx(2 / 2**6)


def test_chance_alone_is_called_a_difference_one_time_in_twenty():
    random = np.random.default_rng(7)
    small = 0
    for _ in range(200):
        first = random.normal(0, 1, 30)
        second = random.normal(0, 1, 30)
        small += paired_difference(first.tolist(), second.tolist()).p < 0.05
    assert 2 <= small <= 20  # 10 expected
