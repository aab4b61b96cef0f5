"""Knobs: logged decisions replayed with other numbers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from hammerstone.core.decisions import LabelQuestion, SearchDecision, ToolCandidate
from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.tuning.answer_knob import RecordedVote, SolutionKnob
from hammerstone.learn.tuning.band_knobs import BandKnob, ThresholdKnob, fit_cases
from hammerstone.learn.tuning.cache_knob import CacheKnob, repeated_calls
from hammerstone.learn.tuning.knob import TuningCase
from hammerstone.learn.tuning.search_knobs import FusionKnob, RerankingKnob, of_share, order_cases
from hammerstone.library.policies import FitPolicy, Policies, SearchPolicy
from hammerstone.library.search.ranking import weights_in_force
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.storage import Database, Execution

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def policies() -> Policies:
    return Policies(cast(Database, None), (TuningPolicy, AnswerPolicy))


def candidate(name: str, meaning: float, words: float, **more: float) -> ToolCandidate:
    relevance = (1.0 * meaning + 0.7 * words) / 1.7
    return ToolCandidate(name, relevance, meaning, words, success=0.8, frequency=0.1, **more)


def label(
    *candidates: ToolCandidate, tool: str, right: bool, probability: float = 0.9
) -> DecisionLabel:
    weights = weights_in_force(policies())
    first = max(candidates, key=lambda one: 0.7 * one.relevance + 0.1 * (one.frequency or 0))
    decision = SearchDecision(
        "d-0", "d", "s", "ada", NOW, "words", first.name, "high", probability, candidates, weights
    )
    return DecisionLabel(decision, LabelQuestion.TOOL, right, 0.9, (), tool)


async def none(until: datetime) -> list[Any]:
    return []


MEANT = candidate("meant", 0.8, 0.2)
SAID = candidate("said", 0.5, 0.7)


def test_other_weights_put_another_tool_first() -> None:
    cases = order_cases([label(MEANT, SAID, tool="meant", right=False)])
    knob = FusionKnob(policies(), none)
    assert cases[0].weight == pytest.approx(0.8)
    assert knob.scores(knob.present(), cases).tolist() == [0.0]
    assert knob.scores(of_share(0.9), cases).tolist() == [1.0]
    assert knob.sound({"meaning_weight": 0.0, "words_weight": 0.0}) is None
    assert knob.sound({"meaning_weight": 3.0, "words_weight": 1.0}) == of_share(0.75)


def test_the_weights_in_force_give_the_order_that_was_logged() -> None:
    half = replace(MEANT, unfilled=0.1, learned=0.2)
    half = replace(half, relevance=((0.8 + 0.14) * 0.9 + 0.2) / 1.7)
    cases = order_cases([label(half, SAID, tool="meant", right=True)])
    knob = FusionKnob(policies(), none)
    assert knob.scores(knob.present(), cases).tolist() == [1.0]


def test_a_decision_that_the_order_did_not_make_is_no_case() -> None:
    known = label(MEANT, SAID, tool="meant", right=True)
    led = replace(known, decision=replace(known.decision, chosen="meant"))
    assert order_cases([led]) == []  # the same words led to it before
    assert order_cases([label(MEANT, SAID, tool="another", right=False)]) == []


def test_use_counts_by_its_shares() -> None:
    used = replace(MEANT, frequency=0.9)
    cases = order_cases([label(used, SAID, tool="said", right=False)])
    knob = RerankingKnob(policies(), none)
    shares = {"relevance_share": 1.0, "success_share": 0.0, "frequency_share": 0.0}
    assert knob.scores(knob.present(), cases).tolist() == [0.0]
    assert knob.scores(shares, cases).tolist() == [1.0]
    assert knob.present()["relevance_share"] == SearchPolicy().relevance_share


def test_bands_are_worth_what_follows_from_them() -> None:
    fits = fit_cases([label(MEANT, SAID, tool="said", right=True, probability=0.7)])
    wrong = fit_cases([label(MEANT, SAID, tool="", right=False, probability=0.7)])
    knob, worth = BandKnob(policies(), none), TuningPolicy()
    low, high = {"high": 0.6, "middle": 0.5}, {"high": 0.95, "middle": 0.9}
    assert knob.scores(low, fits).tolist() == [1.0]
    assert knob.scores(low, wrong).tolist() == [-worth.harm]
    assert knob.scores(knob.present(), fits).tolist() == [worth.beside_right]
    assert knob.scores(high, wrong).tolist() == [worth.alone]
    assert knob.sound({"high": 0.5, "middle": 0.6}) is None


def test_bands_are_not_moved_by_labels_that_have_nothing_to_do_with_the_number() -> None:
    chances = [step / 100 for step in range(100)]
    said = [fit_cases([label(MEANT, tool="meant", right=True, probability=p)])[0] for p in chances]
    knob = BandKnob(policies(), none)

    def doubt(fits: list[bool]) -> str:
        pairs = zip(said, fits, strict=True)
        return knob.doubt([replace(c, data=replace(c.data, fits=fit)) for c, fit in pairs])

    assert doubt([chance > 0.4 for chance in chances]) == ""
    assert "the labels are to be looked at" in doubt([step % 2 == 0 for step in range(100)])
    assert "the labels are to be looked at" in doubt([chance < 0.4 for chance in chances])
    assert doubt([True] * 100) == ""  # nothing contradicts it


def test_the_shipped_bands_are_the_best_for_probabilities_that_are_what_they_say() -> None:
    worth, fit = TuningPolicy(), FitPolicy()

    def expected(chance: float) -> dict[str, float]:
        at_once = chance - worth.harm * (1 - chance)
        beside = chance * worth.beside_right + (1 - chance) * worth.beside_wrong
        return {"high": at_once, "middle": beside, "low": worth.alone}

    for step in range(100):
        chance = step / 100 + 0.005
        found = expected(chance)
        best = max(found, key=lambda band: found[band])
        band = "high" if chance >= fit.high else "middle" if chance >= fit.middle else "low"
        assert best == band


def test_under_the_floor_nothing_is_considered() -> None:
    cases = fit_cases([label(MEANT, SAID, tool="said", right=True)])
    knob = ThresholdKnob(policies(), none)
    assert knob.scores({"retrieval_similarity_threshold": 0.6}, cases).tolist() == [0.4]
    assert knob.scores(knob.present(), cases).tolist() == [1.0]
    under = replace(SAID, cosine=0.2)
    assert fit_cases([label(under, tool="said", right=True)]) == []  # it was never judged


def test_fewer_solutions_are_cheaper_and_right_until_the_vote_turns() -> None:
    vote = RecordedVote((1, 2, 2, 1, 1), (False, False, False, True, False), 2)
    assert [vote.right_after(count) for count in (1, 2, 3, 5)] == [False, False, True, False]
    cases = [TuningCase("r", "s", NOW, vote)]
    knob = SolutionKnob(policies(), none)
    assert knob.scores({"max_solutions": 3}, cases)[0] == pytest.approx(1 - 3 * 0.03)
    assert knob.present() == {"max_solutions": 8}
    assert knob.sound({"max_solutions": 3.4}) == {"max_solutions": 3}
    assert not RecordedVote((None,), (True,), 2).right_after(1)


@pytest.mark.parametrize(
    ("values", "right", "expected"),
    [
        ((3, 2, 2.0), 2, True),
        ((3, 22.72, 22.7244), 22.7244, True),
        ((3, "20 minutes", 20), 20, True),
        ((3, [1, 2], "1, 2"), [1, 2], True),
        ((3, 2, 4), 3, True),  # as many each: the first
        ((3, 2, 4), 2, False),
    ],
)
def test_values_count_as_one_answer_where_the_product_says_so(
    values: tuple[object, ...], right: object, expected: bool
) -> None:
    vote = RecordedVote(values, (False,) * len(values), right)  # type: ignore[arg-type]
    assert vote.right_after(len(values)) is expected


def call(number: int, hours: float, result: object, *, cached: bool = False) -> Execution:
    at = NOW + timedelta(hours=hours)
    arguments: Any = {"x": 1}
    wire: Any = result
    return Execution(
        f"e{number}", f"r{number}", f"s{number}", 1, "t", "v", arguments, wire, True, at,
        cached=cached,
    )  # fmt: skip


def test_results_that_change_make_long_keeping_dear(tmp_path: Path) -> None:
    cases = repeated_calls(
        [call(2, 3, 5), call(1, 0, 5), call(3, 3.5, 5, cached=True), call(4, 30, 7)]
    )
    assert [(round(c.data.age_s / 3600, 1), c.data.same) for c in cases] == [
        (3.0, True),
        (0.5, True),
        (27.0, False),
    ]
    knob = CacheKnob(cast(Database, None), policies())
    hour, day = {"ttl_s": 3600.0}, {"ttl_s": 30 * 3600.0}
    assert knob.scores(hour, cases).tolist() == [0.0, 1.0, 0.0]
    assert knob.scores(day, cases).tolist() == [1.0, 1.0, -TuningPolicy().stale]
