"""The one clock of a process: tidies, and looks for jobs that are due, until it is closed."""

import asyncio
from contextlib import suppress

from hammerstone.app.health.housekeeping import Housekeeping
from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.job_runner import JobRunner
from hammerstone.app.queue.traffic import Traffic
from hammerstone.core.errors import HammerstoneError
from hammerstone.library.policies import Policies
from hammerstone.tracing.warn import warn


class JobDriver:
    def __init__(
        self, runner: JobRunner, housekeeping: Housekeeping, policies: Policies, traffic: Traffic
    ) -> None:
        self._runner = runner
        self._housekeeping = housekeeping
        self._policies = policies
        self._traffic = traffic
        self._closing = asyncio.Event()
        self.learns = True  # False: turns are left to other processes; this one only tidies
        self._task: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[object] | None = None

    def start(self) -> None:
        """Tidy soon, and then again and again, beside the requests."""
        self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        """Waits for what is being deleted. A turn gets a moment to end; one that is broken off
        waits for whoever comes next."""
        self._closing.set()
        looking = self._looking
        if looking is not None:
            await asyncio.wait({looking}, timeout=self._policy.grace_s)
            looking.cancel()
        if self._task is not None:
            await self._task

    @property
    def _policy(self) -> LearningPolicy:
        return self._policies.get(LearningPolicy)

    async def _go_on(self) -> None:
        while not self._closing.is_set():
            with suppress(HammerstoneError):  # a person's own request tells what is wrong
                await self._housekeeping.tidy()
            if self._closing.is_set():  # a look would wait until other processes are quiet
                return
            self._looking = asyncio.create_task(self._look())
            done = await asyncio.gather(self._looking, return_exceptions=True)
            if isinstance(done[0], Exception) and not isinstance(done[0], HammerstoneError):
                warn("jobs could not be looked for", error=repr(done[0])[:300])
            self._looking = None
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), self._policy.look_every_s)

    async def _look(self) -> object:
        await self._traffic.quiet()
        idle = self._closing.is_set() or not self.learns
        return None if idle else await self._runner.look()
