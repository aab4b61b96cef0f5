"""Earned trust: where it begins, what moves it, and that one person cannot move it far."""

import math

import pytest

from hammerstone.core.feedback import UseVerdict
from hammerstone.core.trust import UseSigns, earned_trust, sign_worth

GOOD, WRONG = UseVerdict.GOOD, UseVerdict.WRONG


def signs(*told: tuple[str, UseVerdict, float]) -> list[UseSigns]:
    return [UseSigns(user, verdict, "said", 1, worth) for user, verdict, worth in told]


def test_without_use_it_is_what_the_proof_said() -> None:
    trust = earned_trust(0.97, [], prior_uses=20, person_uses=5)
    assert (trust.chance, trust.uses, trust.people) == (0.97, 0, 0)
    assert trust.low < 0.97 < trust.high <= 1


def test_use_moves_it_both_ways_and_narrows_the_interval() -> None:
    begun = earned_trust(0.96, [], prior_uses=20, person_uses=math.inf)
    better = earned_trust(0.96, signs(*[("", GOOD, 1.0)] * 40), prior_uses=20, person_uses=math.inf)
    worse = earned_trust(0.96, signs(("ada", WRONG, 1.0)), prior_uses=20, person_uses=math.inf)
    assert worse.chance == pytest.approx(19.2 / 21, abs=1e-4)
    assert worse.chance < begun.chance < better.chance
    assert better.high - better.low < begun.high - begun.low


def test_one_persons_word_is_bounded_and_failures_of_calls_are_not() -> None:
    many = signs(*[("ada", WRONG, 1.0)] * 50)
    trust = earned_trust(0.98, many, prior_uses=20, person_uses=5)
    assert (trust.wrong, trust.uses, trust.people) == (5.0, 50, 1)
    failed = earned_trust(0.98, signs(*[("", WRONG, 1.0)] * 50), prior_uses=20, person_uses=5)
    assert (failed.wrong, failed.people) == (50.0, 0)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [(1.0, 1.0, 0.05, 0.95), (2.0, 3.0, 0.0976, 0.7514), (19.0, 1.0, 0.8541, 0.9973)],
)
def test_the_interval_is_that_of_a_beta_distribution(
    a: float, b: float, low: float, high: float
) -> None:
    told = signs(("", GOOD, a - 1), ("", WRONG, b - 1))  # beside a proof that is worth two uses
    trust = earned_trust(0.5, told, prior_uses=2, person_uses=5)
    assert (trust.low, trust.high) == pytest.approx((low, high), abs=2e-4)


def test_a_proof_that_was_not_sure_gives_way_to_a_few_uses() -> None:
    begun = earned_trust(0.4, [], prior_uses=20, person_uses=5)
    assert (begun.chance, begun.prior_uses) == (0.4, pytest.approx(2 / 0.6))
    agreed = signs(*[("", GOOD, 0.8)] * 3)
    assert earned_trust(0.4, agreed, prior_uses=20, person_uses=5).chance > 0.65
    back = [*agreed, *signs(("", WRONG, 0.9), ("", WRONG, 0.9))]
    assert earned_trust(0.4, back, prior_uses=20, person_uses=5).chance < 0.5
    assert earned_trust(0.9, [], prior_uses=20, person_uses=5).prior_uses == pytest.approx(20)
    assert earned_trust(0.99, [], prior_uses=20, person_uses=5).prior_uses == 20
    assert earned_trust(1.0, [], prior_uses=20, person_uses=5).prior_uses == 20


def test_a_sign_weighs_what_it_is_believed() -> None:
    assert [sign_worth(one) for one in (-1.0, 0.0, 0.5, 0.95, 1.0, 2.0)] == [
        *(0.0, 0.0, 0.5, 0.95, 1.0, 1.0)
    ]  # fmt: skip
