"""Forgets what the policies no longer keep: old traces, results that have expired."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError
from hammerstone.guard.stop import stop_of_all
from hammerstone.library.policies import CachePolicy, Policies, TracePolicy
from hammerstone.storage import Database
from hammerstone.tracing.traces import FinishedTrace

_EVERY_S = 3600.0
_CHORES = "housekeeping"


class Housekeeping:
    """The tidying soon after opening and then every hour, beside the requests."""

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self.chores: list[Callable[[], Awaitable[object]]] = []  # once an hour, by one process
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        """Waits for what is being deleted rather than breaking it off."""
        self._closing.set()
        if self._task is not None:
            await self._task

    async def tidy(self) -> int:
        """Delete what is due now; how many traces and results that was."""
        now = self._clock.now()
        age = timedelta(days=self._policies.get(TracePolicy).keep_days)
        gone = await self._db.traces.purge(now - age)
        gone += await self._db.stops.purge(now - age)
        gone += await self._db.jobs.purge(now - age)
        triggers = self._policies.get(TriggerPolicy)
        log, numbers = timedelta(days=triggers.keep_days), timedelta(days=triggers.history_days)
        gone += await self._db.deliveries.purge(now - log, now - numbers)
        gone += await self._db.values.purge(now) + await self._db.artifacts.purge(now)
        for kept in (self._db.cache, self._db.memo):
            gone += await kept.purge(now, self._policies.get(CachePolicy).max_rows)
        return gone

    async def _do_chores(self) -> None:
        """What is worth an hour's wait; whichever process comes first does it for all.

        Nothing of it is begun while everything is stopped.
        """
        if stop_of_all(await self._db.stops.list()) is not None:
            return
        if self.chores and await self._db.leases.take(_CHORES, uuid.uuid4().hex, _EVERY_S):
            for chore in self.chores:
                await chore()

    def keeps(self, trace: FinishedTrace) -> bool:
        """Whether a success is in the share that is kept; always the same for one trace."""
        place = int(trace.trace_id[:8], 16) / 2**32
        return place < self._policies.get(TracePolicy).keep_success_share

    async def _go_on(self) -> None:
        while not self._closing.is_set():
            with suppress(HammerstoneError):  # a person's own request tells what is wrong
                await self.tidy()
                await self._do_chores()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), _EVERY_S)
