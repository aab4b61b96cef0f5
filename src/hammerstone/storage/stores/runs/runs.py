"""Runs: one row a request, open until it is answered; their steps, and how they are counted."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Select, and_, bindparam, exists, func, or_, select, update

from hammerstone.core.approvals import QUESTION, ApprovalStatus
from hammerstone.core.errors import NotFound
from hammerstone.core.jobs import Job, JobState
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.rows import RunRow
from hammerstone.storage.schema import approvals, events, jobs, judged_uses, runs, steps

RUNNING = "running"

_GET = select(runs).where(runs.c.id == bindparam("which"))
_OF_SESSION = (
    select(runs)
    .where(runs.c.session_id == bindparam("which"))
    .order_by(runs.c.started_at.desc(), runs.c.id)
    .limit(bindparam("most"))
)
_LAST_OF = (
    select(runs)
    .where(runs.c.user == bindparam("whose"))
    .order_by(runs.c.started_at.desc(), runs.c.id)
    .limit(1)
)
_FINISH = (
    update(runs)
    .where(runs.c.id == bindparam("which"))
    .values(
        status=bindparam("new_status"), answer=bindparam("new_answer"), finished_at=bindparam("end")
    )
)
_FINISH_WITH_RECORD = _FINISH.values(record=bindparam("new_record"))


class Runs(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert = access.dialect.insert(runs).on_conflict_do_nothing()

    async def start(
        self, run_id: str, session_id: str, user: str, request: str, trace_id: str, at: datetime
    ) -> None:
        """Open a run of which nothing more is known; see `open`."""
        await self.open(
            RunRow(run_id, session_id, user, request, trace_id, RUNNING, None, started_at=at)
        )

    async def open(self, run: RunRow) -> None:
        """Open a run; one that is already there stays as it is."""
        row = columns_of(run)
        await self._write(self._insert, row)

    async def finish(
        self, run_id: str, status: str, answer_json: Json, at: datetime, record: Json = None
    ) -> None:
        """The run's end. `record` is what it was done with; without one, what is known stays."""
        values = {"which": run_id, "new_status": status, "new_answer": answer_json, "end": at}
        statement = _FINISH
        if record is not None:
            values, statement = {**values, "new_record": record}, _FINISH_WITH_RECORD
        async with self._access.writing() as connection:
            if (await connection.execute(statement, values)).rowcount == 0:
                raise _missing(run_id)

    async def annotate(self, run_id: str, answer_json: Json) -> None:
        """Keep a finished run's answer as it reads now; nothing happens to one that is gone."""
        statement = update(runs).where(runs.c.id == run_id).values(answer=answer_json)
        await self._write(statement)

    async def find(self, run_id: str) -> RunRow | None:
        row = await self._mapping(_GET, {"which": run_id})
        return RunRow(**row) if row else None

    async def get(self, run_id: str) -> RunRow:
        run = await self.find(run_id)
        if run is None:
            raise _missing(run_id)
        return run

    async def statuses(self, run_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
        """The status of each of these runs and the number of its last event, -1 without one."""
        last = (
            select(func.max(events.c.number))
            .where(events.c.run_id == runs.c.id)
            .correlate(runs)
            .scalar_subquery()
        )
        statement = select(runs.c.id, runs.c.status, func.coalesce(last, -1).label("last"))
        rows = await self._rows(statement.where(runs.c.id.in_(run_ids)))
        return {row.id: (row.status, row.last) for row in rows}

    async def of_session(self, session_id: str, limit: int = 50) -> list[RunRow]:
        """The session's runs, newest first."""
        rows = await self._mappings(_OF_SESSION, {"which": session_id, "most": limit})
        return [RunRow(**row) for row in rows]

    async def ended_since(self, when: datetime | None) -> int:
        """How many runs have ended since a moment; all without one."""
        ended = runs.c.finished_at.is_not(None)
        if when is not None:
            ended = ended & (runs.c.finished_at > when)
        async with self._access.reading() as connection:
            counted = await connection.execute(select(func.count()).where(ended))
            return int(counted.scalar() or 0)

    async def last_of(self, user: str) -> RunRow | None:
        """The person's newest run, in whichever session."""
        row = await self._mapping(_LAST_OF, {"whose": user})
        return RunRow(**row) if row else None


def asked_after(session_id: str, when: datetime) -> Select[tuple[str]]:
    """The ids of a session's runs that were asked after a moment."""
    return select(runs.c.id).where(runs.c.session_id == session_id, runs.c.started_at > when)


def _missing(run_id: str) -> NotFound:
    return NotFound(f"there is no run {run_id}", run=run_id)


_OF_RUN = select(steps).where(steps.c.run_id == bindparam("which")).order_by(steps.c.place)


@dataclass(frozen=True, slots=True)
class StepRow:
    """One node of a run's task tree. `status` is waiting, running, done, failed or skipped."""

    run_id: str
    id: str
    place: int
    text: str
    status: str
    at: datetime
    parent: str = ""
    tool: str = ""
    result: Json = None
    error: str = ""
    tokens: int = 0
    model_calls: int = 0
    usd: float = 0.0
    seconds: float = 0.0


class Steps(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(steps)
        keys = ("run_id", "id")
        self._put = insert.on_conflict_do_update(
            index_elements=[steps.c.run_id, steps.c.id],
            set_={c.name: insert.excluded[c.name] for c in steps.columns if c.name not in keys},
        )

    async def put(self, rows: Sequence[StepRow]) -> None:
        """Store steps as they are now; one that is there already is replaced."""
        if rows:
            await self._write(self._put, [columns_of(row) for row in rows])

    async def of_run(self, run_id: str) -> list[StepRow]:
        """A run's steps in the order they were planned."""
        rows = await self._mappings(_OF_RUN, {"which": run_id})
        return [value_of(StepRow, row) for row in rows]


# What has to be decided before a run can go on.
UNDECIDED = (
    approvals.c.kind != QUESTION,
    approvals.c.status == str(ApprovalStatus.PENDING),
    approvals.c.outlives_run.is_(False),
)
_WAITS = exists().where(approvals.c.run_id == runs.c.id, *UNDECIDED)


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run without an end. `job` is None for one that nobody can take up again.

    `free`: no lease is on it any more. `waits`: a person has to allow something first.
    """

    row: RunRow
    job: Job | None
    free: bool
    waits: bool


class OpenRuns(Store):
    async def list(
        self,
        kinds: tuple[str, ...],
        session_id: str | None = None,
        *,
        only: Literal["all", "held", "lost"] = "all",
    ) -> list[OpenRun]:
        """The runs that have not ended, oldest first, each with its job of one of these kinds.

        Only those that somebody holds, or those whose job is gone or given up, where asked for.
        """
        async with self._access.reading() as connection:
            now = await self._access.shared_time.now(connection)
            own = [column.label(f"run_{column.name}") for column in runs.columns]
            waits = and_(_WAITS, runs.c.status == RUNNING).label("waits")
            found = (
                select(*own, jobs, (jobs.c.until <= now).label("free"), waits)
                .outerjoin(jobs, and_(jobs.c.key == runs.c.id, jobs.c.kind.in_(kinds)))
                .where(runs.c.status == RUNNING)
                .order_by(runs.c.started_at, runs.c.id)
            )
            if only == "held":
                found = found.where(jobs.c.holder != "", jobs.c.until > now)
            elif only == "lost":
                given_up = jobs.c.state == str(JobState.FAILED)
                found = found.where(or_(jobs.c.key.is_(None), given_up))
            if session_id is not None:
                found = found.where(runs.c.session_id == session_id)
            rows = (await connection.execute(found)).mappings().all()
        return [_open_run(dict(row)) for row in rows]


def _open_run(row: dict[str, Any]) -> OpenRun:
    run = RunRow(**{name: row[f"run_{name}"] for name in RunRow.__slots__})
    job = None
    if row["kind"] is not None:
        columns: dict[str, Any] = {column.name: row[column.name] for column in jobs.columns}
        columns["state"] = JobState(columns["state"])
        job = Job(**columns)
    return OpenRun(run, job, job is not None and bool(row["free"]), bool(row["waits"]))


_AT_ONCE = 2000

_WHAT = (
    runs.c.id,
    runs.c.session_id,
    runs.c.user,
    runs.c.status,
    runs.c.started_at,
    runs.c.record,
)
_SINCE = (
    select(*_WHAT)
    .where(
        runs.c.status != RUNNING,
        or_(
            runs.c.started_at > bindparam("at"),
            and_(runs.c.started_at == bindparam("at"), runs.c.id > bindparam("after")),
        ),
    )
    .order_by(runs.c.started_at, runs.c.id)
    .limit(_AT_ONCE)
)
_VERDICTS = select(judged_uses.c.run_id, judged_uses.c.verdict).where(
    judged_uses.c.run_id.in_(bindparam("those", expanding=True))
)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A finished run. `verdicts` are those about the tools it used: good, wrong, neutral."""

    id: str
    session_id: str
    user: str
    status: str
    started_at: datetime
    record: Json
    verdicts: tuple[str, ...] = ()


class RunBooks(Store):
    async def since(self, moment: datetime, user: str | None = None) -> AsyncIterator[RecordedRun]:
        """Finished runs from a moment on, oldest first; of one person or of all."""
        at, after = moment, ""
        statement = _SINCE if user is None else _SINCE.where(runs.c.user == user)
        while True:
            async with self._access.reading() as connection:
                rows = (await connection.execute(statement, {"at": at, "after": after})).all()
                those = [row.id for row in rows]
                judged = (await connection.execute(_VERDICTS, {"those": those})).all()
            verdicts: dict[str, list[str]] = {}
            for one in judged:
                verdicts.setdefault(one.run_id, []).append(one.verdict)
            for row in rows:
                yield RecordedRun(*row, verdicts=tuple(verdicts.get(row.id, ())))
            if len(rows) < _AT_ONCE:
                return
            at, after = rows[-1].started_at, rows[-1].id
