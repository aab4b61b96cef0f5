"""Judging between requests: every request is scored once, and failed ones get their cause."""

from collections import Counter
from datetime import timedelta

from hammerstone.app.evolution.verdict_desk import VerdictDesk
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError, Stopped
from hammerstone.core.formatting import count, listing
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.seams import Allowance
from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.signals import JudgedRun
from hammerstone.library.policies import Policies
from hammerstone.storage import Database


class JudgingJob:
    """Fulfils `LearningJob` (`app/learning/jobs/learning_job.py`)."""

    name = "judging"
    about = "scores your requests, says why those that failed did, and reads their traces"

    def __init__(
        self,
        db: Database,
        policies: Policies,
        clock: Clock,
        verdicts: VerdictDesk,
        allowance: Allowance | None = None,
    ) -> None:
        """Models are asked within the allowance."""
        self._allowance = allowance
        self._db = db
        self._policies = policies
        self._clock = clock
        self._verdicts = verdicts

    @property
    def policy(self) -> JudgePolicy:
        return self._policies.get(JudgePolicy)

    @property
    def every_s(self) -> float:
        return self.policy.every_hours * 3600.0

    async def news(self) -> str:
        waiting = len(await self._unjudged())
        return f"{count(waiting, 'request')} not judged yet" if waiting else ""

    async def _unjudged(self) -> list[str]:
        """Not before there was time to say something about an answer, nor long ago."""
        policy, now = self.policy, self._clock.now()
        until = now - timedelta(hours=policy.feedback_hours)
        since = now - timedelta(days=policy.back_days)
        return await self._db.verdicts.unjudged(since, until, policy.most_at_once)

    async def run(self, *, dry_run: bool) -> JobReport:
        waiting = await self._unjudged()
        if dry_run:
            told = f"{count(len(waiting), 'request')} would be judged"
            return JobReport((JobChange(told),) if waiting else ())
        judged: list[JudgedRun] = []
        for run_id in waiting:
            try:
                judged.append(await self._verdicts.look(run_id, self._allowance))
            except Stopped:
                raise
            except HammerstoneError:  # it is gone meanwhile, or has no trace that may be judged
                continue
        return JobReport(tuple(_changes(judged)), details={"judged": len(judged)})


def _changes(judged: list[JudgedRun]) -> list[JobChange]:
    if not judged:
        return []
    causes = Counter(str(run.finding.cause) for run in judged if run.finding is not None)
    told = listing([f"{cause} ({times})" for cause, times in causes.most_common()])
    why = f"{causes.total()} failed: {told}" if causes else "none failed"
    return [JobChange(f"{count(len(judged), 'request')} judged", why)]
