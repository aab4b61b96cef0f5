"""Candidates for a fix, grouped by what they do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from hammerstone.core.calls import Outcome
from hammerstone.judging.labels import Labels

EDIT = "edit"
FIX = "fix"
REWRITE = "rewrite"

_STEEP = 3.0  # how much less likely an edit is for each point of cost
_COMMON = 0.4  # share of the probes on which two must both have a value to be compared


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that may be the fix. `cost` is an edit's; a model's own is 0."""

    code: str
    origin: str
    change: str
    cost: float = 0.0


@dataclass(slots=True)
class ProbedBehaviour:
    """Candidates that gave the same result for every probe."""

    labels: tuple[int, ...]
    members: list[Candidate] = field(default_factory=list[Candidate])
    constant: bool = False  # one and the same result for every probe, or none at all

    @property
    def edits(self) -> list[Candidate]:
        return [member for member in self.members if member.origin == EDIT]

    def votes(self, origin: str = "") -> int:
        """How many samples of a model behave like this."""
        wanted = (origin,) if origin else (FIX, REWRITE)
        return sum(member.origin in wanted for member in self.members)

    @property
    def edit_mass(self) -> float:
        costs = sorted(edit.cost for edit in self.edits)[:3]
        return sum(math.exp(-_STEEP * cost) for cost in costs)

    @property
    def best(self) -> Candidate:
        """The member to keep: the cheapest edit, which changes least, else the shortest."""
        if self.edits:
            return min(self.edits, key=lambda edit: (edit.cost, len(edit.code)))
        return min(self.members, key=lambda member: len(member.code))


def group(
    candidates: Sequence[Candidate], rows: Sequence[Sequence[Outcome]]
) -> tuple[list[ProbedBehaviour], list[Labels]]:
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
    return list(found.values()), labels


def supports(one: ProbedBehaviour, other: ProbedBehaviour) -> bool:
    """Whether two agree wherever both have a value: where one raises it says nothing."""
    both = [(a, b) for a, b in zip(one.labels, other.labels, strict=True) if a >= 0 and b >= 0]
    if len(both) < _COMMON * len(one.labels):
        return one.labels == other.labels
    return all(a == b for a, b in both)
