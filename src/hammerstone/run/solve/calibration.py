"""The learned numbers behind a vote: what evidence weighs, and how sure a tally is.

`calibration.json` is made by `hammerstone eval answers --data F --bank B --fit OUT`; it also holds
the same numbers fitted without each part of the requests, for honest measuring.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

from hammerstone.core.hashing import digest
from hammerstone.core.json_types import JsonObject
from hammerstone.run.solve.evidence import SolutionEvidence
from hammerstone.synthesis.examine.belief.confidence import Calibration

SIZES = (1, 4, 8)  # numbers of solutions that sureness was learned for
_MOST_LOG_WEIGHT = 0.7  # no vote counts more than twice or less than half of a plain one


@dataclass(frozen=True, slots=True)
class VoteWeights:
    """How much each piece of evidence adds to the logarithm of a solution's vote."""

    names: tuple[str, ...]
    values: tuple[float, ...]

    def vote(self, evidence: SolutionEvidence) -> float:
        """What a solution's vote counts; 1 where nothing is known of it."""
        log = sum(
            value * (getattr(evidence, name) - getattr(_TYPICAL, name))
            for name, value in zip(self.names, self.values, strict=True)
        )
        return math.exp(max(-_MOST_LOG_WEIGHT, min(_MOST_LOG_WEIGHT, log)))


_TYPICAL = SolutionEvidence()
EVIDENCE_NAMES = tuple(field.name for field in fields(SolutionEvidence))
PLAIN_VOTES = VoteWeights((), ())


@dataclass(frozen=True, slots=True)
class AnswerCalibration:
    """What votes weigh, and one logistic model of sureness for each number of solutions."""

    weights: VoteWeights
    sizes: tuple[tuple[int, Calibration], ...]
    source: str = ""

    def for_size(self, total: int) -> Calibration:
        """The model for the nearest number of solutions it was learned for."""
        return min(self.sizes, key=lambda pair: abs(math.log(pair[0] / max(1, total))))[1]

    def to_json(self) -> JsonObject:
        return {
            "weights": {
                name: round(value, 4)
                for name, value in zip(self.weights.names, self.weights.values, strict=True)
            },
            "sizes": {str(size): model.to_json() for size, model in self.sizes},
            "source": self.source,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "AnswerCalibration":
        weights = data["weights"]
        return AnswerCalibration(
            VoteWeights(tuple(weights), tuple(weights.values())),
            tuple(
                (
                    int(size),
                    Calibration(
                        tuple(model["names"]),
                        tuple(model["weights"]),
                        model["intercept"],
                        model["source"],
                    ),
                )
                for size, model in data["sizes"].items()
            ),
            data["source"],
        )


def shipped() -> AnswerCalibration:
    """The calibration that comes with the product."""
    return _parsed(None)


def shipped_without(request: str) -> AnswerCalibration:
    """The shipped calibration as fitted without this request, for honest measuring."""
    data = _shipped_json()
    key = request_key(request)
    return _parsed(fold_of(key, len(data["folds"])) if key in set(data["fitted"]) else None)


def request_key(request: str) -> str:
    """A short name for a request's text."""
    return digest(request)[:10]


def fold_of(key: str, folds: int) -> int:
    """The part of the requests that a request belongs to."""
    return int(key, 16) % folds


@cache
def _parsed(fold: int | None) -> AnswerCalibration:
    data = _shipped_json()
    return AnswerCalibration.from_json(data if fold is None else data["folds"][fold])


@cache
def _shipped_json() -> dict[str, Any]:
    folder = resources.files("hammerstone.run.solve")
    return json.loads(folder.joinpath("calibration.json").read_text("utf-8"))
