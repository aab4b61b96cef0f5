"""A run as a whole: chapters, measurements, metrics and how many cases ended how."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.evaluations import (
    CaseTally,
    Chapter,
    EvaluationRun,
    MeasurementRecord,
    MeasurementState,
)
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage import Stores

# Whoever has the recorded evaluations: a database, or the engine.
EvaluationRecords = Stores | Hammerstone


@dataclass(frozen=True, slots=True)
class ChapterCost:
    """Seconds and tokens that a chapter took to measure."""

    chapter: Chapter
    seconds: float
    tokens: int

    def to_json(self) -> JsonObject:
        return {"seconds": round(self.seconds, 1), "tokens": self.tokens}


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """What a run found, ready to be shown."""

    run: EvaluationRun
    records: tuple[MeasurementRecord, ...]
    tallies: Mapping[str, CaseTally]

    def tally(self, record: MeasurementRecord) -> CaseTally:
        return self.tallies.get(record.measurement, CaseTally())

    def chapters(self) -> list[tuple[Chapter, list[MeasurementRecord]]]:
        """The records by chapter, in the order of the chapters."""
        order = list(Chapter)
        ranked = sorted(self.records, key=lambda one: order.index(one.chapter))
        return [(name, list(some)) for name, some in groupby(ranked, lambda one: one.chapter)]

    def costs(self) -> "list[ChapterCost]":
        """What each chapter took to measure."""
        return [
            ChapterCost(name, sum(one.seconds for one in some), sum(one.tokens for one in some))
            for name, some in self.chapters()
        ]

    @property
    def targets(self) -> tuple[int, int]:
        """How many targets are met, of how many."""
        marks = [metric.reached for one in self.records for metric in one.metrics]
        return sum(mark is True for mark in marks), sum(mark is not None for mark in marks)

    @property
    def left_open(self) -> int:
        """Targets that are not met, and of which so few cases do not say that they are missed."""
        return sum(metric.left_open for one in self.records for metric in one.metrics)

    @property
    def not_done(self) -> list[MeasurementRecord]:
        return [one for one in self.records if one.state is not MeasurementState.DONE]

    def to_json(self) -> JsonObject:
        met, of = self.targets
        return {
            "run": run_json(self.run),
            "targets_met": met,
            "targets": of,
            "targets_left_open": self.left_open,
            "seconds": round(sum(one.seconds for one in self.records), 1),
            "tokens": sum(one.tokens for one in self.records),
            "chapters": {str(cost.chapter): cost.to_json() for cost in self.costs()},
            "measurements": [self._record_json(one) for one in self.records],
        }

    def _record_json(self, record: MeasurementRecord) -> JsonObject:
        tally = self.tally(record)
        metrics: list[Json] = [
            {**metric.to_json(), "reached": metric.reached, "left_open": metric.left_open}
            for metric in record.metrics
        ]
        return {
            "name": record.measurement,
            "title": record.title,
            "chapter": str(record.chapter),
            "state": str(record.state),
            "why": record.why,
            "seconds": round(record.seconds, 2),
            "tokens": record.tokens,
            "data": record.data,
            "reused": record.reused,
            "passed": tally.passed,
            "failed": tally.failed,
            "flaky": tally.flaky,
            "grader_errors": tally.grader_errors,
            "metrics": metrics,
        }


def run_json(run: EvaluationRun) -> JsonObject:
    ended = run.finished_at.isoformat() if run.finished_at else None
    return {
        "id": run.id,
        "set": str(run.chosen),
        **run.versions.to_json(),
        "started_at": run.started_at.isoformat(),
        "finished_at": ended,
        "options": dict(run.options),
        "machine": run.machine,
    }


async def read_scoreboard(db: EvaluationRecords, run_id: str) -> Scoreboard:
    """A recorded run. Raises `NotFound`."""
    run = await db.evaluations.get(run_id)
    records = await db.evaluations.records(run_id)
    return Scoreboard(run, tuple(records), await db.evaluations.tallies(run_id))
