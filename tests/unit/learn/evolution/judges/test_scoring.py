"""Scores of runs: what is known decides, evidence moves, a judge's word counts as measured."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.judges.scoring import (
    RunScore,
    ScoreSource,
    chance,
    logit,
    score_run,
    wants_model,
    with_model,
)

POLICY = JudgePolicy(ask_above=0.15, ask_below=0.9, confirmed=0.85, unknown=0.5)
RUN = RunFacts("r", "What is 3 times 4?", given="12")
KNOWN, SAID, NO_ANSWER, EVIDENCE, MODEL, NONE = ScoreSource


@pytest.mark.parametrize(
    ("known", "score", "source", "why"),
    [
        ({"known": 1.0}, 1.0, KNOWN, "the answer is the known one"),
        ({"known": 0.0}, 0.0, KNOWN, "the answer is not the known one"),
        ({"known": 0.25, "said_for": 1.0}, 0.25, KNOWN, "the grade is 0.25"),
        ({"said_for": 0.9, "said_against": 0.2}, 0.9, SAID, "speaks for it"),
        ({"said_for": 0.2, "said_against": 0.9}, 0.1, SAID, "speaks against it"),
        ({"given": ""}, 0.0, NO_ANSWER, "there was no answer"),
        ({"status": "failed"}, 0.0, NO_ANSWER, "there was no answer"),
        ({"status": "question", "given": ""}, 0.5, NONE, "nothing is known about it"),
        ({}, 0.5, NONE, "nothing is known about it"),
        ({"confidence": 0.8}, 0.8, EVIDENCE, "the answer came with 80%"),
        ({"confidence": 1.0}, 0.99, EVIDENCE, "the answer came with 100%"),
        ({"confidence": 0.0}, 0.01, EVIDENCE, "the answer came with 0%"),
        ({"solutions": 8, "agree": 5}, 0.5, EVIDENCE, "5 of 8 programs agree"),
        ({"confirmed": 1}, 0.85, EVIDENCE, "confirmed independently 1 times"),
        ({"contradicted": 1}, 0.15, EVIDENCE, "contradicted 1 times"),
        ({"confirmed": 2, "contradicted": 2, "confidence": 0.6}, 0.6, EVIDENCE,
         "the answer came with 60%, confirmed independently 2 times, contradicted 2 times"),
    ],
)  # fmt: skip
def test_what_a_score_rests_on(
    known: dict[str, Any], score: float, source: ScoreSource, why: str
) -> None:
    found = score_run(replace(RUN, **known), POLICY)
    assert (found.score, found.source) == (pytest.approx(score), source)
    assert why in found.why


@pytest.mark.parametrize(
    ("score", "source", "asked"),
    [
        (0.5, EVIDENCE, True),
        (0.5, NONE, True),
        (0.15, NONE, False),
        (0.16, NONE, True),
        (0.9, NONE, False),
        (0.89, NONE, True),
        (0.5, KNOWN, False),
        (0.5, SAID, False),
        (0.5, NO_ANSWER, False),
        (0.5, MODEL, False),
    ],
)
def test_a_model_is_asked_only_where_the_evidence_leaves_it_open(
    score: float, source: ScoreSource, asked: bool
) -> None:
    found = RunScore(score, source, "")
    assert wants_model(found, POLICY) is asked
    assert not wants_model(found, replace(POLICY, use_model=False))


def test_a_score_fails_below_its_mark() -> None:
    mark = POLICY.failed_below
    assert RunScore(mark - 0.01, NONE, "").failed(POLICY)
    assert not RunScore(mark, NONE, "").failed(POLICY)


words = st.lists(st.tuples(st.sampled_from([True, False, None]), st.booleans()), max_size=60)


@given(words, st.floats(0.02, 0.98), st.booleans())
def test_a_judges_word_moves_the_score_its_way_and_only_where_it_counts(
    said: list[tuple[bool | None, bool]], start: float, says_right: bool
) -> None:
    reliability = JudgeReliability.of(said)
    assert reliability.cases == len(said)
    assert JudgeReliability.from_json(reliability.to_json()) == reliability
    before = RunScore(start, EVIDENCE, "before")
    after = with_model(before, says_right, reliability, POLICY)
    if not reliability.counts(POLICY):
        assert after == before
        return
    assert after.source is MODEL and after.why.startswith("before; a model calls it")
    assert (after.score > start) if says_right else (after.score < start)
    right = [(each, true) for each, true in said if each is not None and each == true]
    assert reliability.share == len(right) / len(said)


@given(st.floats(0.01, 0.99))
def test_odds_and_chances_are_each_others_inverse(share: float) -> None:
    assert chance(logit(share)) == pytest.approx(share)
    assert logit(0.0) == logit(0.01) and logit(1.0) == logit(0.99)


@pytest.mark.parametrize(
    ("reliability", "counts"),
    [
        (JudgeReliability(4, 0, 0, 4), True),
        (JudgeReliability(3, 0, 0, 4), False),  # too few right ones
        (JudgeReliability(4, 0, 0, 3), False),
        (JudgeReliability(4, 0, 0, 4, unread=2), True),
        (JudgeReliability(4, 0, 0, 4, unread=3), False),  # more than a quarter
        (JudgeReliability(4, 0, 0, 4, followed=1), False),
        (JudgeReliability(20, 0, 20, 0), False),
        (JudgeReliability(0, 20, 0, 20), False),
        (JudgeReliability(0, 20, 20, 0), False),
    ],
)
def test_when_a_judge_counts(reliability: JudgeReliability, counts: bool) -> None:
    assert reliability.counts(JudgePolicy(control_cases=8, least_skill=0.1)) is counts


def test_a_reliability_in_words() -> None:
    assert JudgeReliability().words == "its reliability was not measured"
    told = JudgeReliability(6, 2, 1, 1).words
    assert told == "its word was right in 70% of 10 answers of known truth"
