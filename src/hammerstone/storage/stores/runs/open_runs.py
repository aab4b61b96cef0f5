"""Runs that have not ended: who holds each, and what it waits for."""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import and_, exists, or_, select

from hammerstone.core.approvals import QUESTION, ApprovalStatus
from hammerstone.core.jobs import Job, JobState
from hammerstone.storage.access import Access
from hammerstone.storage.rows import RunRow
from hammerstone.storage.schema import approvals, jobs, runs
from hammerstone.storage.stores.runs.runs import RUNNING

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


class OpenRuns:
    def __init__(self, access: Access) -> None:
        self._access = access

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
