"""A gate of one's own: fitted on how past requests ended, kept only where it judges better.

Past requests are the labels. What a tool answered well, or the person chose, fits; the best tool
that is left when the right one is taken out does not; nor does a wrong pick. Experience has seen
these requests, so each is judged with what the other half taught.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hammerstone.core.json_types import JsonObject
from hammerstone.library.search.experience import Experience, PastOutcome, PastRequest
from hammerstone.library.search.fit.fits import (
    Doubles,
    FitObservation,
    LabelledRequest,
    held_out,
    library_decisions,
)
from hammerstone.library.search.fit.gate import FitGate
from hammerstone.library.search.fit.measures import auroc
from hammerstone.library.search.fit.signals import read_signals
from hammerstone.library.search.ranking import Ranker

FEWEST_OF_A_KIND = 10
AUROC_SLACK = 0.005
DEEP = 50  # how far down a wrong pick is looked for


@dataclass(frozen=True, slots=True)
class Refit:
    """The result of fitting anew. Numbers are of held-out decisions, None with too few of them."""

    gate: FitGate | None  # None when the gate in force stays
    reason: str
    decisions: int
    before: dict[str, float] | None = None
    after: dict[str, float] | None = None

    def to_json(self) -> JsonObject:
        return {
            "kept": self.gate is not None,
            "reason": self.reason,
            "decisions": self.decisions,
            "before": dict(self.before) if self.before else None,
            "after": dict(self.after) if self.after else None,
        }


def refit(past: Sequence[PastRequest], ranker: Ranker, current: FitGate, fewest: int) -> Refit:
    """A gate near the current one that judges held-out tools better, or the reason why not."""
    decisions = labelled_decisions(past, ranker)
    fits = sum(decision.fits for decision in decisions)
    if len(decisions) < fewest or min(fits, len(decisions) - fits) < FEWEST_OF_A_KIND:
        reason = (
            f"not enough to learn from: {len(decisions)} labelled decisions, {fits} of them fits"
        )
        return Refit(None, f"{reason}; {fewest} are needed", len(decisions))
    new = held_out(decisions, lambda seen: _fitted(seen, current))
    if new is None:
        return Refit(None, "too few different tools to hold some out", len(decisions))
    old = np.array([current.probability(decision.signals) for decision in decisions])
    right = [decision.fits for decision in decisions]
    before, after = _judged(old, right), _judged(new, right)
    gain = _losses(old, right) - _losses(new, right)
    sure = gain.mean() > gain.std() / math.sqrt(len(gain))
    if not sure or after["auroc"] < before["auroc"] - AUROC_SLACK:
        reason = "the present rule is as good on tools it has not seen"
        return Refit(None, reason, len(decisions), before, after)
    return Refit(
        _fitted(decisions, current),
        "better on tools it has not seen",
        len(decisions),
        before,
        after,
    )


def labelled_decisions(past: Sequence[PastRequest], ranker: Ranker) -> list[FitObservation]:
    """What the gate would have seen for each past request, and whether the tool did fit."""
    known = [each for each in past if each.tool in ranker.catalog]
    halves = ([p for p in known if _half(p) == 0], [p for p in known if _half(p) == 1])
    decisions: list[FitObservation] = []
    for asked, taught in (halves, halves[::-1]):
        experience = Experience()
        for each in taught:
            experience.add(each)
        experience.train(ranker.catalog, ranker.relevance)
        good = [each for each in asked if each.lesson is not PastOutcome.WRONG]
        decisions += library_decisions(
            ranker,
            [LabelledRequest(each.request, frozenset({each.tool})) for each in good],
            [each.vector for each in good],
            experience,
        )
        wrong = (each for each in asked if each.lesson is PastOutcome.WRONG)
        found = (_wrong_pick(each, ranker, experience) for each in wrong)
        decisions += [decision for decision in found if decision is not None]
    return decisions


def _wrong_pick(past: PastRequest, ranker: Ranker, experience: Experience) -> FitObservation | None:
    hits = ranker.rank(past.request, past.vector, DEEP, experience)
    picked = next((hit for hit in hits if hit.name == past.tool), None)
    if picked is None:
        return None
    others = [hit for hit in hits if hit.name != past.tool]
    nearest = experience.nearest(past.vector, past.tool)
    signals = read_signals(past.request, picked, others, ranker.catalog, nearest)
    return FitObservation(signals, False, past.tool)


def _fitted(decisions: Sequence[FitObservation], near: FitGate) -> FitGate:
    return FitGate.fitted([d.signals for d in decisions], [d.fits for d in decisions], near=near)


def _losses(probabilities: Doubles, fits: list[bool]) -> Doubles:
    stated = np.where(fits, probabilities, 1 - probabilities)
    return -np.log(np.maximum(stated, 1e-6))


def _judged(probabilities: Doubles, fits: list[bool]) -> dict[str, float]:
    return {
        "log_loss": round(float(_losses(probabilities, fits).mean()), 4),
        "auroc": round(auroc(probabilities.tolist(), fits), 4),
        "accuracy": round(float(((probabilities >= 0.5) == np.array(fits)).mean()), 4),
    }


def _half(past: PastRequest) -> int:
    return hashlib.sha256(past.request.encode("utf-8", "replace")).digest()[0] % 2
