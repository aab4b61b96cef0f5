"""Tunes policies on labelled decisions, once a week."""

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.tuning import TuningDesk
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.tuning.tuner import TuningFinding
from hammerstone.library.policies import Policies
from hammerstone.storage import Database


class TuningJob:
    name = "tuning"
    about = "looks for better numbers of policies on labelled decisions"

    def __init__(self, db: Database, policies: Policies, desk: TuningDesk) -> None:
        self._db = db
        self._policies = policies
        self._desk = desk

    @property
    def every_s(self) -> float:
        return self._policies.get(LearningPolicy).tuning_hours * 3600

    async def news(self) -> str:
        policy = self._policies.get(TuningPolicy)
        if not policy.enabled:
            return ""
        last = await self._db.job_runs.last(self.name)
        since = last.at if last is not None else None
        new = await self._db.decisions.count_since(since)
        # A few decisions more cannot tell anything that the last round did not know.
        return f"{count(new, 'decision')} since the last time" if new >= policy.fewest else ""

    async def run(self, *, dry_run: bool) -> JobReport:
        done = await self._desk.run(dry_run=dry_run)
        changes = tuple(
            JobChange(one.outcome.proposal.title, one.told)
            for one in done
            if one.outcome.finding is TuningFinding.BETTER and one.outcome.proposal is not None
        )
        told: JsonObject = {"tuned": [one.to_json() for one in done]}
        return JobReport(changes, saved_s=await self._saved(), details=told)

    async def _saved(self) -> float:
        """What tuned numbers in force were worth since the last turn: gained answers, each as
        much as a use of a mended tool."""
        last = await self._db.job_runs.last(self.name)
        rows = await self._db.proposals.list(kind=ProposalKind.POLICY, statuses=IN_FORCE, limit=500)
        gained = 0.0
        for row in rows:
            gain = ProposalEvidence.from_json(row.evidence).grounds.get("gain")
            mean = gain.get("mean") if isinstance(gain, dict) else None
            if isinstance(mean, int | float):
                since = max(row.changed_at, last.at) if last is not None else row.changed_at
                gained += mean * await self._db.decisions.count_since(since)
        return gained * self._policies.get(LearningPolicy).mended_use_s
