"""Candidates for a fix, grouped by what they do, and how sure the likeliest one is.

The same judgement as in cross-examination: what independent authors agree on, on inputs nobody
showed them, is believed; one calibrated number says how much. The calibration was fitted on wrong
programs that a model wrote (`fix_calibration.json`, made by `hammerstone eval repair --refit`).
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from hammerstone.core.calls import Outcome
from hammerstone.judging.labels import Labels
from hammerstone.synthesis.examine.belief.confidence import Calibration

EDIT = "edit"
FIX = "fix"
REWRITE = "rewrite"

_COMMON = 0.4  # share of the probes on which two must both have a value to be compared


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that may be the fix, and where it comes from."""

    code: str
    origin: str
    change: str


@dataclass(slots=True)
class ProbedBehaviour:
    """Candidates that gave the same result for every probe."""

    labels: tuple[int, ...]
    members: list[Candidate] = field(default_factory=list[Candidate])
    constant: bool = False  # one and the same result for every probe, or none at all

    def votes(self, *origins: str) -> int:
        """How many samples of a model behave like this; of some points of view or of both."""
        return sum(member.origin in (origins or (FIX, REWRITE)) for member in self.members)

    @property
    def best(self) -> Candidate:
        """The member to keep: what a model wrote most often, the shortest of it; else an edit.

        Among programs that behave alike an edit is the one that only fits what is known.
        """
        written = [member for member in self.members if member.origin != EDIT]
        if not written:
            return self.members[0]  # the smallest edit comes first
        often = Counter(member.code for member in written)
        return max(written, key=lambda member: (often[member.code], -len(member.code)))


def group(
    candidates: Sequence[Candidate], rows: Sequence[Sequence[Outcome]]
) -> list[ProbedBehaviour]:
    """The behaviours of candidates whose results for the probes are given, row by row."""
    labels = [Labels() for _ in (rows[0] if rows else ())]
    found: dict[tuple[int, ...], ProbedBehaviour] = {}
    for candidate, row in zip(candidates, rows, strict=True):
        key = tuple(label.of(outcome) for label, outcome in zip(labels, row, strict=True))
        found.setdefault(key, ProbedBehaviour(key)).members.append(candidate)
    for behaviour in found.values():
        pairs = zip(labels, behaviour.labels, strict=True)
        values = {repr(known.values[label]) for known, label in pairs if label >= 0}
        behaviour.constant = len(values) <= 1
    return list(found.values())


def supports(one: ProbedBehaviour, other: ProbedBehaviour) -> bool:
    """Whether two agree wherever both have a value: where one raises it says nothing."""
    both = [(a, b) for a, b in zip(one.labels, other.labels, strict=True) if a >= 0 and b >= 0]
    if len(both) < _COMMON * len(one.labels):
        return one.labels == other.labels
    return all(a == b for a, b in both)


CALIBRATION_FILE = "fix_calibration.json"
FEATURES = ("share", "lead", "edited", "lost")
"""What the calibration reads; the others explain a choice to a person."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidate, what speaks for it, and the probability that it is right."""

    candidate: Candidate
    behaviour: ProbedBehaviour
    confidence: float
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FixEvidence:
    """Everything a choice is made of.

    `samples` is how many programs were asked of a model, `cases` how many expected values are
    known, `answered` which of the made-up inputs the faulty program gives a value for.
    """

    behaviours: Sequence[ProbedBehaviour]
    samples: int
    cases: int
    answered: Sequence[bool] = ()

    def backers(self, behaviour: ProbedBehaviour) -> list[ProbedBehaviour]:
        return [other for other in self.behaviours if supports(behaviour, other)]

    def votes(self, behaviour: ProbedBehaviour) -> int:
        """How many samples agree with a behaviour wherever they give a value."""
        return sum(other.votes() for other in self.backers(behaviour))

    def edited(self, behaviour: ProbedBehaviour) -> bool:
        return any(other.votes(EDIT) for other in self.backers(behaviour))

    def loses(self, behaviour: ProbedBehaviour) -> bool:
        """Whether it gives no value for an input that even the faulty program answers."""
        pairs = zip(behaviour.labels, self.answered, strict=False)
        return any(label < 0 and answered for label, answered in pairs)


def choose(evidence: FixEvidence, unseconded: float) -> Choice | None:
    """The behaviour that most samples agree with; of equal ones that which an edit has too.

    Of those that agree with each other, one that answers whatever the faulty program does. No
    more than `unseconded` is believed of a program that nobody agrees with.
    """
    if not evidence.behaviours:
        return None

    def rank(behaviour: ProbedBehaviour) -> tuple[int, bool, bool, int]:
        own = behaviour.votes()
        whole = own > 0 and not evidence.loses(behaviour)
        return evidence.votes(behaviour), evidence.edited(behaviour), whole, own

    best = max(evidence.behaviours, key=rank)
    features = features_of(best, evidence)
    return Choice(best.best, best, believed(features, unseconded), features)


def believed(
    features: Mapping[str, float], unseconded: float, calibration: Calibration | None = None
) -> float:
    """The probability that the chosen behaviour is right. One voice alone is no agreement."""
    sure = (calibration or shipped_fix_calibration()).probability(features)
    return sure if features["seconded"] else min(sure, unseconded)


def features_of(behaviour: ProbedBehaviour, evidence: FixEvidence) -> dict[str, float]:
    """What speaks for a behaviour and what against it, as numbers between 0 and 1 or so."""
    backers = evidence.backers(behaviour)
    rivals = [other for other in evidence.behaviours if other not in backers]
    votes = evidence.votes(behaviour)
    strongest = max((evidence.votes(other) for other in rivals), default=0)
    edited = evidence.edited(behaviour)
    return {
        "share": behaviour.votes() / evidence.samples if evidence.samples else 0.0,
        "lead": (votes - strongest) / (votes + strongest) if votes + strongest else 0.0,
        "edited": float(edited),
        "lost": float(evidence.loses(behaviour)),
        "seconded": float(behaviour.votes() + edited > 1),
        "fixed": float(any(other.votes(FIX) for other in backers)),
        "rewritten": float(any(other.votes(REWRITE) for other in backers)),
        "cases": math.log1p(evidence.cases),
        "constant": float(behaviour.constant),
        "rivals": math.log1p(len(rivals)),
    }


@cache
def shipped_fix_calibration() -> Calibration:
    """The calibration that comes with the product."""
    folder = resources.files("hammerstone.learn.repair")
    data = json.loads(folder.joinpath(CALIBRATION_FILE).read_text("utf-8"))
    return Calibration(
        names=tuple(data["names"]),
        weights=tuple(data["weights"]),
        intercept=data["intercept"],
        source=data["source"],
    )
