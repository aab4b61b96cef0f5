"""The numbers that knobs try, which of them are sound, and what decisions are worth with them."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from hammerstone.core.decisions import LabelQuestion, SearchDecision, ToolCandidate
from hammerstone.core.tools import Effect
from hammerstone.learn.labels.labeller import DecisionLabel, LabelSignal
from hammerstone.learn.policies import LabelPolicy, TuningPolicy
from hammerstone.learn.tuning.band_knobs import BandKnob, JudgedFit, ThresholdKnob, fit_cases
from hammerstone.learn.tuning.cache_knob import CacheKnob, RepeatedCall, repeated_calls
from hammerstone.learn.tuning.knob import TuningCase
from hammerstone.learn.tuning.search_knobs import FusionKnob, RerankingKnob, label_case
from hammerstone.library.policies import FitPolicy, Policies, SearchPolicy
from hammerstone.storage import Execution
from tests.unit.run.made_runs import make_tool

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORTH = TuningPolicy()
POLICIES = Policies(cast(Any, None), (TuningPolicy, FitPolicy, SearchPolicy, LabelPolicy))


async def none(until: datetime) -> list[Any]:
    return []


def judged(*known: JudgedFit) -> list[TuningCase]:
    return [TuningCase(str(n), "s", NOW, one) for n, one in enumerate(known)]


@pytest.mark.parametrize(
    ("probability", "cosine", "fits", "worth"),
    [
        (0.80, 0.9, True, 1.0),
        (0.80, 0.9, False, -WORTH.harm),
        (0.79, 0.9, True, WORTH.beside_right),
        (0.79, 0.9, False, WORTH.beside_wrong),
        (0.50, 0.9, True, WORTH.beside_right),
        (0.49, 0.9, True, WORTH.alone),
        (0.49, 0.9, False, WORTH.alone),
        (0.90, 0.39, True, WORTH.alone),  # too different in meaning to be looked at
        (0.90, 0.40, True, 1.0),
        (0.90, None, True, 1.0),
    ],
)
def test_what_a_decision_is_worth(
    probability: float, cosine: float | None, fits: bool, worth: float
) -> None:
    cases = judged(JudgedFit(probability, cosine, fits))
    knob = BandKnob(POLICIES, none)
    assert knob.scores(knob.present(), cases).tolist() == [worth]
    assert knob.scores({}, cases).tolist() == [worth]


def test_other_bands_and_another_floor_change_it() -> None:
    cases = judged(JudgedFit(0.7, 0.3, True), JudgedFit(0.3, 0.9, True))
    floor = {"retrieval_similarity_threshold": 0.3}
    bands = BandKnob(POLICIES, none)
    assert bands.scores({**floor, "high": 0.7, "middle": 0.3}, cases).tolist() == [
        1.0,
        WORTH.beside_right,
    ]
    assert ThresholdKnob(POLICIES, none).scores(floor, cases).tolist() == [
        WORTH.beside_right,
        WORTH.alone,
    ]


def test_bands_that_are_tried() -> None:
    knob = BandKnob(POLICIES, none)
    grid = [(values["high"], values["middle"]) for values in knob.grid()]
    assert len(grid) == len(set(grid)) == 32
    assert min(grid) == (0.6, 0.3) and max(grid) == (0.95, 0.6)
    assert knob.present() == {"high": 0.8, "middle": 0.5}
    assert knob.bounds() == {"high": (0.5, 0.99), "middle": (0.1, 0.9)}
    assert knob.sound({"high": 0.5, "middle": 0.51}) is None
    assert knob.sound({"high": 0.5, "middle": 0.5}) == {"high": 0.5, "middle": 0.5}
    assert knob.sound({"high": 0.91239, "middle": 0.12351}) == {"high": 0.912, "middle": 0.124}
    assert (knob.name, knob.policy) == ("bands", "fit")


def test_floors_that_are_tried() -> None:
    knob, name = ThresholdKnob(POLICIES, none), "retrieval_similarity_threshold"
    assert knob.present() == {name: 0.4}
    assert [values[name] for values in knob.grid()] == [step / 20 for step in range(2, 17)]
    assert knob.bounds() == {name: (0.0, 0.9)}
    assert knob.sound({name: 0.33333}) == {name: 0.333}


def test_weights_that_are_tried() -> None:
    knob = FusionKnob(POLICIES, none)
    grid = knob.grid()
    assert len(grid) == 20 and grid[0] == {"meaning_weight": 1.19, "words_weight": 0.51}
    assert grid[1] == {"meaning_weight": 0.085, "words_weight": 1.615}
    assert grid[-1] == {"meaning_weight": 1.7, "words_weight": 0.0}
    assert len({tuple(values.values()) for values in grid}) == 20
    assert all(sum(values.values()) == pytest.approx(1.7) for values in grid)
    assert knob.bounds() == {"meaning_weight": (0.0, 1.7), "words_weight": (0.0, 1.7)}
    assert knob.sound({"meaning_weight": 0.0, "words_weight": 2.0}) == {
        "meaning_weight": 0.0,
        "words_weight": 1.7,
    }


def test_shares_that_are_tried() -> None:
    knob = RerankingKnob(POLICIES, none)
    grid = [(one["success_share"], one["frequency_share"]) for one in knob.grid()]
    assert len(grid) == len(set(grid)) == 17
    assert max(grid) == (0.4, 0.1) and (0.3, 0.3) not in grid and (0.2, 0.3) in grid
    assert all(sum(one.values()) == pytest.approx(1) for one in knob.grid())
    assert knob.present() == {
        "relevance_share": 0.7,
        "success_share": 0.2,
        "frequency_share": 0.1,
    }
    assert knob.bounds()["success_share"] == (0.0, 0.6)
    assert knob.bounds()["frequency_share"] == (0.0, 0.4)
    assert knob.bounds()["relevance_share"] == (0.0, 1.0)
    sound = {"relevance_share": 0.0, "success_share": 0.5, "frequency_share": 0.29}
    assert knob.sound(sound) == {
        "relevance_share": 0.21,
        "success_share": 0.5,
        "frequency_share": 0.29,
    }
    assert knob.sound({**sound, "frequency_share": 0.3}) is None


def test_without_reranking_only_relevance_orders() -> None:
    plain = Policies(cast(Any, None), (TuningPolicy, SearchPolicy))
    plain._stored = {"search": {"rerank": False}}
    assert FusionKnob(plain, none)._in_force() == {
        "meaning_weight": 1.0,
        "words_weight": 0.7,
        "relevance_share": 1.0,
        "success_share": 0.0,
        "frequency_share": 0.0,
    }
    assert FusionKnob(POLICIES, none)._in_force()["relevance_share"] == 0.7


def decision(chosen: str = "a", cosine: float | None = 0.5, **more: Any) -> SearchDecision:
    candidates = (ToolCandidate("a", 0.8, cosine, 0.7), ToolCandidate("b", 0.5, 0.3, 0.2))
    given = {"session_id": "s", "weights": {"retrieval_similarity_threshold": 0.4}, **more}
    return SearchDecision(
        "r-0", "r", given.pop("session_id"), "ada", NOW, "words", chosen, "high", 0.9,
        given.pop("candidates", candidates), given.pop("weights"),
    )  # fmt: skip


def label(right: bool | None, made: SearchDecision, *kinds: str) -> DecisionLabel:
    signals = tuple(LabelSignal(kind, "ada", right=True, reliability=0.9) for kind in kinds)
    return DecisionLabel(made, LabelQuestion.TOOL, right, 0.8, signals, "a")


@pytest.mark.parametrize(
    ("right", "made", "counts"),
    [
        (True, decision(), True),
        (False, decision(), True),
        (None, decision(), False),
        (True, decision(candidates=()), False),
        (True, decision(chosen="c"), False),
        (True, decision(cosine=0.39), False),
        (True, decision(cosine=0.40), True),
        (True, decision(cosine=None), True),
        (True, decision(cosine=0.1, weights={}), True),
    ],
)
def test_which_decisions_judge_a_fit(right: bool | None, made: Any, counts: bool) -> None:
    found = fit_cases([label(right, made, "confirmed")])
    assert bool(found) is counts
    for case in found:
        assert case.data == JudgedFit(0.9, made.candidates[0].cosine, bool(right))
        assert not case.vouched


@pytest.mark.parametrize(
    ("right", "kinds", "vouched"),
    [
        (True, ["confirmed"], True),
        (True, ["labelled"], True),
        (True, ["unopposed", "chosen"], True),
        (True, ["unopposed"], False),
        (False, ["confirmed"], False),
    ],
)
def test_what_a_labelled_decision_weighs(right: bool, kinds: list[str], vouched: bool) -> None:
    case = label_case(label(right, decision(), *kinds), "data")
    assert (case.id, case.group, case.at, case.user, case.data) == ("r-0", "s", NOW, "ada", "data")
    assert case.weight == pytest.approx(0.6)
    assert case.vouched is vouched
    assert label_case(label(right, decision(session_id=""), *kinds), "data").group == "r"


def call(number: int, minutes: float, result: Any = 10, **more: Any) -> Execution:
    given = {"tool": "double", "version_id": "v", "arguments": {"n": 5}, "ok": True, **more}
    return Execution(
        id=f"c{number}", run_id="r", session_id="s", number=number, result=result,
        at=NOW + timedelta(minutes=minutes), **given,
    )  # fmt: skip


def ages(*calls: Execution) -> list[tuple[str, float, bool]]:
    return [(one.id, one.data.age_s, one.data.same) for one in repeated_calls(calls)]


def test_a_call_that_was_made_before_has_an_age() -> None:
    assert ages(call(1, 0), call(2, 10), call(3, 15)) == [("c2", 600, True), ("c3", 300, True)]
    assert ages(call(2, 10), call(1, 0)) == [("c2", 600, True)]
    assert ages(call(1, 0), call(2, 1, result=11)) == [("c2", 60, False)]
    assert ages(call(1, 0), call(2, 1, arguments={"n": 6}), call(3, 2, version_id="w")) == []


def test_what_came_from_the_cache_is_as_old_as_what_was_computed() -> None:
    kept = call(2, 10, result=11, cached=True)
    assert ages(call(1, 0), kept, call(3, 20)) == [("c2", 600, True), ("c3", 1200, True)]


class Calls:
    def __init__(self, *calls: Execution) -> None:
        self.tools = self.executions = self
        self._calls = calls

    async def list(self, **options: Any) -> Any:
        if options == {"include_retired": True}:
            return [make_tool("double"), make_tool("look_up", effect=Effect.READS)]
        assert options == {"limit": TuningPolicy().most}
        return self._calls


async def test_only_good_calls_of_pure_tools_by_then_count() -> None:
    first, last = call(1, 0), call(9, 30)
    calls = Calls(
        first,
        call(2, 1, ok=False),
        call(3, 2, tool="look_up"),
        call(4, 3, tool="gone"),
        call(5, 31),
        last,
    )
    until = NOW + timedelta(minutes=30)
    found = await CacheKnob(cast(Any, calls), POLICIES).cases(until)
    assert [case.id for case in found] == ["c9"]


def test_what_keeping_results_is_worth() -> None:
    knob = CacheKnob(cast(Any, None), POLICIES)
    known = [RepeatedCall(60, True), RepeatedCall(60, False), RepeatedCall(61, True)]
    cases = [TuningCase("c", "s", NOW, one) for one in known]
    assert knob.scores({"ttl_s": 60}, cases).tolist() == [1.0, -WORTH.stale, 0.0]
    assert knob.scores({"ttl_s": 59}, cases).tolist() == [0.0, 0.0, 0.0]
    hours = [values["ttl_s"] / 3600 for values in knob.grid()]
    assert hours == [0.25, 0.5, 1, 2, 4, 8, 24, 72, 168, 720]
    assert knob.bounds() == {"ttl_s": (60.0, 2_592_000.0)}
    assert knob.sound({"ttl_s": 99.6}) == {"ttl_s": 100.0}
    assert knob.present() == {"ttl_s": 3600.0}
