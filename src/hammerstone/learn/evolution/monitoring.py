"""What the scores of many days say: steady, an outage, too low, drifting, or a change that lost.

Windows of days are compared case by case, so that hard cases do not count as bad days. A day on
which most cases had no answer at all is an outage: it is noted, and nothing is concluded.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hammerstone.learn.evolution.evolution_policy import MonitorPolicy
from hammerstone.learn.promotion.evidence import Comparison, EvidenceFinding, ScorePair, compare


class MonitorFinding(StrEnum):
    STEADY = "steady"
    UNKNOWN = "unknown"  # a budget ended in the middle, or the suite cannot be run
    OUTAGE = "outage"
    LOST = "a change lost"
    DRIFT = "drift"
    LOW = "too low"


@dataclass(frozen=True, slots=True)
class SuiteLook:
    """A suite's scores at one moment. `answered` is the share of cases with an answer."""

    at: datetime
    average: float
    answered: float
    cases: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A change in force: when it was made, and whether a person decided it."""

    proposal: str
    title: str
    at: datetime
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class MonitorDecision:
    finding: MonitorFinding
    why: str
    average: float
    change: ChangeMark | None = None
    followed: str = ""  # what was done about it, in words

    @property
    def evolve(self) -> bool:
        """Whether it is time to start evolving."""
        return self.finding in (MonitorFinding.LOW, MonitorFinding.DRIFT)


def judge_looks(
    looks: Sequence[SuiteLook], changes: Sequence[ChangeMark], policy: MonitorPolicy
) -> MonitorDecision:
    """What the looks, oldest first, come to. A change that lost comes before everything else."""
    if not looks:
        return MonitorDecision(MonitorFinding.STEADY, "it was never looked at", 0.0)
    last = looks[-1]
    if is_outage(last, policy):
        why = f"{1 - last.answered:.0%} of the cases had no answer: nothing is concluded from that"
        return MonitorDecision(MonitorFinding.OUTAGE, why, last.average)
    sound = [look for look in looks if not is_outage(look, policy)]
    days = _by_day(sound)
    recent = days[-policy.short_days :]
    average = sum(look.average for look in recent) / len(recent)
    for change in sorted(changes, key=lambda one: one.at, reverse=True):
        if told := _lost(sound, change, policy):
            return MonitorDecision(MonitorFinding.LOST, told, average, change)
    if average + policy.low_errors * _standard_error(recent) < policy.evolve_below:
        told = "1 day" if len(recent) == 1 else f"{len(recent)} days"
        why = f"the average of {told} is {average:.2f}, below {policy.evolve_below:.2f}"
        return MonitorDecision(MonitorFinding.LOW, why, average)
    if told := _drifts(days, policy):
        return MonitorDecision(MonitorFinding.DRIFT, told, average)
    return MonitorDecision(MonitorFinding.STEADY, f"the average is {average:.2f}", average)


def _by_day(looks: Sequence[SuiteLook]) -> list[SuiteLook]:
    """The last look of each day: what was in force when it ended."""
    return [*{look.at.date(): look for look in looks}.values()]


def is_outage(look: SuiteLook, policy: MonitorPolicy) -> bool:
    return look.answered < 1 - policy.outage_share


def _standard_error(looks: Sequence[SuiteLook]) -> float:
    """How far the average of these looks may be off by chance alone."""
    scores = [score for look in looks for score in look.cases.values()]
    if len(scores) < 2:
        return 0.0
    mean = sum(scores) / len(scores)
    return math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores) / len(scores))


def _lost(looks: Sequence[SuiteLook], change: ChangeMark, policy: MonitorPolicy) -> str:
    """In words how a change made things worse; empty when it did not."""
    window = timedelta(days=policy.long_days)
    before = [look for look in looks if change.at - window <= look.at < change.at]
    after = [look for look in looks if change.at <= look.at <= change.at + window]
    if not before or not after:
        return ""
    found = _compared(before, after[: policy.long_days], policy)
    if found.finding is not EvidenceFinding.WORSE:
        return ""
    return (
        f"since {change.title} {found.losses} cases are worse and {found.wins} better "
        f"({_mean(before):.2f} before, {_mean(after):.2f} since)"
    )


def _drifts(looks: Sequence[SuiteLook], policy: MonitorPolicy) -> str:
    recent = looks[-policy.short_days :]
    earlier = looks[-policy.short_days - policy.long_days : -policy.short_days]
    if len(recent) < policy.short_days or len(earlier) < policy.short_days:
        return ""
    found = _compared(earlier, recent, policy)
    if found.finding is not EvidenceFinding.WORSE:
        return ""
    return (
        f"of the last {policy.short_days} days {found.losses} cases are worse than in the "
        f"{len(earlier)} days before, {found.wins} better ({_mean(earlier):.2f}, now "
        f"{_mean(recent):.2f})"
    )


def _compared(
    before: Sequence[SuiteLook], after: Sequence[SuiteLook], policy: MonitorPolicy
) -> Comparison:
    """Case by case, its mean in both windows. One looks every day, so the test is one that stays
    valid however often one looks; and what differs by less than `least` is no difference."""
    old, new = _by_case(before), _by_case(after)
    pairs = [
        ScorePair(case, old[case], new[case])
        for case in sorted(old.keys() & new.keys())
        if abs(old[case] - new[case]) >= policy.least_change
    ]
    return compare(pairs, policy.alarm, looks=2)


def _by_case(looks: Sequence[SuiteLook]) -> dict[str, float]:
    scores: dict[str, list[float]] = {}
    for look in looks:
        for case, score in look.cases.items():
            scores.setdefault(case, []).append(score)
    return {case: sum(each) / len(each) for case, each in scores.items()}


def _mean(looks: Sequence[SuiteLook]) -> float:
    return sum(look.average for look in looks) / len(looks)
