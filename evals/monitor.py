"""Sixty simulated days of a watched suite: an outage, a bad promotion, and drift.

    python -m evals.monitor [--set instant|quick|full] [--json]

A suite of 60 cases, each right with a chance of its own (0.5 to 1.0), looked at once a day by the
monitor's own rules (`learn/evolution/monitoring.py`) with the shipped policy. Day 12 and 13: the
model is down. Day 22: a change is promoted that costs 12 points; when the monitor takes it back,
that ends. From day 38 on every case gets one point harder each day. Each year of luck is one
case; control years have no event at all, so every alarm in them is false. Beside it a plain rule:
an alarm when a day is more than 5 points below the mean of the 14 days before.
"""

import random
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import fmean

from evals.measured import measured
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import case, higher, lower
from hammerstone.learn.evolution.evolution_policy import MonitorPolicy
from hammerstone.learn.evolution.monitoring import (
    ChangeMark,
    MonitorFinding,
    SuiteLook,
    is_outage,
    judge_looks,
)

DAYS, CASES, TOKENS_A_CASE = 60, 60, 700
OUTAGE, PROMOTION, DRIFT = (12, 13), 22, 38
BAD, DRIFT_A_DAY = 0.12, 0.01
START = datetime(2026, 1, 1, tzinfo=UTC)
SEEDS = 100
FIRST_SEED = 1_000  # the policy was chosen on the seeds below
PLAIN_DROP = 0.05
ALARMS = (MonitorFinding.LOST, MonitorFinding.DRIFT, MonitorFinding.LOW)


@dataclass(slots=True)
class YearOfLuck:
    """What happened in one simulation: the day of each alarm, ours and the plain rule's."""

    alarms: list[tuple[int, MonitorFinding]] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)
    rolled_back: int | None = None
    wrong_rollback: bool = False
    concluded_from_outage: bool = False
    cases_run: int = 0


def simulate(seed: int, policy: MonitorPolicy, *, events: bool) -> YearOfLuck:
    rng = random.Random(seed)
    chances = [rng.uniform(0.5, 1.0) for _ in range(CASES)]
    looks: list[SuiteLook] = []
    good = ChangeMark("good", "a harmless change", START + timedelta(days=8))
    bad = ChangeMark("bad", "a bad change", START + timedelta(days=PROMOTION))
    luck, in_force = YearOfLuck(), [good]
    for day in range(DAYS):
        if events and day == PROMOTION:
            in_force.append(bad)
        looks.append(_look(rng, day, chances, bad in in_force, events))
        luck.cases_run += CASES
        if _plain_alarm(looks, policy):
            luck.plain.append(day)
        decision = judge_looks(looks, in_force, policy)
        if is_outage(looks[-1], policy) and decision.finding is not MonitorFinding.OUTAGE:
            luck.concluded_from_outage = True
        if decision.finding is MonitorFinding.LOST and decision.change is not None:
            luck.wrong_rollback |= decision.change is not bad
            if decision.change is bad:
                luck.rolled_back = day
            in_force.remove(decision.change)
        if decision.finding in ALARMS:
            luck.alarms.append((day, decision.finding))
    return luck


def _look(
    rng: random.Random, day: int, chances: Sequence[float], bad: bool, events: bool
) -> SuiteLook:
    at = START + timedelta(days=day, hours=1)
    if events and day in OUTAGE:
        return SuiteLook(at, 0.0, 0.0, {})
    harder = DRIFT_A_DAY * max(0, day - DRIFT) if events else 0.0
    lost = BAD if bad else 0.0
    scores = {
        f"c{n}": float(rng.random() < chance - lost - harder) for n, chance in enumerate(chances)
    }
    return SuiteLook(at, fmean(scores.values()), 1.0, scores)


def _plain_alarm(looks: Sequence[SuiteLook], policy: MonitorPolicy) -> bool:
    before = looks[-policy.long_days - 1 : -1]
    if len(before) < policy.short_days:
        return False
    return looks[-1].average < fmean(look.average for look in before) - PLAIN_DROP


def _first(days: Sequence[int], begin: int, end: int) -> int | None:
    return next((day - begin for day in days if begin <= day < end), None)


def _outcome(seed: int, luck: YearOfLuck) -> CaseOutcome:
    days = [day for day, _ in luck.alarms]
    promoted = _first(days, PROMOTION, DRIFT)
    drifted = _first(days, DRIFT, DAYS)
    numbers: dict[str, float] = {
        "false": float(len([day for day in days if day < PROMOTION])),
        "plain_false": float(len([day for day in luck.plain if day < PROMOTION])),
    }
    for name, value in (
        ("notice", promoted),
        ("roll_back", None if luck.rolled_back is None else luck.rolled_back - PROMOTION),
        ("drift", drifted),
        ("plain_notice", _first(luck.plain, PROMOTION, DRIFT)),
        ("plain_drift", _first(luck.plain, DRIFT, DAYS)),
    ):
        if value is not None:
            numbers[name] = float(value)
    passed = luck.rolled_back is not None and drifted is not None and not luck.wrong_rollback
    told = f"rolled back on day {luck.rolled_back}, alarms {luck.alarms}"
    return case(f"luck {seed}", passed and not luck.concluded_from_outage, numbers, given=told)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """One case a simulation with events; the control simulations count false alarms."""
    policy = context.policies.get(MonitorPolicy)
    seeds = range(FIRST_SEED, FIRST_SEED + SEEDS)
    outcomes = [_outcome(seed, simulate(seed, policy, events=True)) for seed in seeds]
    for outcome in outcomes:
        yield outcome
    yield passed_share(
        "bad promotion rolled back, drift noticed, outage ignored", outcomes, target=0.9
    )
    yield mean_of("days to notice the bad promotion", "notice", outcomes, unit="days")
    yield mean_of("days to roll it back", "roll_back", outcomes, unit="days")
    yield mean_of("days to notice drift", "drift", outcomes, unit="days")
    yield mean_of("days to notice the bad promotion, plain rule", "plain_notice", outcomes,
                  unit="days")  # fmt: skip
    quiet = [
        simulate(seed, policy, events=False)
        for seed in range(2 * FIRST_SEED, 2 * FIRST_SEED + SEEDS)
    ]
    ours = fmean(len(one.alarms) for one in quiet)
    plain = fmean(len(one.plain) for one in quiet)
    yield lower("false alarms in 60 quiet days", ours, "count", baseline=plain,
                baseline_name="plain rule", target=1.0)  # fmt: skip
    wrong = sum(one.wrong_rollback for one in quiet) / len(quiet)
    yield lower("quiet times in which a harmless change was rolled back", wrong, "share")
    yield lower("tokens a day", CASES * TOKENS_A_CASE, "count")
    yield higher("simulated days", float(DAYS * 2 * SEEDS), "count")


if __name__ == "__main__":
    measured("monitor")
