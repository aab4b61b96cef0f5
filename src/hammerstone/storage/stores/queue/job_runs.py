"""Turns of scheduled jobs: what they did, what that took, and what it saved."""

from datetime import datetime

from sqlalchemy import RowMapping, delete, func, select, update

from hammerstone.core.job_runs import JobRun, JobRunState
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import job_runs


class JobRuns(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._add = (
            access.dialect.insert(job_runs)
            .on_conflict_do_nothing(index_elements=[job_runs.c.job, job_runs.c.tick])
            .returning(job_runs.c.id)
        )

    async def add(self, run: JobRun) -> bool:
        """Keep a turn; False when the tick is there already."""
        row = columns_of(run, state=str(run.state))
        return await self._found(self._add, row)

    async def last(self, job: str) -> JobRun | None:
        """A job's last turn; None before the first."""
        found = await self.list(job, 1)
        return found[0] if found else None

    async def list(self, job: str = "", limit: int = 50) -> list[JobRun]:
        """Turns of a job or of all, newest first."""
        newest = select(job_runs).order_by(job_runs.c.at.desc(), job_runs.c.id.desc())
        if job:
            newest = newest.where(job_runs.c.job == job)
        rows = await self._mappings(newest.limit(limit))
        return [_run(row) for row in rows]

    async def tokens_since(self, when: datetime) -> int:
        """How many tokens all jobs spent since a moment."""
        total = select(func.sum(job_runs.c.tokens)).where(job_runs.c.at >= when)
        return int(await self._value(total) or 0)

    async def end_by(self, now: datetime) -> int:
        """End now what a clock that was ahead says ends later; how many turns that are."""
        ahead = update(job_runs).where(job_runs.c.at > now).values(at=now)
        return await self._write(ahead)

    async def purge(self, before: datetime) -> int:
        """Forget old turns, but of each job the last; how many went."""
        newest = select(func.max(job_runs.c.at)).group_by(job_runs.c.job)
        old = delete(job_runs).where(job_runs.c.at < before, job_runs.c.at.not_in(newest))
        return await self._write(old)


def _run(row: RowMapping) -> JobRun:
    return value_of(JobRun, row, state=JobRunState(row["state"]))
