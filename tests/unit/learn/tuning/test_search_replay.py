"""Logged decisions of search with other numbers: with the same ones, the same order."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.decisions import SearchDecision, ToolCandidate
from hammerstone.learn.tuning.knob import TuningCase
from hammerstone.learn.tuning.search_knobs import RightTool, SearchTable, by_order

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WEIGHTS = {
    "meaning_weight": 1.0, "words_weight": 0.7, "relevance_share": 0.7, "success_share": 0.2,
    "frequency_share": 0.1,
}  # fmt: skip


def candidate(name: str, relevance: float, **more: float | None) -> ToolCandidate:
    given = {"cosine": 0.5, "words": 0.4, "learned": 0.0, "unfilled": 0.0} | more
    return ToolCandidate(name=name, relevance=relevance, **given)  # type: ignore[arg-type]


def decision(*candidates: ToolCandidate, chosen: str = "") -> SearchDecision:
    made = SearchDecision("r", "r", "s", "ada", NOW, "", chosen, "low", 0.0)
    return replace(made, candidates=candidates, weights=WEIGHTS)


def table(*decisions: SearchDecision, right: str = "a") -> SearchTable:
    return SearchTable.of([TuningCase("", "", NOW, RightTool(one, right)) for one in decisions])


def score(one: ToolCandidate) -> float:
    """What search made of it."""
    return 0.7 * one.relevance + 0.2 * (one.success or 0.0) + 0.1 * (one.frequency or 0.0)


share = st.floats(0, 1)
candidates = st.lists(
    st.builds(
        ToolCandidate,
        name=st.sampled_from("abcde"),
        relevance=st.floats(-0.5, 1.5),
        cosine=share,
        words=share,
        learned=st.floats(-0.3, 0.3),
        unfilled=st.floats(0, 0.9),
        success=st.none() | share,
        frequency=st.none() | share,
    ),
    min_size=1,
    max_size=6,
)


@given(st.lists(candidates, min_size=1, max_size=4))
def test_with_the_same_numbers_every_score_is_what_it_was(drawn: list[list[ToolCandidate]]) -> None:
    found = table(*(decision(*each) for each in drawn)).order(WEIGHTS)
    for row, each in zip(found, drawn, strict=True):
        assert row[: len(each)] == pytest.approx([score(one) for one in each])
        assert np.isneginf(row[len(each) :]).all()


@given(candidates)
def test_whether_the_order_made_the_decision(drawn: list[ToolCandidate]) -> None:
    scores = [score(one) for one in drawn]
    best = max(scores)
    clear = [one for one, s in zip(drawn, scores, strict=True) if s > best - 1e-6]
    if len(clear) > 1:
        return  # which of equals comes first is nobody's matter
    assert by_order(decision(*drawn, chosen=clear[0].name))
    assert not by_order(decision(*drawn, chosen="another"))


def test_without_candidates_or_numbers_nothing_was_ordered() -> None:
    assert not by_order(decision(chosen="a"))
    assert not by_order(replace(decision(candidate("a", 1.0), chosen="a"), weights={}))
    assert table().right_first(WEIGHTS).tolist() == []
    assert table(decision(), decision()).right_first(WEIGHTS).tolist() == [0.0, 0.0]


def test_other_numbers_put_another_tool_first() -> None:
    by_meaning = candidate("a", 0.60, words=0.1)
    by_words = candidate("b", 0.55, words=0.9)
    both = table(decision(by_meaning, by_words))
    assert both.right_first(WEIGHTS).tolist() == [1.0]
    assert both.right_first(WEIGHTS | {"words_weight": 3.0}).tolist() == [0.0]


def test_use_counts_by_its_share() -> None:
    fresh = candidate("b", 0.60, success=0.5, frequency=0.0)
    used = candidate("a", 0.55, success=0.9, frequency=0.5)
    both = table(decision(fresh, used))
    assert both.right_first(WEIGHTS).tolist() == [1.0]
    alone = WEIGHTS | {"success_share": 0.0, "frequency_share": 0.0}
    assert both.right_first(alone).tolist() == [0.0]


def test_what_past_requests_added_stays_whatever_the_numbers_are() -> None:
    taught = candidate("a", 0.5, learned=0.34)
    plain = candidate("b", 0.5)
    both = table(decision(plain, taught))
    low, high = (both.order(WEIGHTS | {"meaning_weight": w})[0] for w in (0.01, 100.0))
    assert low[1] > low[0] and high[1] - high[0] < low[1] - low[0]
