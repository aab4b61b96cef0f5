"""Evaluations in the database: runs, measurements and cases, found again by run or by work."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, literal, select, update

from hammerstone.core.errors import NotFound
from hammerstone.core.evaluations import (
    CaseMark,
    CaseOutcome,
    CaseTally,
    Chapter,
    EvaluationRun,
    EvaluationSet,
    EvaluationVersions,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import evaluation_cases, evaluation_measurements, evaluations

PAGE = 2_000  # cases read at a time
_CASE_KEY = ("run_id", "measurement", "case")
_RECORD_KEY = ("run_id", "measurement")


class Evaluations(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        case = access.dialect.insert(evaluation_cases)
        self._put_case = case.on_conflict_do_update(
            index_elements=[evaluation_cases.c[name] for name in _CASE_KEY],
            set_={c.name: case.excluded[c.name] for c in evaluation_cases.c if not c.primary_key},
        )
        record = access.dialect.insert(evaluation_measurements)
        self._put_record = record.on_conflict_do_update(
            index_elements=[evaluation_measurements.c[name] for name in _RECORD_KEY],
            set_={
                c.name: record.excluded[c.name]
                for c in evaluation_measurements.c
                if not c.primary_key
            },
        )

    async def start(self, run: EvaluationRun) -> None:
        row = {
            "id": run.id,
            "chosen": str(run.chosen),
            **run.versions.to_json(),
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "options": dict(run.options),
            "machine": run.machine,
        }
        await self._write(insert(evaluations), row)

    async def finish(self, run_id: str, at: datetime | None) -> None:
        """Say when a run ended; None when it goes on."""
        ended = update(evaluations).where(evaluations.c.id == run_id).values(finished_at=at)
        await self._write(ended)

    async def delete(self, run_id: str) -> None:
        """Take a run away with everything under it."""
        async with self._access.writing() as connection:
            for table in (evaluation_cases, evaluation_measurements):
                await connection.execute(delete(table).where(table.c.run_id == run_id))
            await connection.execute(delete(evaluations).where(evaluations.c.id == run_id))

    async def get(self, run_id: str) -> EvaluationRun:
        """The run of an id. Raises `NotFound`."""
        found = select(evaluations).where(evaluations.c.id == run_id)
        row = await self._row(found)
        if row is None:
            raise NotFound(f"there is no evaluation {run_id!r}", hint="hammerstone eval --list")
        return _run(row)

    async def recent(self, limit: int = 50) -> list[EvaluationRun]:
        """The last runs, newest first."""
        newest = (
            select(evaluations)
            .order_by(evaluations.c.started_at.desc(), evaluations.c.id)
            .limit(limit)
        )
        async with self._access.reading() as connection:
            return [_run(row) for row in (await connection.execute(newest)).all()]

    async def put_record(self, run_id: str, number: int, record: MeasurementRecord) -> None:
        """What a measurement came to; `number` is its place in the report."""
        row = {
            "run_id": run_id,
            "number": number,
            **{
                name: getattr(record, name)
                for name in ("measurement", "title", "why", "seconds", "tokens", "data", "work")
            },
            "chapter": str(record.chapter),
            "state": str(record.state),
            "reused": record.reused,
            "metrics": [metric.to_json() for metric in record.metrics],
        }
        await self._write(self._put_record, row)

    async def records(self, run_id: str) -> list[MeasurementRecord]:
        """A run's measurements in their order."""
        table = evaluation_measurements
        found = select(table).where(table.c.run_id == run_id).order_by(table.c.number)
        async with self._access.reading() as connection:
            return [_record(row) for row in (await connection.execute(found)).all()]

    async def done(self, work: str, chosen: EvaluationSet) -> tuple[str, MeasurementRecord] | None:
        """The last run of a set that did this work to its end, and what came of it."""
        table = evaluation_measurements
        found = (
            select(table, evaluations.c.started_at)
            .join(evaluations, evaluations.c.id == table.c.run_id)
            .where(
                table.c.work == work,
                table.c.state == str(MeasurementState.DONE),
                evaluations.c.chosen == str(chosen),
            )
            .order_by(evaluations.c.started_at.desc())
            .limit(1)
        )
        row = await self._row(found)
        return (str(row.run_id), _record(row)) if row else None

    async def put_cases(
        self, run_id: str, measurement: str, work: str, outcomes: Sequence[CaseOutcome]
    ) -> None:
        if not outcomes:
            return
        place = {"run_id": run_id, "measurement": measurement, "work": work}
        await self._write(self._put_case, [{**place, **_row(one)} for one in outcomes])

    async def forget_cases(self, run_id: str, measurement: str, but: str = "") -> None:
        """Take away a measurement's cases, so that it can be done again; those of the work `but`
        stay, for it goes on with them."""
        table = evaluation_cases
        mine = (table.c.run_id == run_id) & (table.c.measurement == measurement)
        mine &= table.c.work != but
        await self._write(delete(table).where(mine))

    async def copy_cases(self, from_run: str, run_id: str, measurement: str) -> None:
        """A measurement's cases under another run too."""
        columns = [column for column in evaluation_cases.c if column.name != "run_id"]
        mine = evaluation_cases.c.measurement == measurement
        chosen = select(literal(run_id).label("run_id"), *columns).where(
            evaluation_cases.c.run_id == from_run, mine
        )
        names = ["run_id", *(column.name for column in columns)]
        copy = self._access.dialect.insert(evaluation_cases).from_select(names, chosen)
        async with self._access.writing() as connection:
            await connection.execute(
                delete(evaluation_cases).where(evaluation_cases.c.run_id == run_id, mine)
            )
            await connection.execute(copy)

    async def cases(
        self, run_id: str, measurement: str, marks: Iterable[CaseMark] = ()
    ) -> AsyncIterator[CaseOutcome]:
        """A measurement's outcomes by the cases' names, page by page; with `marks` only those."""
        table = evaluation_cases
        wanted = [str(mark) for mark in marks]
        after: str | None = None
        while True:
            page = select(table).where(table.c.run_id == run_id, table.c.measurement == measurement)
            if wanted:
                page = page.where(table.c.mark.in_(wanted))
            if after is not None:
                page = page.where(table.c.case > after)
            rows = await self._rows(page.order_by(table.c.case).limit(PAGE))
            for row in rows:
                yield _outcome(row)
            if len(rows) < PAGE:
                return
            after = rows[-1].case

    async def known(self, work: str) -> dict[str, CaseOutcome]:
        """How cases of this work ended, in whatever run, by their names."""
        table = evaluation_cases
        found = select(table).where(table.c.work == work)
        rows = await self._rows(found)
        return {str(row.case): _outcome(row) for row in rows}

    async def tallies(self, run_id: str) -> dict[str, CaseTally]:
        """How many cases of each measurement ended how."""
        table = evaluation_cases
        counted = (
            select(table.c.measurement, table.c.mark, func.count().label("n"))
            .where(table.c.run_id == run_id)
            .group_by(table.c.measurement, table.c.mark)
        )
        rows = await self._rows(counted)
        found: dict[str, dict[str, int]] = {}
        for row in rows:
            found.setdefault(str(row.measurement), {})[str(row.mark)] = int(row.n)
        return {name: _tally(marks) for name, marks in found.items()}


def _tally(marks: Mapping[str, int]) -> CaseTally:
    return CaseTally(*(marks.get(str(mark), 0) for mark in CaseMark))


def _row(outcome: CaseOutcome) -> dict[str, Any]:
    names = ("case", "score", "seconds", "tokens", "trace_id", "asked", "given", "wanted", "reason")
    return {
        **{name: getattr(outcome, name) for name in names},
        "mark": str(outcome.mark),
        "tags": list(outcome.tags),
        "numbers": dict(outcome.numbers),
    }


def _outcome(row: Any) -> CaseOutcome:
    return CaseOutcome(
        case=row.case,
        mark=CaseMark(row.mark),
        score=row.score,
        seconds=row.seconds,
        tokens=row.tokens,
        trace_id=row.trace_id,
        asked=row.asked,
        given=row.given,
        wanted=row.wanted,
        reason=row.reason,
        tags=tuple(row.tags),
        numbers=row.numbers,
    )


def _record(row: Any) -> MeasurementRecord:
    return MeasurementRecord(
        measurement=row.measurement,
        title=row.title,
        chapter=Chapter(row.chapter),
        state=MeasurementState(row.state),
        why=row.why,
        seconds=row.seconds,
        tokens=row.tokens,
        data=row.data,
        work=row.work,
        reused=bool(row.reused),
        metrics=tuple(MetricValue.from_json(each) for each in row.metrics),
    )


def _run(row: Any) -> EvaluationRun:
    return EvaluationRun(
        id=row.id,
        chosen=EvaluationSet(row.chosen),
        versions=EvaluationVersions(row.code, row.revision, row.model, row.policies),
        started_at=row.started_at,
        finished_at=row.finished_at,
        options=row.options,
        machine=row.machine,
    )
