"""Metrics made from outcomes: shares with Wilson's interval, means with a bootstrap's."""

from collections.abc import Iterable, Sequence
from typing import Any

from hammerstone.core.evaluations import SCORE, Better, CaseMark, CaseOutcome, MetricValue
from hammerstone.evaluation.board.numbers.statistics import bootstrap_mean, wilson


def passed_share(
    name: str, outcomes: Iterable[CaseOutcome], *, paired: bool = True, **more: Any
) -> MetricValue:
    """The share of passed cases. Flaky ones and errors of graders are counted apart.

    Not `paired` for a share of some cases only: two runs would choose different ones.
    """
    of = SCORE if paired else ""
    counted = [one for one in outcomes if one.mark in (CaseMark.PASSED, CaseMark.FAILED)]
    passed = sum(one.passed for one in counted)
    if not counted:
        return MetricValue(name, None, "share", of=of, **more)
    interval = wilson(passed, len(counted))
    value = passed / len(counted)
    return MetricValue(name, value, "share", low=interval.low, high=interval.high, of=of, **more)


def mean_of(name: str, key: str, outcomes: Iterable[CaseOutcome], **more: Any) -> MetricValue:
    """The mean of the cases' score, or of one of their `numbers`.

    Of numbers that are all 0 or 1 it is a share: a bootstrap of few equal ones would be sure.
    """
    values = [value for one in outcomes if one.counts and (value := number(one, key)) is not None]
    if not values:
        return MetricValue(name, None, of=key, **more)
    if len(values) == 1 and values[0] not in (0.0, 1.0):
        return MetricValue(name, values[0], of=key, **more)
    share = all(value in (0.0, 1.0) for value in values)
    interval = wilson(round(sum(values)), len(values)) if share else bootstrap_mean(values)
    mean = sum(values) / len(values)
    return MetricValue(name, mean, low=interval.low, high=interval.high, of=key, **more)


def number(outcome: CaseOutcome, key: str) -> float | None:
    """What a metric is the mean of, for one case; None where the case has no such number."""
    return outcome.score if key == SCORE else outcome.numbers.get(key)


def seconds_of(name: str, outcomes: Sequence[CaseOutcome], **more: Any) -> MetricValue:
    """The median of the cases' seconds."""
    known = sorted(one.seconds for one in outcomes if one.counts)
    middle = known[len(known) // 2] if known else None
    return MetricValue(name, middle, "s", better=Better.LOWER, **more)
