"""Scores and calibration error from verdicts."""

import pytest

from hammerstone.evaluation.bank.evaluate import ScoredTask
from hammerstone.evaluation.bank.report import rule_scores, summary
from hammerstone.synthesis.examine.verdict import BehaviourStanding


def scored(confidence: float, right: bool) -> ScoredTask:
    standing = BehaviourStanding.VERIFIED if confidence >= 0.9 else BehaviourStanding.EXPERIMENTAL
    return ScoredTask("t", standing, confidence, right, 4, 2, 1, 0.5, 0.8, "")


def test_the_keys_that_programs_read() -> None:
    numbers = summary([scored(0.95, True), scored(0.95, False), scored(0.25, False)])
    assert (numbers["tasks"], numbers["verified"], numbers["verified_correct"]) == (3, 2, 1)
    assert numbers["precision"] == 0.5
    assert numbers["coverage"] == pytest.approx(2 / 3)
    assert numbers["ece"] == pytest.approx(2 / 3 * 0.45 + 1 / 3 * 0.25)
    assert (numbers["mean_candidates"], numbers["questions_asked"]) == (4.0, 3)


def test_nothing_verified_has_no_precision() -> None:
    assert summary([scored(0.1, False)])["precision"] is None
    scores = rule_scores({"rule": [None, True, False]})
    assert scores["rule"] == {"coverage": pytest.approx(2 / 3), "precision": 0.5}
