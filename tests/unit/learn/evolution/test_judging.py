"""Scores, causes, signals and recommendations from what is recorded alone."""

from dataclasses import replace
from typing import Any

import pytest

from hammerstone.learn.evolution.evolution_policy import PRESETS, JudgePolicy, SignalPolicy
from hammerstone.learn.evolution.judges.causes import FailureClass, RootCause
from hammerstone.learn.evolution.judges.classifying import class_of, classify
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.program_traits import read_program
from hammerstone.learn.evolution.judges.recommendation import recommend
from hammerstone.learn.evolution.judges.run_facts import CallFact, RunError, RunErrorKind, RunFacts
from hammerstone.learn.evolution.judges.scoring import (
    RunScore,
    ScoreSource,
    score_run,
    wants_model,
    with_model,
)
from hammerstone.learn.evolution.judges.signals import FailureSignals, JudgedRun, extract_signals
from hammerstone.learn.evolution.tracks.track import TrackName

JUDGES, SIGNALS = JudgePolicy(), SignalPolicy()
RUN = RunFacts("r", "What is 3 times 4?", given="12")
WRONG = RunScore(0.0, ScoreSource.KNOWN, "")
TIMES = "def times(a, b):\n    return a * b\n\nanswer = times(3, 5)"


def test_what_is_known_decides_before_anything_else():
    facts = replace(RUN, known=0.0, said_for=0.95, confidence=0.99)
    assert score_run(facts, JUDGES).score == 0.0
    said = replace(RUN, said_against=0.95, confidence=0.99)
    assert score_run(said, JUDGES).score == pytest.approx(0.05)
    assert score_run(replace(RUN, said_for=0.7), JUDGES).source is ScoreSource.SAID
    contradicting = replace(RUN, said_for=0.95, said_against=0.95, confidence=0.6)
    assert score_run(contradicting, JUDGES).source is ScoreSource.EVIDENCE


def test_evidence_moves_the_score_and_no_answer_is_none():
    low = score_run(replace(RUN, confidence=0.6), JUDGES)
    high = score_run(replace(RUN, confidence=0.6, confirmed=1), JUDGES)
    assert low.score == pytest.approx(0.6) and high.score > 0.85
    assert low.failed(JUDGES) and not high.failed(JUDGES)
    assert score_run(replace(RUN, given="", status="failed"), JUDGES).score == 0.0
    assert score_run(RUN, JUDGES).source is ScoreSource.NONE


def test_a_model_is_asked_last_and_counts_by_its_measured_reliability():
    open_ = score_run(replace(RUN, confidence=0.6), JUDGES)
    assert wants_model(open_, JUDGES)
    assert not wants_model(score_run(replace(RUN, known=0.5), JUDGES), JUDGES)
    assert not wants_model(score_run(replace(RUN, confidence=0.97), JUDGES), JUDGES)
    good = JudgeReliability(18, 2, 4, 16)
    assert with_model(open_, True, good, JUDGES).score > open_.score
    assert with_model(open_, False, good, JUDGES).score < open_.score
    for bad in (
        JudgeReliability(20, 0, 20, 0),  # praises everything
        JudgeReliability(0, 0, 0, 0, unread=20),  # nonsense
        replace(good, followed=1),  # does what the judged text says
        JudgeReliability(2, 0, 0, 2),  # too few
    ):
        assert with_model(open_, True, bad, JUDGES) == open_


@pytest.mark.parametrize("cause", [RootCause.ARITHMETIC, RootCause.DATES, RootCause.OUTSIDE_CALL])
def test_arithmetic_dates_and_outside_calls_are_always_a_skill(cause: RootCause):
    assert class_of(cause) is class_of(cause, both=True) is FailureClass.SKILL


def cause_of(**more: object) -> RootCause:
    return classify(replace(RUN, **more), WRONG).cause


def test_causes_by_the_record():
    reply = RunError(RunErrorKind.REPLY, "it sets no answer")
    assert cause_of(given="", errors=(RunError(RunErrorKind.MODEL),)) is RootCause.OUTAGE
    assert cause_of(errors=(RunError(RunErrorKind.LIMIT),)) is RootCause.HARNESS
    assert cause_of(errors=(RunError(RunErrorKind.SERVICE),)) is RootCause.OUTSIDE_CALL
    assert cause_of(errors=(reply,) * 3, solutions=4) is RootCause.INSTRUCTIONS
    assert cause_of(unsupported=True) is RootCause.MISSING_KNOWLEDGE
    assert cause_of(calls=(CallFact("mean", False, "raised"),)) is RootCause.BROKEN_TOOL
    assert cause_of(given="It is 12 apples", wanted="12 apples") is RootCause.INSTRUCTIONS
    used = (CallFact("mean", True),)
    assert cause_of(calls=used, right_tool=False) is RootCause.WRONG_TOOL
    assert cause_of(calls=used, right_tool=True) is RootCause.BROKEN_TOOL
    assert cause_of(calls=used, right_tool=True, assumed=("a",)) is RootCause.INSTRUCTIONS
    assert cause_of(programs=(TIMES,), solutions=1) is RootCause.ARITHMETIC
    assert cause_of(programs=(TIMES,), programs_again=False) is RootCause.HARNESS
    assert cause_of(given="", status="failed", programs=(TIMES,)) is RootCause.HARNESS
    dated = "from datetime import date\n\nanswer = date(2024, 1, 1)"
    assert cause_of(programs=(dated,)) is RootCause.DATES
    reaching = "import requests\n\nanswer = requests.get('x').text"
    assert cause_of(programs=(reaching,)) is RootCause.OUTSIDE_CALL
    stating = "def founder():\n    return 'Clovis'\n\nanswer = founder()"
    assert cause_of(programs=(stating,)) is RootCause.MISSING_KNOWLEDGE
    assert cause_of() is RootCause.MISSING_KNOWLEDGE  # by heart
    assert cause_of(given="", status="failed") is RootCause.UNKNOWN


def test_a_program_that_cannot_be_read_tells_nothing():
    assert not read_program("def (", "x").readable
    traits = read_program("answer = 'red' if 3 * 4 > 10 else 'blue'", "Which colour, red or blue?")
    assert traits.arithmetic and not traits.states_facts


def failed(kind: FailureClass, cause: RootCause, **more: object) -> JudgedRun:
    facts = replace(RUN, **more)
    return JudgedRun(facts, 0.0, replace(classify(facts, WRONG), kind=kind, cause=cause))


def test_signals_leave_outages_and_questions_out():
    runs = [
        JudgedRun(RUN, 1.0),
        failed(FailureClass.SKILL, RootCause.ARITHMETIC, round=3, domain="maths"),
        failed(FailureClass.OTHER, RootCause.MISSING_KNOWLEDGE, right_tool=True),
        failed(FailureClass.OTHER, RootCause.OUTAGE),
        JudgedRun(replace(RUN, status="question"), 0.0),
    ]
    found = extract_signals(runs, SIGNALS)
    assert (found.runs, found.failures, found.outages) == (4, 2, 1)
    assert found.average == pytest.approx(1 / 3)
    assert (found.persisting, found.right_tool, found.knowledge_gap) == (0.5, 0.5, 0.5)
    assert (found.skill_gap, found.one_domain, found.domain) == (0.5, 0.5, "maths")
    assert extract_signals([], SIGNALS).failures == 0


BAD = FailureSignals(runs=100, average=0.4, failures=60, sureness=0.8)


def test_the_cheapest_track_comes_first_and_nothing_is_done_at_a_good_average():
    both = replace(BAD, prompt_gap=0.5, skill_gap=0.5)
    found = recommend(both, SIGNALS, list(TrackName))
    assert found.tracks == (TrackName.PROMPT, TrackName.SKILL) and 0 < found.confidence < 0.5
    assert recommend(replace(both, average=0.85), SIGNALS, list(TrackName)).tracks == ()
    assert recommend(both, SIGNALS, [TrackName.SKILL]).tracks == (TrackName.SKILL,)
    few = recommend(replace(both, failures=3), SIGNALS, list(TrackName))
    assert few.confidence < found.confidence


def test_what_a_person_asks_for_is_among_them_in_its_place_and_not_at_a_good_average():
    skill, harness = replace(BAD, skill_gap=0.9), (TrackName.HARNESS,)
    found = recommend(skill, SIGNALS, list(TrackName), harness)
    assert found.tracks == (TrackName.SKILL, TrackName.HARNESS)
    assert "you asked for it, and 0% of the failures speak for it" in found.rationale
    assert recommend(skill, SIGNALS, harness, harness).tracks == harness
    good = replace(skill, average=0.9)
    assert recommend(good, SIGNALS, list(TrackName), harness).tracks == ()


def test_documents_are_recommended_only_where_there_are_some():
    gap = replace(BAD, knowledge_gap=0.6)
    assert recommend(gap, SIGNALS, list(TrackName)).tracks == ()
    assert "name a folder" in recommend(gap, SIGNALS, list(TrackName)).blocked[0]
    with_corpus = recommend(replace(gap, corpus=True), SIGNALS, list(TrackName))
    assert with_corpus.tracks == (TrackName.KNOWLEDGE,)


def test_fine_tuning_needs_every_signal_and_500_examples_and_both_gaps_mean_both():
    stuck = replace(BAD, persisting=0.5, right_tool=0.4, one_domain=0.6, prompt_gap=0.5)
    blocked = recommend(stuck, SIGNALS, list(TrackName))
    assert blocked.tracks == () and "0 good examples, 500 are needed" in " ".join(blocked.blocked)
    ready = replace(stuck, examples=500, knowledge_gap=0.5, corpus=True)
    found = recommend(ready, SIGNALS, list(TrackName))
    assert found.tracks == (TrackName.KNOWLEDGE, TrackName.FINE_TUNING)
    assert (found.effort, found.risk) == ("high", "high")
    assert recommend(replace(ready, one_domain=0.5), SIGNALS, list(TrackName)).tracks == (
        TrackName.KNOWLEDGE,
    )


def test_every_preset_sets_numbers_that_there_are():
    from hammerstone.learn.evolution.evolution_policy import EVOLUTION_POLICIES

    fields = {kind.name: set(kind.__dataclass_fields__) for kind in EVOLUTION_POLICIES}
    for parts in PRESETS.values():
        assert all(set(values) <= fields[name] for name, values in parts.items())


@pytest.mark.parametrize(
    ("changes", "tool", "prompt"),
    [
        ({}, "", ""),
        ({"tool": "mean"}, "mean", ""),
        ({"tool": "mean", "calls": (CallFact("total", False),)}, "mean", ""),
        ({"calls": (CallFact("mean", True), CallFact("total", False))}, "total", ""),
        ({"calls": (CallFact("mean", True),)}, "", ""),
        ({"solutions": 2}, "", "solve"),
        ({"programs": (TIMES,)}, "", "solve"),
    ],
)
def test_a_finding_names_the_tool_and_the_prompt_that_it_is_about(
    changes: dict[str, Any], tool: str, prompt: str
):
    found = classify(replace(RUN, **changes), WRONG)
    assert (found.tool, found.prompt) == (tool, prompt)
