"""The first judge: how good a run was, from 0 to 1. Evidence first, a model's word last.

What is known decides: a suite's grade, then what people said and did. Without either, the
calibrated chance that came with the answer is the start, and independent confirmations and a
model judge move it, each as far as its measured reliability allows (log-odds are added).
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.run_facts import RunFacts

_NEVER, _ALWAYS = 0.01, 0.99


class ScoreSource(StrEnum):
    """What a score rests on, the most reliable first."""

    KNOWN = "known answer"
    SAID = "feedback"
    NO_ANSWER = "no answer"
    EVIDENCE = "agreement and proof"
    MODEL = "model judge"
    NONE = "nothing is known"


@dataclass(frozen=True, slots=True)
class RunScore:
    """`score` is the chance that the run was right, or a suite's own grade."""

    score: float
    source: ScoreSource
    why: str

    def failed(self, policy: JudgePolicy) -> bool:
        return self.score < policy.failed_below


def score_run(facts: RunFacts, policy: JudgePolicy) -> RunScore:
    """The score by what is recorded alone."""
    if facts.known is not None:
        return RunScore(facts.known, ScoreSource.KNOWN, _known_words(facts.known))
    if facts.said_for != facts.said_against:
        return _said(facts)
    if not facts.answered and not facts.asked_back:
        return RunScore(0.0, ScoreSource.NO_ANSWER, "there was no answer")
    return _from_evidence(facts, policy)


def _known_words(known: float) -> str:
    if known >= 1:
        return "the answer is the known one"
    return "the answer is not the known one" if known <= 0 else f"the grade is {known:.2f}"


def _said(facts: RunFacts) -> RunScore:
    if facts.said_for > facts.said_against:
        return RunScore(facts.said_for, ScoreSource.SAID, "what was said and done speaks for it")
    return RunScore(
        1 - facts.said_against, ScoreSource.SAID, "what was said and done speaks against it"
    )


def _from_evidence(facts: RunFacts, policy: JudgePolicy) -> RunScore:
    start = facts.confidence if facts.confidence is not None else policy.unknown
    moved = logit(start) + (facts.confirmed - facts.contradicted) * logit(policy.confirmed)
    told: list[str] = []
    if facts.confidence is not None:
        told.append(f"the answer came with {facts.confidence:.0%}")
    if facts.solutions:
        told.append(f"{facts.agree} of {facts.solutions} programs agree")
    if facts.confirmed:
        told.append(f"confirmed independently {facts.confirmed} times")
    if facts.contradicted:
        told.append(f"contradicted {facts.contradicted} times")
    source = ScoreSource.EVIDENCE if told else ScoreSource.NONE
    return RunScore(chance(moved), source, ", ".join(told) or "nothing is known about it")


def wants_model(score: RunScore, policy: JudgePolicy) -> bool:
    """Whether a model is asked: only where the evidence leaves it open."""
    open_ = score.source in (ScoreSource.EVIDENCE, ScoreSource.NONE)
    return policy.use_model and open_ and policy.ask_above < score.score < policy.ask_below


def with_model(
    score: RunScore, says_right: bool, reliability: JudgeReliability, policy: JudgePolicy
) -> RunScore:
    """The score with a model judge's word, as far as that was measured to mean something."""
    if not reliability.counts(policy):
        return score
    moved = chance(logit(score.score) + reliability.weight(says_right))
    word = "right" if says_right else "wrong"
    why = f"{score.why}; a model calls it {word} ({reliability.words})"
    return RunScore(moved, ScoreSource.MODEL, why)


def logit(share: float) -> float:
    bounded = min(_ALWAYS, max(_NEVER, share))
    return math.log(bounded / (1 - bounded))


def chance(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
