"""Forgets what the policies no longer keep: old traces, results that have expired."""

from datetime import timedelta

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.core.clock import Clock
from hammerstone.library.policies import CachePolicy, Policies
from hammerstone.library.policies.retention_policies import EvidencePolicy, TracePolicy
from hammerstone.storage import Database
from hammerstone.tracing.traces import FinishedTrace


class Housekeeping:
    """What `JobDriver` does soon after opening and then again and again, in every process."""

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock

    async def tidy(self) -> int:
        """Delete what is due now; how many traces and results that was. Close what nobody has
        decided in time, else a run that was broken off would wait for it for ever."""
        now = self._clock.now()
        await self._db.approvals.expire(now)
        age = timedelta(days=self._policies.get(TracePolicy).keep_days)
        gone = await self._db.traces.purge(now - age)
        gone += await self._db.stops.purge(now - age)
        gone += await self._db.workers.purge(self._policies.get(QueuePolicy).keep_workers_s)
        gone += await self._db.jobs.purge(now - age)
        gone += await self._db.paid_steps.purge(now - age)
        turns = timedelta(days=self._policies.get(LearningPolicy).keep_days)
        gone += await self._db.job_runs.purge(now - turns)
        gone += await self._db.decisions.purge(now - turns)
        evidence = self._policies.get(EvidencePolicy)
        kept = timedelta(days=evidence.keep_days)
        gone += await self._db.evidence.purge(now - kept, evidence.keep_calls)
        triggers = self._policies.get(TriggerPolicy)
        log, numbers = timedelta(days=triggers.keep_days), timedelta(days=triggers.history_days)
        gone += await self._db.deliveries.purge(now - log, now - numbers)
        gone += await self._db.values.purge(now) + await self._db.artifacts.purge(now)
        for cache in (self._db.cache, self._db.memo):
            gone += await cache.purge(now, self._policies.get(CachePolicy).max_rows)
        return gone

    def keeps(self, trace: FinishedTrace) -> bool:
        """Whether a success is in the share that is kept; always the same for one trace."""
        place = int(trace.trace_id[:8], 16) / 2**32
        return place < self._policies.get(TracePolicy).keep_success_share
