"""How often a job comes: less often while it costs more than it saves, again more often after."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.learning_job import LearningJob
from hammerstone.core.formatting import duration
from hammerstone.core.job_runs import JobRun, JobRunState
from hammerstone.core.json_types import JsonObject


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
