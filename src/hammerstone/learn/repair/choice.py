"""Which behaviour is the right fix, and how sure that is."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hammerstone.learn.repair.behaviours import FIX, REWRITE, Candidate, ProbedBehaviour, supports

# Set by hand: those of edits on the first 60 tasks of HumanEvalFix without any model, those of
# votes on the next 44 with one. See docs/design/repair.md.
WEIGHTS: Mapping[str, float] = {
    "bias": -1.0,
    "edit_share": 2.5,
    "cheap": 0.8,
    "vote_share": 3.0,
    "both": 1.5,
    "rewritten": 1.0,
    "independent": 1.5,
    "rivals": -2.0,
    "others": -1.2,
    "truth": 0.5,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidate, what speaks for it, and the probability that it is right."""

    candidate: Candidate
    behaviour: ProbedBehaviour
    confidence: float
    features: Mapping[str, float]


def choose(behaviours: Sequence[ProbedBehaviour], samples: int, cases: int) -> Choice | None:
    """The likeliest behaviour. `samples` is how often a model was asked, `cases` what they met."""
    if not behaviours:
        return None
    judged = [(features_of(b, behaviours, samples, cases), b) for b in behaviours]
    features, best = max(judged, key=lambda pair: score(pair[0]))
    return Choice(best.best, best, probability(features), features)


def features_of(
    behaviour: ProbedBehaviour, behaviours: Sequence[ProbedBehaviour], samples: int, cases: int
) -> dict[str, float]:
    """What speaks for a behaviour, as numbers between 0 and 1 or so."""
    mass = sum(other.edit_mass for other in behaviours)
    backers = [other for other in behaviours if supports(behaviour, other)]
    votes = sum(other.votes() for other in backers)
    edit_mass = sum(other.edit_mass for other in backers)
    rival_votes = sum(other.votes() for other in behaviours) - votes
    cost = min((e.cost for other in backers for e in other.edits), default=3.0)
    fixed = any(other.votes(FIX) for other in backers)
    rewritten = any(other.votes(REWRITE) for other in backers)
    return {
        "bias": 1.0,
        "edit_share": edit_mass / mass if mass else 0.0,
        "has_edit": float(edit_mass > 0),
        "cheap": max(0.0, 2.0 - cost),
        "vote_share": votes / samples if samples else 0.0,
        "both": float(edit_mass > 0 and votes > 0),
        "rewritten": float(rewritten),
        "fixed": float(fixed),
        "independent": float((edit_mass > 0) + fixed + rewritten > 1),  # who did not see each other
        "rivals": rival_votes / samples if samples else 0.0,
        "others": math.log1p(len(behaviours) - len(backers)),
        "truth": math.log1p(cases),
        "asked": float(samples > 0),
    }


def score(features: Mapping[str, float]) -> float:
    return sum(weight * features.get(name, 0.0) for name, weight in WEIGHTS.items())


def probability(features: Mapping[str, float]) -> float:
    return 1.0 / (1.0 + math.exp(-score(features)))
