"""How learning goes, day by day: from the stored runs, and from what was changed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from hammerstone.core.answers import AnswerStatus
from hammerstone.core.clock import Clock
from hammerstone.core.feedback import UseVerdict
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.run_record import RunRecord
from hammerstone.learn.repair.tool_repairer import RepairOutcome
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.learning_counts import PolicyMove
from hammerstone.storage.stores.runs.runs import RecordedRun

_RECENT_S = 60.0
Settle = Callable[[], Awaitable[None]]
_TRIED = (RepairOutcome.REPAIRED, RepairOutcome.FAILED, RepairOutcome.QUARANTINED,
          RepairOutcome.ROLLED_BACK)  # fmt: skip

MEANINGS: dict[str, str] = {
    "requests": "Requests.",
    "success": "Share of requests that were answered and not called wrong.",
    "cache_hit_rate": "Share of requests whose answer was known word for word.",
    "composite_use": "Share of requests that a learned chain answered.",
    "tools_per_request": "Tools called for one request.",
    "model_calls_per_request": "Model calls for one request.",
    "retrieval_precision": "Share of judged tool uses in which the right tool was used.",
    "repair_success": "Share of the repairs that were tried and kept.",
    "patterns": "Workflows that were seen for the first time.",
    "promotions": "Changes that were put in force.",
    "policy_movement": "How far policies moved: 0 is no change, 0.5 a number doubled or halved.",
}
"""The metrics by name, with what each means."""


@dataclass(slots=True)
class _Day:
    """What one day came to."""

    requests: int = 0
    success: int = 0
    cached: int = 0
    composite: int = 0
    tools: int = 0
    model_calls: int = 0
    good: int = 0
    wrong: int = 0
    repairs: int = 0
    repaired: int = 0
    patterns: int = 0
    promotions: int = 0
    moved: float = 0.0
    versions: list[list[str]] = field(default_factory=list[list[str]])  # of each run's tools

    def add(self, run: RecordedRun, record: RunRecord) -> None:
        wrong = UseVerdict.WRONG in run.verdicts
        self.requests += 1
        self.success += run.status == AnswerStatus.DONE and not wrong
        self.cached += record.cached
        self.tools += len(record.tools)
        self.model_calls += record.model_calls
        self.good += run.verdicts.count(UseVerdict.GOOD)
        self.wrong += run.verdicts.count(UseVerdict.WRONG)
        self.versions.append([tool.version_id for tool in record.tools])

    def to_json(self) -> JsonObject:
        def of(count: float, whole: float) -> float | None:
            return round(count / whole, 4) if whole else None

        return {
            "requests": self.requests,
            "success": of(self.success, self.requests),
            "cache_hit_rate": of(self.cached, self.requests),
            "composite_use": of(self.composite, self.requests),
            "tools_per_request": of(self.tools, self.requests),
            "model_calls_per_request": of(self.model_calls, self.requests),
            "retrieval_precision": of(self.good, self.good + self.wrong),
            "repair_success": of(self.repaired, self.repairs),
            "patterns": self.patterns,
            "promotions": self.promotions,
            "policy_movement": round(self.moved, 4),
        }


class LearningMetrics:
    """`hammerstone metrics`: each metric of each day, of one person's requests or of all."""

    def __init__(self, db: Database, clock: Clock, settle: Settle) -> None:
        self._db = db
        self._clock = clock
        self._settle = settle
        self._recent: tuple[float, JsonObject] | None = None

    async def recent(self) -> JsonObject:
        """The total of the last seven days over all people, at most a minute old."""
        now = self._clock.elapsed_s()
        if self._recent is None or now - self._recent[0] > _RECENT_S:
            total = (await self.over_time(days=7))["total"]
            self._recent = (now, total if isinstance(total, dict) else {})
        return self._recent[1]

    async def over_time(self, user: str | None = None, days: int = 28) -> JsonObject:
        """The days and their total. Repairs, patterns, promotions and policies are everybody's.

        Runs from before there were records are left out.
        """
        await self._settle()
        today = self._clock.now().date()
        first = today - timedelta(days=days - 1)
        since = datetime.combine(first, datetime.min.time(), self._clock.now().tzinfo)
        by_day = {first + timedelta(days=n): _Day() for n in range(days)}

        def day_of(at: datetime) -> _Day:
            return by_day[min(max(at.date(), first), today)]

        async for run in self._db.run_facts.since(since, user):
            record = RunRecord.from_json(run.record)
            if record is not None:
                day_of(run.started_at).add(run, record)
        await self._composites(by_day)
        counts = self._db.learning_counts
        for event in await counts.patterns(since):
            day_of(event.at).patterns += 1
        for event in await counts.promotions(since):
            day_of(event.at).promotions += 1
        for event in await counts.repairs(since):
            day_of(event.at).repairs += event.ended in _TRIED
            day_of(event.at).repaired += event.ended == RepairOutcome.REPAIRED
        for at, size in movements(await counts.policy_moves()):
            if at >= since:
                day_of(at).moved += size
        series: list[Json] = [
            {"day": day.isoformat(), **one.to_json()} for day, one in by_day.items()
        ]
        total = _total(by_day)
        return {
            "since": first.isoformat(),
            "person": user,
            "total": total.to_json(),
            "days": series,
            "about": dict(MEANINGS),
        }

    async def _composites(self, by_day: dict[date, _Day]) -> None:
        used = {id for day in by_day.values() for run in day.versions for id in run}
        composites = await self._db.learning_counts.composites(sorted(used))
        for day in by_day.values():
            day.composite = sum(any(id in composites for id in run) for run in day.versions)


def _total(by_day: dict[date, _Day]) -> _Day:
    total = _Day()
    for day in by_day.values():
        for name in _Day.__slots__:
            if name != "versions":
                setattr(total, name, getattr(total, name) + getattr(day, name))
    return total


def movements(moves: list[PolicyMove]) -> list[tuple[datetime, float]]:
    """How far each change moved its numbers: the sum over fields of the relative difference."""
    found: list[tuple[datetime, float]] = []
    before: dict[str, JsonObject] = {}
    for move in moves:
        value = move.value if isinstance(move.value, dict) else {}
        known = before.get(move.name, {})
        sizes = [_size(known.get(key), value.get(key)) for key in {**known, **value}]
        found.append((move.at, sum(sizes)))
        before[move.name] = value
    return found


def _size(old: Json, new: Json) -> float:
    """0 for the same, at most 1; what was not set before, and a switch, moves by 1."""
    if old == new:
        return 0.0
    if not isinstance(old, int | float) or not isinstance(new, int | float):
        return 1.0
    return min(1.0, abs(new - old) / max(abs(new), abs(old)))
