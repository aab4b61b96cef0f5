"""The probability that the leading behaviour is right, calibrated on real examinations.

A logistic model over a handful of features. The shipped one was fitted on a bank of candidates
with hidden tests (`calibration.json`, made by `hammerstone eval synthesis --bank F --bank G
--refit`); `fit` makes another one from the user's own history.
"""

import hashlib
import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from hammerstone.core.json_types import JsonObject

FEATURES = (
    "share",  # of the candidates, that behave like the leader (log odds)
    "size",  # how many were drawn (log)
    "told",  # a person gave an example
    "several",  # a person gave more than one
    "second_reading",  # others meet the examples too, and no test author says which is meant
    "one_program",  # the leader is one program written again and again, with no author beside it
    "upheld",  # answers of a person that the leader gave too
    "flipped",  # answers that chose it against another
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model: `weights` per feature, in `names` order, on the raw features."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    source: str = ""  # what it was fitted on
    model: str = ""  # whose candidates and suites these were

    def probability(self, features: Mapping[str, float]) -> float:
        total = self.intercept + sum(
            weight * features[name] for name, weight in zip(self.names, self.weights, strict=True)
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def to_json(self) -> JsonObject:
        return {
            "names": list(self.names),
            "weights": [round(weight, 5) for weight in self.weights],
            "intercept": round(self.intercept, 5),
            "source": self.source,
            "model": self.model,
        }


def shipped() -> Calibration:
    """The calibration that comes with the product."""
    return _parsed(_shipped_json())


def shipped_without(task: str) -> Calibration:
    """The shipped calibration as fitted without this task, for honest measuring.

    `task` is a key from `task_key`; for a task it was not fitted on this is `shipped()`.
    """
    data = _shipped_json()
    tasks = [known for bank, _ in data["banks"] for known in bank]
    fold = folds_of(tasks, len(data["folds"])).get(task)
    return _parsed(data if fold is None else data | data["folds"][fold])


def folds_of(tasks: Iterable[str], count: int) -> dict[str, int]:
    """Which of so many folds leaves each task out: always the same one for the same tasks."""
    order = sorted(tasks)
    random.Random(0).shuffle(order)
    return {task: number % count for number, task in enumerate(order)}


def shipped_without_bank_of(task: str) -> Calibration | None:
    """The shipped calibration as fitted without the bank that a task is in.

    None for a task it was not fitted on, and where it was fitted on one bank only.
    """
    data = _shipped_json()
    part = next((weights for tasks, weights in data["banks"] if task in tasks), None)
    return _parsed(data | part) if part else None


def task_key(spec: str) -> str:
    """A short name for a spec's text."""
    return hashlib.sha256(spec.encode()).hexdigest()[:8]


@cache
def _shipped_json() -> dict[str, Any]:
    folder = resources.files("hammerstone.synthesis.examine.belief")
    return json.loads(folder.joinpath("calibration.json").read_text("utf-8"))


def _parsed(data: Mapping[str, Any]) -> Calibration:
    return Calibration(
        names=tuple(data["names"]),
        weights=tuple(data["weights"]),
        intercept=data["intercept"],
        source=data["source"],
        model=data.get("model", ""),
    )


def fit(
    observed: Sequence[Mapping[str, float]],
    right: Sequence[bool],
    *,
    names: Sequence[str] = FEATURES,
    penalty: float = 1.0,
    weights: Sequence[float] | None = None,
    source: str = "",
) -> Calibration:
    """The ridge-penalised logistic model of `right` given the features, by Newton's method.

    `weights` is how much each observation counts: several observations of one task should
    share the weight of one.
    """
    table = np.array([[row[name] for name in names] for row in observed], float)
    target = np.array(right, float)
    counts = np.ones(len(target)) if weights is None else np.array(weights, float)
    center, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale < 1e-9] = 1.0
    design = np.column_stack([np.ones(len(table)), (table - center) / scale])
    ridge = np.diag([1e-3] + [penalty] * len(names))
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (counts * (target - predicted)) - ridge @ beta
        spread = counts * predicted * (1 - predicted)
        step = np.linalg.solve((design * spread[:, None]).T @ design + ridge, gradient)
        beta += step
        if float(np.abs(step).max()) < 1e-8:
            break
    slopes = beta[1:] / scale
    intercept = float(beta[0] - slopes @ center)
    return Calibration(tuple(names), tuple(float(s) for s in slopes), intercept, source)
