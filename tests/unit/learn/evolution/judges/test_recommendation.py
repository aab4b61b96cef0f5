"""Which track is recommended, at the numbers from which a signal speaks."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.learn.evolution.evolution_policy import SignalPolicy
from hammerstone.learn.evolution.judges.recommendation import recommend
from hammerstone.learn.evolution.judges.signals import FailureSignals
from hammerstone.learn.evolution.tracks.track import TrackName

POLICY = SignalPolicy()
BAD = FailureSignals(runs=100, average=0.4, failures=60, sureness=0.8, domain="dates")
ALL = list(TrackName)
PROMPT, SKILL, HARNESS, KNOWLEDGE, FINE_TUNING = ALL
TIRED = {"persisting": 0.41, "right_tool": 0.31, "one_domain": 0.51, "examples": 500}


@pytest.mark.parametrize(
    ("numbers", "tracks", "blocked"),
    [
        ({}, [], 0),
        ({"prompt_gap": 0.15}, [PROMPT], 0),
        ({"prompt_gap": 0.149}, [], 0),
        ({"skill_gap": 0.15}, [SKILL], 0),
        ({"skill_gap": 0.149}, [], 0),
        ({"harness_gap": 0.3}, [HARNESS], 0),
        ({"harness_gap": 0.29}, [], 0),
        ({"knowledge_gap": 0.41, "corpus": True}, [KNOWLEDGE], 0),
        ({"knowledge_gap": 0.40, "corpus": True}, [], 0),
        ({"knowledge_gap": 0.41}, [], 1),
        ({"prompt_gap": 0.5, "persisting": 0.40}, [PROMPT], 0),
        ({"prompt_gap": 0.5, "persisting": 0.41}, [], 1),
        (TIRED, [FINE_TUNING], 1),
        (TIRED | {"examples": 499}, [], 2),
        (TIRED | {"right_tool": 0.30}, [], 1),
        (TIRED | {"one_domain": 0.50}, [], 1),
        (TIRED | {"persisting": 0.40}, [], 0),
        ({"prompt_gap": 0.2, "skill_gap": 0.9, "harness_gap": 0.4, "knowledge_gap": 0.5,
          "corpus": True}, [PROMPT, SKILL, HARNESS, KNOWLEDGE], 0),
    ],
)  # fmt: skip
def test_a_signal_speaks_from_its_number_on(
    numbers: dict[str, Any], tracks: list[TrackName], blocked: int
) -> None:
    found = recommend(replace(BAD, **numbers), POLICY, ALL)
    assert (list(found.tracks), len(found.blocked)) == (tracks, blocked)
    for one in found.advice:
        assert one.why in found.rationale and str(one.track) in found.rationale
    assert found.next_steps


@pytest.mark.parametrize(
    ("tracks", "effort", "risk"),
    [
        ({"prompt_gap": 0.5}, "low", "low"),
        ({"knowledge_gap": 0.5, "corpus": True}, "middle", "low"),
        ({"skill_gap": 0.5, "harness_gap": 0.5}, "middle", "middle"),
        (TIRED, "high", "high"),
    ],
)
def test_effort_and_risk_are_those_of_the_hardest(
    tracks: dict[str, Any], effort: str, risk: str
) -> None:
    found = recommend(replace(BAD, **tracks), POLICY, ALL)
    assert (found.effort, found.risk) == (effort, risk)


def test_without_failures_there_is_nothing_to_learn() -> None:
    down = recommend(FailureSignals(runs=3, average=0.1, outages=3), POLICY, ALL)
    assert down.tracks == () and "3 runs failed because a model" in down.rationale
    assert down.next_steps == ("wait until it is back",)
    fine = recommend(FailureSignals(runs=3, average=0.8), POLICY, ALL)
    assert fine.next_steps == ("add cases that fail",)
    enough = recommend(replace(BAD, average=0.85, skill_gap=1.0), POLICY, ALL)
    assert (enough.tracks, enough.confidence) == ((), 1.0)
    assert recommend(replace(BAD, average=0.849, skill_gap=1.0), POLICY, ALL).tracks == (SKILL,)


def test_what_may_not_be_done_is_said() -> None:
    found = recommend(replace(BAD, skill_gap=0.6, prompt_gap=0.2), POLICY, [PROMPT])
    assert found.tracks == (PROMPT,)
    assert found.blocked == (
        "skill: it would address 60% of the failures, and it is not allowed here",
    )
    only = recommend(replace(BAD, skill_gap=0.6), POLICY, [PROMPT])
    assert only.tracks == () and only.next_steps[0].startswith("look at what is blocked: skill")
    assert "no track addresses 15% or more of 60 failures" in only.rationale


share = st.floats(0, 1)


@given(share, share, st.integers(1, 500), share)
def test_more_failures_of_one_kind_and_surer_causes_make_it_surer(
    gap: float, more: float, failures: int, sureness: float
) -> None:
    low, high = sorted((gap, more))
    base = replace(BAD, failures=failures, sureness=sureness)
    asked = [SKILL]
    first, second = (
        recommend(replace(base, skill_gap=each), POLICY, asked, asked) for each in (low, high)
    )
    assert 0 <= first.confidence <= second.confidence + 1e-9 <= sureness + 1e-3
    many = recommend(replace(base, skill_gap=high, failures=failures * 4), POLICY, asked, asked)
    assert many.confidence >= second.confidence - 1e-3
    shown = second.to_json()
    assert shown["tracks"] == [{"track": "skill", "share": high, "why": second.advice[0].why}]
