"""The vote of several whole solutions: which values are the same answer, and which one leads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.solutions import Solution
from hammerstone.judging.equality import decoded, grouped
from hammerstone.run.solve.calibration import VoteWeights, shipped
from hammerstone.run.solve.evidence import SolutionEvidence, evidence_for, is_answer


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Solutions with one answer.

    `value` is in the form that most of them gave it, in wire form; `members` are their positions
    among all solutions; `votes` is what their votes count together, with the evidence for each.
    """

    value: Json
    members: tuple[int, ...]
    votes: float
    evidence: tuple[SolutionEvidence, ...]

    @property
    def agree(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Tally:
    """A count of votes: the groups, the one that leads first; `total` counts all solutions."""

    groups: tuple[AnswerGroup, ...]
    total: int

    @property
    def leader(self) -> AnswerGroup | None:
        return self.groups[0] if self.groups else None

    @property
    def value(self) -> Json:
        return self.groups[0].value if self.groups else None

    @property
    def agree(self) -> int:
        return self.groups[0].agree if self.groups else 0

    @property
    def ran(self) -> int:
        """How many solutions gave an answer at all."""
        return sum(group.agree for group in self.groups)

    def weighed(self, weights: VoteWeights) -> "Tally":
        """The same groups with other weights, in the order these give them."""
        groups = [replace(one, votes=sum(map(weights.vote, one.evidence))) for one in self.groups]
        groups.sort(key=lambda group: (-group.votes, group.members))
        return replace(self, groups=tuple(groups))

    @property
    def alternatives(self) -> tuple[JsonObject, ...]:
        """The answers that did not win, and how many solutions gave each."""
        return tuple({"value": group.value, "agree": group.agree} for group in self.groups[1:])


def tally(solutions: Sequence[Solution], request: str, weights: VoteWeights | None = None) -> Tally:
    """The votes of solutions in the order they were sampled, the greedy one first.

    One that failed, or gave None or NaN, is no answer; it counts in the total. Without `weights`
    the shipped ones are used.
    """
    positions = [at for at, solution in enumerate(solutions) if is_answer(solution)]
    evidence = evidence_for(solutions, request)
    groups: list[AnswerGroup] = []
    for places in grouped([decoded(solutions[at].value) for at in positions]):
        members = tuple(positions[place] for place in places)
        form = _usual_form([solutions[at].value for at in members])
        groups.append(AnswerGroup(form, members, 0.0, tuple(evidence[at] for at in members)))
    counted = Tally(tuple(groups), len(solutions))
    return counted.weighed(shipped().weights if weights is None else weights)


def _usual_form(values: Sequence[Json]) -> Json:
    """The form most often used; of those used equally often the first."""
    counts = [0] * len(values)
    for value in values:
        same = (
            at for at, known in enumerate(values) if type(known) is type(value) and known == value
        )
        counts[next(same, 0)] += 1
    return values[counts.index(max(counts))]


def can_change(tally: Tally, left: int) -> bool:
    """Whether `left` more solutions can still put another answer first, or make it a tie."""
    leader, rival = (*tally.groups, None, None)[:2]
    if leader is None or rival is None:
        return left > 0 and (leader is None or min(leader.agree, leader.votes) <= left)
    return left > 0 and min(leader.agree - rival.agree, leader.votes - rival.votes) <= left
