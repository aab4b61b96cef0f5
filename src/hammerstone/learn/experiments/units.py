"""Sessions as the units of an experiment: one session is one, whatever its number of requests."""

from collections import Counter
from collections.abc import AsyncIterable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hammerstone.core.answers import AnswerStatus
from hammerstone.core.experiments import Experiment, ExperimentMetric
from hammerstone.core.feedback import UseVerdict
from hammerstone.core.run_record import RunRecord
from hammerstone.learn.policies import ExperimentPolicy
from hammerstone.storage.stores.runs.runs import RecordedRun


@dataclass(frozen=True, slots=True)
class SessionUnit:
    """One session in one variant: the mean of each metric over its runs."""

    session_id: str
    user: str
    variant: str
    day: int  # since the experiment's start; never negative, and never less than the one before
    values: Mapping[ExperimentMetric, float]


@dataclass(slots=True)
class _Session:
    user: str
    variant: str
    first: datetime
    runs: list[dict[ExperimentMetric, float]]


async def session_units(
    experiment: Experiment,
    runs: AsyncIterable[RecordedRun],
    policy: ExperimentPolicy,
    now: datetime,
) -> list[SessionUnit]:
    """The sessions that count by now, in the order in which they began.

    A session counts once, when its time is over, with the runs of that time. Clocks may differ: a
    run from before the start counts as of the start, one from the future waits for its moment.
    """
    lasts = timedelta(hours=policy.session_hours)
    found: dict[str, _Session] = {}
    async for run in runs:
        record = RunRecord.from_json(run.record)
        variant = record.variants.get(experiment.id) if record else None
        if record is None or variant is None:
            continue
        at = max(run.started_at, experiment.started_at)
        session = found.setdefault(run.session_id, _Session(run.user, variant, at, []))
        if at - session.first <= lasts:
            session.runs.append(run_values(run, record))
    settled = [(id, one) for id, one in found.items() if one.first + lasts <= now]
    settled.sort(key=lambda pair: (pair[1].first, pair[0]))
    units = [
        SessionUnit(
            session_id=id,
            user=one.user,
            variant=one.variant,
            day=(one.first + lasts - experiment.started_at).days,
            values={
                metric: sum(run[metric] for run in one.runs) / len(one.runs)
                for metric in ExperimentMetric
            },
        )
        for id, one in settled
    ]
    return bounded_shares(units, policy.person_share)


def run_values(run: RecordedRun, record: RunRecord) -> dict[ExperimentMetric, float]:
    """What one run comes to in each metric."""
    done = run.status == AnswerStatus.DONE
    wrong = UseVerdict.WRONG in run.verdicts
    reused = done and record.model_calls == 0 and (record.cached or bool(record.tools))
    return {
        ExperimentMetric.SUCCESS: float(done and not wrong),
        ExperimentMetric.CONFIRMED: float(done and not wrong and UseVerdict.GOOD in run.verdicts),
        ExperimentMetric.REUSE: float(reused),
        ExperimentMetric.CACHED: float(record.cached),
        ExperimentMetric.MODEL_CALLS: float(record.model_calls),
        ExperimentMetric.TOKENS: float(record.tokens),
        ExperimentMetric.SECONDS: record.seconds,
        ExperimentMetric.USD: record.usd,
    }


def bounded_shares(units: Iterable[SessionUnit], share: float) -> list[SessionUnit]:
    """The units without those that would give one person more than a share of all so far.

    Of two people each may have a half, and somebody alone everything. Whether a unit counts is
    known before its values are, so that leaving it out favours no variant.
    """
    kept: list[SessionUnit] = []
    mine: Counter[str] = Counter()
    for unit in units:
        mine[unit.user] += 0
        if mine[unit.user] <= max(share, 1 / len(mine)) * len(kept):
            kept.append(unit)
            mine[unit.user] += 1
    return kept
