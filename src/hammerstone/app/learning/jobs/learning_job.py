"""A job: work between requests that has its turn again and again, when something has happened
since."""

from typing import Protocol

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobReport
from hammerstone.library.policies import Policies
from hammerstone.storage import Database


class LearningJob(Protocol):
    """What `JobRunner` schedules.

    `news` is asked before every turn and has to be cheap; where it is empty the job does not
    run, and is asked again at the next look. `run` may be broken off at any await (the stop
    switch, its time limit, the end of the process) and is called again then, so what it does
    twice must come to the same as once. What models have replied to it is not paid for again.
    """

    @property
    def name(self) -> str:
        """One short word, the same for ever: turns are stored under it."""
        ...

    @property
    def about(self) -> str:
        """What it does, in a few words for a person."""
        ...

    @property
    def every_s(self) -> float:
        """The time between two turns while the job pays back, from a policy."""
        ...

    async def news(self) -> str:
        """Why there is something to do; empty: nothing runs."""
        ...

    async def run(self, *, dry_run: bool) -> JobReport:
        """One turn; a dry run changes nothing and says what would change and why."""
        ...


class RequestJob:
    """A job that comes every so many hours, when requests have ended since its last turn."""

    name: str

    def __init__(self, db: Database, policies: Policies) -> None:
        self._db = db
        self._policies = policies

    @property
    def every_s(self) -> float:
        return self._policies.get(LearningPolicy).every_hours * 3600

    async def news(self) -> str:
        """How many requests ended since, in words; empty for none."""
        last = await self._db.job_runs.last(self.name)
        ended = await self._db.runs.ended_since(last.at if last else None)
        return f"{count(ended, 'request')} since the last time" if ended else ""

    async def _more(self, name: str, total: float) -> float:
        """By how much a total grew since the last turn, which keeps it in its report."""
        for run in await self._db.job_runs.list(self.name, 20):
            known = run.report.get(name)
            if isinstance(known, int | float):
                return max(0.0, total - known)
        return 0.0
