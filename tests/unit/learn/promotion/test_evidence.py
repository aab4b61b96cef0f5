"""When a difference is more than chance."""

import random
from functools import cache

import pytest

from hammerstone.learn.promotion.evidence import (
    EvidenceFinding,
    ProposalEvidence,
    ScorePair,
    anytime_p,
    compare,
    sign_test,
)


def pairs(wins: int, losses: int, ties: int = 0) -> list[ScorePair]:
    made = [ScorePair(f"w{n}", 0, 1) for n in range(wins)]
    made += [ScorePair(f"l{n}", 1, 0) for n in range(losses)]
    return made + [ScorePair(f"t{n}", 1, 1) for n in range(ties)]


@pytest.mark.parametrize(
    ("wins", "losses", "finding"),
    [
        (0, 0, EvidenceFinding.NO_OP),
        (3, 0, EvidenceFinding.NOISE),
        (5, 0, EvidenceFinding.BETTER),
        (8, 1, EvidenceFinding.BETTER),
        (6, 4, EvidenceFinding.NOISE),
        (0, 6, EvidenceFinding.WORSE),
    ],
)
def test_wins_against_losses(wins: int, losses: int, finding: EvidenceFinding):
    assert compare(pairs(wins, losses, 20), 0.05).finding is finding


def test_the_sign_test_is_exact():
    assert sign_test(5, 0) == 1 / 32
    assert sign_test(0, 3) == 1.0
    assert sign_test(2, 1) == 0.5


def test_many_small_wins_do_not_outweigh_one_great_loss():
    made = [ScorePair(f"{n}", 0.50, 0.51) for n in range(10)] + [ScorePair("x", 1.0, 0.0)]
    assert compare(made, 0.05).finding is EvidenceFinding.NOISE


def test_looking_again_and_again_rarely_finds_what_is_not_there():
    rng = random.Random(7)
    fooled = {"once": 0, "always": 0}
    once, always = cache(sign_test), cache(anytime_p)  # the same counts come again and again
    for _ in range(300):
        wins = losses = 0
        hit = {"once": False, "always": False}
        for _ in range(200):
            if rng.random() < 0.5:
                wins += 1
            else:
                losses += 1
            hit["once"] |= once(wins, losses) <= 0.05
            hit["always"] |= always(wins, losses) <= 0.05
        for name, found in hit.items():
            fooled[name] += found
    assert fooled["once"] > 60  # the plain test, used wrongly, is fooled often
    assert fooled["always"] <= 15 + 7  # five per cent of 300, and some luck


def test_looking_again_and_again_still_finds_what_is_there():
    assert anytime_p(48, 12) < 0.001
    assert anytime_p(12, 48) == 1.0
    assert anytime_p(100_000, 10) == 0.0  # years of evidence, and no overflow


def test_evidence_survives_being_stored():
    evidence = ProposalEvidence(
        held_out=tuple(pairs(2, 1)), confidence=0.9, saved_calls=2.0, changed=({"call": "f(1)"},)
    )
    assert ProposalEvidence.from_json(evidence.to_json()) == evidence
