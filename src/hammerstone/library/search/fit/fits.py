"""The fit decision, measured: does the gate know when nothing fits?

Two questions, each with as many sides. With a file of requests that no offered function
answers: a request and the one function on offer, right or not. Always: a request and the best
hit of the whole library, with its right tools there or taken out. The second is asked twice:
as labelled, where a near copy of a right tool counts as wrong although it would answer, and
with such copies counted as right.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.library.search.experience import Experience
from hammerstone.library.search.fit.gate import FitGate
from hammerstone.library.search.fit.measures import auroc, calibration_error
from hammerstone.library.search.fit.signals import CROWD, Signals, read_signals
from hammerstone.library.search.ranking import Ranker

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

FOLDS = 5
COPY = 0.85  # cosine from which two tools count as copies of each other


@dataclass(frozen=True, slots=True)
class LabelledRequest:
    """A request and the names of the tools that answer it."""

    request: str
    tools: frozenset[str]


@dataclass(frozen=True, slots=True)
class FitObservation:
    """What the gate sees, whether the tool fits, and the tool that folds are split by."""

    signals: Signals
    fits: bool
    tool: str


def pair_decision(
    ranker: Ranker, request: str, vector: Floats | None, tool: str, *, fits: bool
) -> FitObservation:
    """A request with one tool on offer."""
    place = np.array([ranker.catalog.places[tool]], np.intp)
    (only,) = ranker.rank(request, vector, 1, None, place)
    return FitObservation(read_signals(request, only, (), ranker.catalog, 0.0), fits, tool)


def library_decisions(
    ranker: Ranker,
    requests: Sequence[LabelledRequest],
    vectors: Sequence[Floats | None],
    experience: Experience | None = None,
    *,
    copies: bool = True,
) -> list[FitObservation]:
    """Each request over the whole library, with its right tools and without them."""
    decisions: list[FitObservation] = []
    for labelled, vector in zip(requests, vectors, strict=True):
        right = labelled.tools
        if copies:
            right |= _copies(ranker, labelled.tools)
        decisions += _best(ranker, labelled, vector, right, experience)
        with ranker.catalog.without(right):
            decisions += _best(ranker, labelled, vector, right, experience)
    return decisions


def _best(
    ranker: Ranker,
    labelled: LabelledRequest,
    vector: Floats | None,
    right: frozenset[str],
    experience: Experience | None,
) -> list[FitObservation]:
    """The decision about the best hit; none in an empty library."""
    hits = ranker.rank(labelled.request, vector, 1 + CROWD, experience)
    if not hits:
        return []
    best, *others = hits
    past = 0.0
    if experience is not None and vector is not None:
        past = experience.nearest(vector, best.name)
    signals = read_signals(labelled.request, best, others, ranker.catalog, past)
    return [FitObservation(signals, best.name in right, min(labelled.tools))]


def _copies(ranker: Ranker, names: frozenset[str]) -> frozenset[str]:
    copies: set[str] = set()
    for name in names:
        own = ranker.catalog.vector(name)
        if own is not None:
            unit = (own / np.linalg.norm(own)).astype(np.float32)
            cosine = ranker.catalog.scores("", unit).cosine
            for place in np.flatnonzero(cosine >= COPY).tolist():
                if copy := ranker.catalog.name_at(place):
                    copies.add(copy)
    return frozenset(copies)


def measure(
    decisions: Sequence[FitObservation], *, meaning: bool = True
) -> dict[str, float | None]:
    """AUROC, accuracy and calibration of gates that never saw the tool they judge.

    None where too few tools leave a fold without decisions of both kinds to learn from.
    """
    fits = [decision.fits for decision in decisions]
    judged = held_out(
        decisions,
        lambda seen: FitGate.fitted(
            [d.signals for d in seen], [d.fits for d in seen], meaning=meaning
        ),
    )
    if judged is None:
        unknown = dict.fromkeys(("auroc", "accuracy", "calibration_error"))
        return {**unknown, "decisions": len(decisions)}
    return {
        "auroc": round(auroc(judged.tolist(), fits), 4),
        "accuracy": round(float(((judged >= 0.5) == np.array(fits)).mean()), 4),
        "calibration_error": round(calibration_error(judged.tolist(), fits), 4),
        "decisions": len(decisions),
    }


def held_out(
    decisions: Sequence[FitObservation], fitted: Callable[[Sequence[FitObservation]], FitGate]
) -> Doubles | None:
    """What gates say of each decision that were fitted without its tool; None as for `measure`."""
    folds = np.array([_fold_of(decision.tool) for decision in decisions])
    judged = np.zeros(len(decisions))
    for fold in range(FOLDS):
        seen = [d for d, own in zip(decisions, folds, strict=True) if own != fold]
        if len({d.fits for d in seen}) < 2:
            return None
        gate = fitted(seen)
        for row in np.flatnonzero(folds == fold).tolist():
            judged[row] = gate.probability(decisions[row].signals)
    return judged


def _fold_of(tool: str) -> int:
    return hashlib.sha256(tool.encode()).digest()[0] % FOLDS
