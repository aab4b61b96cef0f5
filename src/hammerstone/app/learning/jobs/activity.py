"""What happened since a job had its last turn: whether there is anything to learn from."""

from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobRun
from hammerstone.storage import Database


class Activity:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def last(self, job: str) -> JobRun | None:
        """A job's last turn that is stored."""
        return await self._db.job_runs.last(job)

    async def requests(self, job: str) -> str:
        """How many requests ended since a job's last turn, in words; empty for none."""
        last = await self.last(job)
        ended = await self._db.runs.ended_since(last.at if last else None)
        return f"{count(ended, 'request')} since the last time" if ended else ""

    async def more(self, job: str, name: str, total: float) -> float:
        """By how much a total grew since a job's last turn, which keeps it in its report."""
        for run in await self._db.job_runs.list(job, 20):
            known = run.report.get(name)
            if isinstance(known, int | float):
                return max(0.0, total - known)
        return 0.0
