"""What the knobs of search's order may be set to, and which decisions they are judged on."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.decisions import LabelQuestion, SearchDecision, ToolCandidate
from hammerstone.learn.labels.labeller import DecisionLabel, LabelSignal
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.tuning.search_knobs import (
    VOUCHED,
    FusionKnob,
    RerankingKnob,
    label_case,
    of_share,
)
from hammerstone.library.policies import Policies, SearchPolicy
from hammerstone.storage import Database

NOW = datetime(2026, 3, 1, tzinfo=UTC)


async def nothing(until: datetime) -> list[Any]:
    return []


def policies() -> Policies:
    return Policies(cast(Database, None), (TuningPolicy,))


@pytest.fixture(params=[FusionKnob, RerankingKnob])
def knob(request: pytest.FixtureRequest) -> FusionKnob | RerankingKnob:
    return request.param(policies(), nothing)


def test_the_values_in_force_are_those_of_the_policy(knob: FusionKnob | RerankingKnob) -> None:
    shipped = SearchPolicy()
    assert knob.present() == {name: getattr(shipped, name) for name in knob.bounds()}
    assert knob.policy == shipped.name


def test_what_the_grid_tries_is_within_bounds_once_and_makes_sense(
    knob: FusionKnob | RerankingKnob,
) -> None:
    grid, bounds = knob.grid(), knob.bounds()
    assert len({tuple(sorted(values.items())) for values in grid}) == len(grid)
    for values in grid:
        assert values.keys() == bounds.keys()
        assert all(low <= values[name] <= high for name, (low, high) in bounds.items())
        assert knob.sound(values) == pytest.approx(values, abs=1e-4)


def test_meaning_is_tried_in_twentieths_the_share_that_people_ask_for_first() -> None:
    shares = [values["meaning_weight"] / 1.7 for values in FusionKnob(policies(), nothing).grid()]
    assert shares[0] == pytest.approx(0.7)
    rest = sorted(shares)
    assert rest[0] == pytest.approx(0.05) and rest[-1] == 1.0 and len(rest) == 20
    assert all(after - before == pytest.approx(0.05, abs=1e-3) for before, after in pairwise(rest))


def test_use_is_tried_in_tenths_and_relevance_keeps_half() -> None:
    grid = RerankingKnob(policies(), nothing).grid()
    tried = {(values["success_share"], values["frequency_share"]) for values in grid}
    assert tried == {
        (success / 10, frequency / 10)
        for success in (0, 1, 2, 3, 4)
        for frequency in (0, 1, 2, 3)
        if success + frequency <= 5
    }
    assert all(values["relevance_share"] >= 0.5 for values in grid)


@given(st.floats(0.0, 1.7, allow_subnormal=False), st.floats(0.0, 1.7, allow_subnormal=False))
def test_only_the_ratio_of_meaning_and_words_counts(meaning: float, words: float) -> None:
    sound = FusionKnob(policies(), nothing).sound(
        {"meaning_weight": meaning, "words_weight": words}
    )
    if meaning + words == 0:
        assert sound is None
        return
    assert sound is not None
    assert sum(sound.values()) == pytest.approx(1.7, abs=2e-4)
    assert sound["meaning_weight"] == pytest.approx(1.7 * meaning / (meaning + words), abs=1e-4)


@given(st.floats(0.0, 0.6), st.floats(0.0, 0.4))
def test_use_never_takes_four_fifths_of_the_order(success: float, frequency: float) -> None:
    values = {"relevance_share": 0.5, "success_share": success, "frequency_share": frequency}
    sound = RerankingKnob(policies(), nothing).sound(values)
    assert (sound is None) == (success + frequency >= 0.8)
    if sound is not None:
        assert sum(sound.values()) == pytest.approx(1.0, abs=3e-4)
        assert sound["success_share"] == pytest.approx(success, abs=1e-4)
        assert sound["relevance_share"] >= 0.2 - 3e-4


def test_a_share_is_split_between_meaning_and_words() -> None:
    assert of_share(0.7) == {"meaning_weight": 1.19, "words_weight": 0.51}
    assert of_share(0.0) == {"meaning_weight": 0.0, "words_weight": 1.7}


def labelled(
    *kinds: str, right: bool | None = True, certainty: float = 0.9, session: str = "s"
) -> DecisionLabel:
    candidate = ToolCandidate("mean", 0.8, 0.8, 0.8)
    decision = SearchDecision(
        "d-1", "run", session, "ada", NOW, "words", "mean", "high", 0.9, (candidate,), {}
    )
    signals = tuple(LabelSignal(kind, "ada", True, 0.9) for kind in kinds)
    return DecisionLabel(decision, LabelQuestion.TOOL, right, certainty, signals, "mean")


@pytest.mark.parametrize("certainty", [0.5, 0.75, 0.9, 1.0])
def test_a_case_weighs_what_is_known_beyond_a_coin(certainty: float) -> None:
    assert label_case(labelled(certainty=certainty), None).weight == pytest.approx(
        2 * (certainty - 0.5)
    )


def test_a_case_belongs_to_its_session_or_to_its_run() -> None:
    assert label_case(labelled(), None).group == "s"
    assert label_case(labelled(session=""), None).group == "run"
    made = label_case(labelled(), "data")
    assert (made.id, made.at, made.user, made.data) == ("d-1", NOW, "ada", "data")


@pytest.mark.parametrize("kind", sorted(VOUCHED))
def test_a_person_vouches_for_what_is_right(kind: str) -> None:
    assert label_case(labelled("repeated", kind), None).vouched
    assert not label_case(labelled(kind, right=False), None).vouched
    assert not label_case(labelled(kind, right=None), None).vouched


def test_nobody_vouches_by_what_only_happened() -> None:
    assert not label_case(labelled("repeated"), None).vouched
    assert not label_case(labelled(), None).vouched
