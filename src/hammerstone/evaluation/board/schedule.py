"""Which measurement comes when, and how much of an evaluation's time it gets."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hammerstone.core.evaluations import EvaluationSet, MeasurementRecord, MeasurementState
from hammerstone.evaluation.board.measurement import Measurement

LEAST_S = 30.0  # of the full set, for a weight of 1: below it a measurement waits for the next time
MORE = 1.5  # times the seconds before, for what begins anew because its cases are chained
_SETS = list(EvaluationSet)
Records = Mapping[str, MeasurementRecord]


@dataclass(frozen=True, slots=True)
class Turn:
    """A measurement's turn: when it should end, when it has to, and the amounts that fit."""

    until: float | None = None
    last: float | None = None
    amounts: EvaluationSet | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """The time of an evaluation, shared out. `ends` is None where there is no bound.

    The instant and the quick set share their time by weight. The full one gives each measurement
    its share or `LEAST_S` a weight, whichever is more; those that it cannot reach wait, and are
    the first when the same command is given again.
    """

    chosen: EvaluationSet
    ends: float | None = None

    def order(self, some: Sequence[Measurement], before: Records) -> list[Measurement]:
        """What has not begun comes first. The full set does first what smaller sets hold too:
        they hold what matters most. Those that ask a model take as long as they are given, so
        that the others come before them."""
        full = self.chosen is EvaluationSet.FULL

        def rank(one: Measurement) -> tuple[bool, int, bool]:
            least = min(map(_SETS.index, one.sets)) if full else 0
            return _begun(before.get(one.name)), least, one.needs.model

        return sorted(some, key=rank)

    def turn(self, left: Sequence[Measurement], record: MeasurementRecord | None) -> Turn | None:
        """The turn of the first of those that are left; None when it has to wait."""
        if self.ends is None:
            return Turn()
        one, now = left[0], time.monotonic()
        rest = self.ends - now
        share = rest * one.weight / sum(each.weight for each in left)
        if self.chosen is not EvaluationSet.FULL:
            until = now + max(0.0, share)
            return Turn(until, until) if rest > 0 else None
        given = min(rest, max(share, LEAST_S * one.weight))
        if given < max(min(LEAST_S * one.weight, LEAST_S), one.least_s):
            return None
        if _in_vain(one, record, given):
            return None
        short = given < one.full_s or _never_ended(record)
        return Turn(now + given, self.ends, EvaluationSet.QUICK if short else None)


def goes_on(one: Measurement, record: MeasurementRecord) -> bool:
    """Whether time that is left over in the same evaluation would add cases to what was cut."""
    whole = one.timed or one.chained or one.full_s
    return record.state is MeasurementState.PARTLY and bool(record.metrics) and not whole


def _begun(record: MeasurementRecord | None) -> bool:
    begun = (MeasurementState.PARTLY, MeasurementState.FAILED, MeasurementState.DONE)
    return record is not None and record.state in begun


def _never_ended(record: MeasurementRecord | None) -> bool:
    return record is not None and record.state is MeasurementState.PARTLY and not record.metrics


def _in_vain(one: Measurement, record: MeasurementRecord | None, given: float) -> bool:
    """Whether what was measured in part would not become more in this time."""
    if record is None or record.state is not MeasurementState.PARTLY or not record.metrics:
        return False
    return given < one.full_s or (one.chained and given < MORE * record.seconds)
