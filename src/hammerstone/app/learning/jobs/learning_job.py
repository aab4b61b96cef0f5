"""A job: work between requests that has its turn again and again, when something has happened
since; less often while it costs more than it saves, and again more often after."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.core.formatting import count, duration
from hammerstone.core.job_runs import JobReport, JobRun, JobRunState
from hammerstone.core.json_types import JsonObject
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


def cost_s(run: JobRun, policy: LearningPolicy) -> float:
    """What a turn took, in seconds: its own, and those that its tokens count as."""
    return run.seconds + run.tokens * policy.token_s


def pays(runs: Sequence[JobRun], policy: LearningPolicy) -> bool:
    """Whether the last turns saved what they cost; what is nearly free need not."""
    last = [run for run in runs if run.state is JobRunState.DONE][: policy.pays_over]
    cost = sum(cost_s(run, policy) for run in last)
    saved = sum(run.saved_s for run in last)
    return cost <= policy.free_s * len(last) or saved >= cost


def next_pace(now: JobRun, before: Sequence[JobRun], policy: LearningPolicy) -> float:
    """The pace after a turn: doubled while the job does not pay, halved again when it does."""
    pace = before[0].pace if before else 1.0
    if pays([now, *before], policy):
        return max(1.0, pace / 2)
    return min(policy.slowest, pace * 2)


def due_at(job: LearningJob, last: JobRun) -> datetime:
    """When a job has its next turn."""
    return last.at + timedelta(seconds=job.every_s * last.pace)


@dataclass(frozen=True, slots=True)
class JobStanding:
    """A job as a person sees it: when it ran and runs again, what it cost and saved."""

    name: str
    about: str
    every_s: float
    pace: float
    last: JobRun | None
    next_at: datetime | None
    news: str
    cost_s: float
    tokens: int
    saved_s: float

    @property
    def pace_words(self) -> str:
        usual = f"every {duration(self.every_s)}"
        if self.pace <= 1:
            return usual
        slower = f"every {duration(self.every_s * self.pace)}"
        return f"{slower} instead of {duration(self.every_s)}: it cost more than it saved"

    def to_json(self) -> JsonObject:
        last = self.last
        begun = last is not None and last.state is JobRunState.BEGUN
        return {
            "name": self.name,
            "about": self.about,
            "every_s": self.every_s,
            "pace": self.pace,
            "pace_words": self.pace_words,
            "last_at": last.at.isoformat() if last and not begun else None,
            "last_state": str(last.state) if last else "",
            "last_reason": last.reason if last else "",
            "changes": last.changes if last else [],
            "next_at": self.next_at.isoformat() if self.next_at else None,
            "news": self.news,
            "cost_s": round(self.cost_s, 3),
            "tokens": self.tokens,
            "saved_s": round(self.saved_s, 3),
        }
