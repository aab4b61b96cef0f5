"""One evaluation: measurement after measurement, every case recorded as soon as it is known."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from hammerstone.core.errors import HammerstoneError, Stopped
from hammerstone.core.evaluations import (
    CaseOutcome,
    EvaluationRun,
    EvaluationSet,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.board.schedule import Schedule, Turn, goes_on
from hammerstone.evaluation.board.versions import data_hash, work_hash
from hammerstone.storage import Database

# The instant set takes under two minutes on two quiet cores. On busy ones it takes longer rather
# than to leave cases out: two runs of it hold the same cases.
BUDGETS_S: dict[EvaluationSet, float | None] = {
    EvaluationSet.INSTANT: 600.0,
    EvaluationSet.QUICK: 600.0,
    EvaluationSet.FULL: None,
}
BATCH = 50  # cases written at a time
BATCH_S = 2.0  # or after this
# After its time a measurement may still finish its last case; as long after that it is cut off.
GRACE_S = 60.0
TIMES = "evaluation: taking times"


class BoardProgress(Protocol):
    """Who shows how far an evaluation is."""

    def begins(self, title: str, number: int, total: int) -> None: ...

    def says(self, text: str) -> None: ...

    def ended(self, record: MeasurementRecord) -> None: ...


class NoProgress:
    def begins(self, title: str, number: int, total: int) -> None: ...

    def says(self, text: str) -> None: ...

    def ended(self, record: MeasurementRecord) -> None: ...


@dataclass(slots=True)
class BoardRunner:
    """Runs measurements under one run of the database.

    `again` repeats what was recorded for the same versions; `budget_s` is for all of them.
    """

    db: Database
    run: EvaluationRun
    resources: BoardResources
    progress: BoardProgress = field(default_factory=NoProgress)
    again: bool = False
    repeat: int = 1
    budget_s: float | None = None

    async def measure(self, chosen: Sequence[Measurement]) -> list[MeasurementRecord]:
        """All of them. What breaks is a record with a reason; the others go on.

        The report has them in the given order. While time is left, those that were cut short go
        on.
        """
        ends = None if self.budget_s is None else time.monotonic() + self.budget_s
        schedule = Schedule(self.run.chosen, ends)
        places = {one.name: place for place, one in enumerate(chosen, start=1)}
        records = {one.measurement: one for one in await self.db.evaluations.records(self.run.id)}
        due = [one for one in chosen if not _done(records.get(one.name))]
        while due:
            went_on = False
            order = schedule.order(due, records)
            for number, measurement in enumerate(order):
                before = records.get(measurement.name)
                turn = schedule.turn(order[number:], before)
                if turn is None and before is not None:
                    continue
                self.progress.begins(measurement.title, number + 1, len(order))
                record = await self._turn(measurement, turn, before)
                await self.db.evaluations.put_record(self.run.id, places[measurement.name], record)
                self.progress.ended(record)
                records[measurement.name] = record
                went_on = went_on or turn is not None
            due = [one for one in due if went_on and goes_on(one, records[one.name])]
            if ends is None or self.run.chosen is EvaluationSet.INSTANT:
                break
        return [records[one.name] for one in chosen]

    async def _turn(
        self, measurement: Measurement, turn: Turn | None, before: MeasurementRecord | None
    ) -> MeasurementRecord:
        record = MeasurementRecord(
            measurement.name, measurement.title, measurement.chapter, MeasurementState.SKIPPED
        )
        if turn is None:
            why = "the time was up before it began"
            if measurement.least_s:
                why = f"it takes {measurement.least_s / 60:.0f} minutes at least"
            return replace(record, state=MeasurementState.WAITING, why=why)
        if before is not None:
            record = replace(record, seconds=before.seconds, tokens=before.tokens)
        record = await self._one(measurement, record, turn)
        if record.state is MeasurementState.SKIPPED and before is not None and before.metrics:
            return before
        return record

    async def _one(
        self, measurement: Measurement, record: MeasurementRecord, turn: Turn
    ) -> MeasurementRecord:
        reason = self.resources.unmet(measurement.needs)
        if reason:
            return replace(record, why=reason)
        data = data_hash(self.resources.file(name) for name in measurement.needs.files)
        if measurement.revision > 1:
            data = f"{data}.{measurement.revision}"  # other cases, or graded otherwise
        amounts = turn.amounts or self.run.chosen
        work = work_hash(measurement, self.run.versions, data, amounts, self.repeat)
        record = replace(record, data=data, work=work)
        if not self.again and not measurement.timed and (kept := await self._kept(record)):
            return kept
        if not measurement.timed:
            return await self._fresh(measurement, record, turn)
        lease = await self.db.leases.take(TIMES, self.run.id, GRACE_S * 10)
        if lease is None:
            return replace(
                record,
                state=MeasurementState.WAITING,
                why="another evaluation is taking times now: run this one again afterwards",
            )
        try:
            return await self._fresh(measurement, record, turn)
        finally:
            await self.db.leases.give_back(lease)

    async def _kept(self, record: MeasurementRecord) -> MeasurementRecord | None:
        """What an earlier run of the same set found for the same work, taken over whole."""
        found = await self.db.evaluations.done(record.work, self.run.chosen)
        if found is None:
            return None
        run_id, kept = found
        if run_id != self.run.id:
            await self.db.evaluations.copy_cases(run_id, self.run.id, record.measurement)
        return replace(kept, reused=True)

    async def _fresh(
        self, measurement: Measurement, record: MeasurementRecord, turn: Turn
    ) -> MeasurementRecord:
        store = self.db.evaluations
        fresh = self.again or measurement.timed or measurement.chained
        known = {} if fresh else await store.known(record.work)
        await store.forget_cases(self.run.id, measurement.name, but="" if fresh else record.work)
        context = MeasurementContext(
            self.resources, self.run.chosen, known, self.progress.says, self.repeat, turn.until
        )
        context.amounts = turn.amounts
        context.last = None if turn.last is None else turn.last + GRACE_S
        notes = _Notes(self.db, self.run.id, record)
        began, tokens = time.perf_counter(), self.resources.tokens
        hard = None if turn.last is None else max(0.0, turn.last - time.monotonic()) + 2 * GRACE_S
        state, why = await _follow(measurement, context, notes, hard)
        await notes.write()
        if state is MeasurementState.DONE and (why := _cut(context)):
            state = MeasurementState.PARTLY
        # What it cost in all: the turns before in this run, or else what known cases took.
        seconds = (record.seconds or context.carried_s) + time.perf_counter() - began
        spent = notes.tokens + context.tokens or self.resources.tokens - tokens
        return replace(
            record,
            state=state,
            why=why,
            seconds=seconds,
            tokens=max(spent, record.tokens + spent if fresh else 0),
            metrics=tuple(notes.metrics),
        )


def _done(record: MeasurementRecord | None) -> bool:
    return record is not None and record.state is MeasurementState.DONE


def _cut(context: MeasurementContext) -> str:
    """What was left out, in words; empty when nothing was."""
    if context.cut_short and context.planned:
        return f"the time was up: {context.done} of {context.planned} cases were done"
    if context.cut_short:
        return "the time was up: only some cases were done"
    return "the time was short: as much as in the quick set was done" if context.amounts else ""


async def _follow(
    measurement: Measurement, context: MeasurementContext, notes: "_Notes", hard: float | None
) -> tuple[MeasurementState, str]:
    """Everything a measurement yields within `hard` seconds, noted; and how it ended."""
    findings = measurement.run(context)
    try:
        async with asyncio.timeout(hard), aclosing(findings):
            while (finding := await _next(findings)) is not None:
                await notes.add(finding)
    except TimeoutError:
        return MeasurementState.PARTLY, "the time was up and the last case did not come to an end"
    except _Broke as broke:
        if isinstance(broke.error, Stopped):
            raise broke.error from broke
        return MeasurementState.FAILED, _in_words(broke.error)
    return MeasurementState.DONE, ""


class _Broke(Exception):
    """The measurement itself raised; an error of the record is never this."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


async def _next(findings: AsyncGenerator[Finding, None]) -> Finding | None:
    try:
        return await anext(findings, None)
    except Exception as error:
        raise _Broke(error) from error


def _in_words(error: Exception) -> str:
    if isinstance(error, HammerstoneError):
        return error.message + (f" ({error.hint})" if error.hint else "")
    return f"{type(error).__name__}: {error}"[:500]


@dataclass(slots=True)
class _Notes:
    """Findings on their way into the database: cases in batches, metrics at the end."""

    db: Database
    run_id: str
    record: MeasurementRecord
    metrics: list[MetricValue] = field(default_factory=list[MetricValue])
    tokens: int = 0
    _waiting: list[CaseOutcome] = field(default_factory=list[CaseOutcome])
    _written: float = field(default_factory=time.monotonic)

    async def add(self, finding: Finding) -> None:
        if isinstance(finding, MetricValue):
            self.metrics.append(finding)
            return
        self.tokens += finding.tokens
        self._waiting.append(finding)
        if len(self._waiting) >= BATCH or time.monotonic() - self._written >= BATCH_S:
            await self.write()

    async def write(self) -> None:
        batch, self._waiting = self._waiting, []
        await self.db.evaluations.put_cases(
            self.run_id, self.record.measurement, self.record.work, batch
        )
        self._written = time.monotonic()
