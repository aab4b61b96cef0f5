"""The numbers that decide whether the tool that was found is used: bands and floor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import NormalDist

import numpy as np

from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.tuning.knob import KnobValues, Scores, TuningCase
from hammerstone.learn.tuning.search_knobs import LabelSource, label_case
from hammerstone.library.policies import FitPolicy, Policies
from hammerstone.library.search.fit.measures import auroc


@dataclass(frozen=True, slots=True)
class JudgedFit:
    """How sure search was of the first tool, how near its meaning was, and whether it did fit."""

    probability: float
    cosine: float | None
    fits: bool


class _FitKnob:
    policy = FitPolicy.name

    def __init__(self, policies: Policies, labels: LabelSource) -> None:
        self._policies = policies
        self._labels = labels

    async def cases(self, until: datetime) -> list[TuningCase]:
        return fit_cases(await self._labels(until))

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        """What each decision is worth: a right tool at once is 1, a wrong one costs `harm`; a tool
        beside a solution, or a solution alone, is in between."""
        fit, worth = self._policies.get(FitPolicy), self._policies.get(TuningPolicy)
        high = values.get("high", fit.high)
        middle = values.get("middle", fit.middle)
        floor = values.get("retrieval_similarity_threshold", fit.retrieval_similarity_threshold)
        known: list[JudgedFit] = [case.data for case in cases]
        chance = np.array([one.probability for one in known])
        fits = np.array([one.fits for one in known], bool)
        near = np.array([one.cosine is None or one.cosine >= floor for one in known], bool)
        at_once = np.where(fits, 1.0, -worth.harm)
        beside = np.where(fits, worth.beside_right, worth.beside_wrong)
        used = np.where(chance >= high, at_once, beside)
        return np.where(~near | (chance < middle), worth.alone, used)

    def doubt(self, cases: Sequence[TuningCase]) -> str:
        """A border on a number is worth something where the number tells apart what the labels
        do. Where it does not, in either direction of chance, other borders only trust all tools
        more, or less: then the labels or the gate are wrong, not the border."""
        known: list[JudgedFit] = [case.data for case in cases]
        fits = [one.fits for one in known]
        right, wrong = sum(fits), len(fits) - sum(fits)
        if not right or not wrong:
            return ""  # one kind alone contradicts nothing
        told = auroc([one.probability for one in known], fits)
        alpha = self._policies.get(TuningPolicy).alpha
        by_chance = math.sqrt((right + wrong + 1) / (12 * right * wrong))
        if told - 0.5 > NormalDist().inv_cdf(1 - alpha / 2) * by_chance:
            return ""
        return (
            f"how sure search was does not tell the tools that fit from the others ({told:.2f}, "
            "and 0.5 is chance): the labels are to be looked at first"
        )


class BandKnob(_FitKnob):
    """From which probability a tool is used at once, and from which beside a solution."""

    name = "bands"
    about = "how sure search has to be before a tool is used, or runs beside a solution"

    def present(self) -> dict[str, float]:
        policy = self._policies.get(FitPolicy)
        return {"high": policy.high, "middle": policy.middle}

    def grid(self) -> list[dict[str, float]]:
        highs = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
        return [
            {"high": high, "middle": middle} for high in highs for middle in (0.3, 0.4, 0.5, 0.6)
        ]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"high": (0.5, 0.99), "middle": (0.1, 0.9)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        if values["middle"] > values["high"]:
            return None
        return {"high": round(values["high"], 3), "middle": round(values["middle"], 3)}


class ThresholdKnob(_FitKnob):
    """The likeness of meaning under which no tool is considered."""

    name = "threshold"
    about = "how near in meaning a tool has to be to be considered"

    def present(self) -> dict[str, float]:
        policy = self._policies.get(FitPolicy)
        return {"retrieval_similarity_threshold": policy.retrieval_similarity_threshold}

    def grid(self) -> list[dict[str, float]]:
        return [{"retrieval_similarity_threshold": step / 20} for step in range(2, 17)]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"retrieval_similarity_threshold": (0.0, 0.9)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        return {name: round(value, 3) for name, value in values.items()}


def fit_cases(labels: Sequence[DecisionLabel]) -> list[TuningCase]:
    """Decisions of which it is known whether the first tool fits.

    One under the floor was not judged, so nobody knows how sure search would have been.
    """
    found: list[TuningCase] = []
    for label in labels:
        decision = label.decision
        if label.right is None or not decision.candidates:
            continue
        first = next((one for one in decision.candidates if one.name == decision.chosen), None)
        floor = decision.weights.get("retrieval_similarity_threshold", 0.0)
        if first is None or (first.cosine is not None and first.cosine < floor):
            continue
        data = JudgedFit(decision.probability, first.cosine, label.right)
        # Worth is no pass or fail: a tool that runs beside a solution breaks nothing.
        found.append(replace(label_case(label, data), vouched=False))
    return found
