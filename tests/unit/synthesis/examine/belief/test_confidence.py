"""Probabilities that mean what they say."""

import math
import random

import pytest

from hammerstone.synthesis.examine.belief import confidence
from hammerstone.synthesis.examine.belief.confidence import (
    FEATURES,
    fit,
    shipped,
    shipped_without,
    shipped_without_bank_of,
)


def test_fit_recovers_a_known_model() -> None:
    rng = random.Random(4)
    rows, right = [], []
    for _ in range(6000):
        x, noise = rng.uniform(-3, 3), rng.uniform(-3, 3)
        rows.append({"x": x, "noise": noise})
        right.append(rng.random() < 1 / (1 + math.exp(-(0.5 + 1.5 * x))))
    model = fit(rows, right, names=("x", "noise"))
    assert model.weights == pytest.approx((1.5, 0.0), abs=0.12)
    assert model.intercept == pytest.approx(0.5, abs=0.12)


def test_a_constant_feature_and_one_class_do_not_break_the_fit() -> None:
    model = fit([{"x": 1.0}] * 5, [True] * 5, names=("x",))
    assert 0.5 < model.probability({"x": 1.0}) < 1.0


def test_weights_count_as_repetitions() -> None:
    rows = [{"x": 0.0}, {"x": 1.0}, {"x": 1.0}]
    heavy = fit(rows[:2], [False, True], names=("x",), weights=[1.0, 2.0])
    twice = fit(rows, [False, True, True], names=("x",))
    raw = {"x": 1.0}
    assert heavy.probability(raw) == pytest.approx(twice.probability(raw), abs=0.05)


def test_the_shipped_calibration_points_the_right_way() -> None:
    model = shipped()
    assert set(model.names) == set(FEATURES)
    weights = dict(zip(model.names, model.weights, strict=True))
    against = {"second_reading", "one_program"}
    for name in FEATURES:
        assert (weights[name] < 0) is (name in against), name
    assert model.model == "qwen2.5-coder-1.5b-instruct-q4_k_m"


def test_a_task_is_judged_without_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {
        "names": ["share"],
        "weights": [1.0],
        "intercept": 0.0,
        "source": "test",
        "folds": [{"weights": [9.0], "intercept": 1.0}],
        "banks": [[["known"], {}]],
    }
    monkeypatch.setattr(confidence, "_shipped_json", lambda: data)
    assert shipped_without("known").weights == (9.0,)
    assert shipped_without("new").weights == (1.0,)


def test_a_bank_is_judged_without_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {
        "names": ["share"],
        "weights": [1.0],
        "intercept": 0.0,
        "source": "test",
        "folds": [],
        "banks": [[["one"], {"weights": [2.0], "intercept": 0.0}], [["alone"], {}]],
    }
    monkeypatch.setattr(confidence, "_shipped_json", lambda: data)
    other = shipped_without_bank_of("one")
    assert other is not None
    assert other.weights == (2.0,)
    assert shipped_without_bank_of("alone") is None
    assert shipped_without_bank_of("new") is None
