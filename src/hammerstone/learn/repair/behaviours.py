"""Candidates for a fix, grouped by what they do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hammerstone.core.calls import Outcome
from hammerstone.judging.labels import Labels

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
