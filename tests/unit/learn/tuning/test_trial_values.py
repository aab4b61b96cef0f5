"""Which values are tried next: the grid in its order, then what a Bayesian search asks for."""

from datetime import datetime

import numpy as np
import pytest

from hammerstone.learn.tuning.knob import KnobValues, Scores, TuningCase
from hammerstone.learn.tuning.trial_values import BayesianTrials, GridTrials, Tried


class TwoDials:
    """A knob with two numbers; `refused` are the sums that make no sense."""

    name = policy = about = "dials"

    def __init__(self, refused: float = 3.0) -> None:
        self.refused = refused
        self.asked = 0

    def present(self) -> dict[str, float]:
        return {"one": 0.5, "two": 0.5}

    def grid(self) -> list[dict[str, float]]:
        return [{"one": 0.2, "two": 0.8}, {"one": 0.5, "two": 0.5}, {"one": 0.9, "two": 0.1}]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"one": (0.0, 1.0), "two": (0.0, 1.0)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        self.asked += 1
        return None if sum(values.values()) > self.refused else dict(values)

    async def cases(self, until: datetime) -> list[TuningCase]:
        return []

    def scores(self, values: KnobValues, cases: list[TuningCase]) -> Scores:
        return np.zeros(0)


def test_a_grid_is_gone_through_once_from_the_values_in_force() -> None:
    source, tried = GridTrials(TwoDials()), list[Tried]()
    while (values := source.next(tried)) is not None:
        tried.append((values, 0.0))
    assert [values["one"] for values, _ in tried] == [0.5, 0.2, 0.9]


def test_a_search_asks_for_sound_values_that_were_not_tried() -> None:
    pytest.importorskip("optuna")
    knob, tried = TwoDials(refused=1.2), list[Tried]()
    for seed in range(6):
        values = BayesianTrials(knob, seed).next(tried)
        assert values is not None and values not in [known for known, _ in tried]
        assert sum(values.values()) <= 1.2
        assert all(0.0 <= one <= 1.0 and round(one, 4) == one for one in values.values())
        tried.append((values, values["one"]))


def test_a_search_gives_up_where_nothing_makes_sense() -> None:
    pytest.importorskip("optuna")
    knob = TwoDials(refused=-1.0)
    assert BayesianTrials(knob).next([]) is None
    assert knob.asked == 20


def test_the_same_search_asks_for_the_same_values() -> None:
    pytest.importorskip("optuna")
    tried: list[Tried] = [({"one": 0.3, "two": 0.3}, 0.1), ({"one": 0.6, "two": 0.2}, 0.4)]
    first = BayesianTrials(TwoDials(), 3).next(tried)
    assert first == BayesianTrials(TwoDials(), 3).next(tried)
    assert first != BayesianTrials(TwoDials(), 4).next(tried)


def test_what_was_tried_beyond_the_bounds_is_not_told() -> None:
    pytest.importorskip("optuna")
    within: list[Tried] = [({"one": 0.3, "two": 0.3}, 0.1)]
    one_beyond: Tried = ({"one": 0.4, "two": 1.5}, 0.9)
    assert BayesianTrials(TwoDials()).next([*within, one_beyond]) is not None
