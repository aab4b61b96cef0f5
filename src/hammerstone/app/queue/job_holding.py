"""Work on a stored job for as long as its lease is this process's; whatever interrupts it loses at
most its own work."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from hammerstone.core.errors import HammerstoneError, StorageError
from hammerstone.core.holder import holder_name
from hammerstone.core.jobs import ClaimRule, Job
from hammerstone.run.durable.dead_leases import end_dead_leases
from hammerstone.run.services import Records
from hammerstone.tracing.warn import warn

T = TypeVar("T")


class JobHolding:
    """The jobs of one kind that a process claims; `what` names one in a warning ("a proof")."""

    def __init__(self, records: Records, kind: str, what: str) -> None:
        self._jobs = records.db.jobs
        self._clock = records.clock
        self._kind = kind
        self._what = what
        self.holder = holder_name()

    async def claim(
        self, *, lease_s: float, most: int, key: str | None = None, rule: ClaimRule | None = None
    ) -> Job | None:
        """The job whose turn it is, also one of a process that is known to be dead."""
        for _ in range(2):
            job = await self._jobs.claim(
                self._kind, self.holder, lease_s=lease_s, most=most, key=key, rule=rule
            )
            if job is not None or not await end_dead_leases(self._jobs, self._kind):
                return job
        return None

    async def work(
        self,
        job: Job,
        lease_s: float,
        work: Awaitable[T],
        give_back: Callable[[], Awaitable[object]] | None = None,
    ) -> T | None:
        """What the work comes to; None where another process has the job by now, and goes on.

        Who cancels this ends the work, and the job is given back.
        """
        working = asyncio.ensure_future(work)
        holding = asyncio.ensure_future(self._hold(job, lease_s))
        try:
            await asyncio.wait({working, holding}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        except asyncio.CancelledError:
            release = give_back or (lambda: self._jobs.release(job))
            await asyncio.shield(_given_back(working, release))
            raise
        finally:
            for task in (working, holding):
                task.cancel()
            await asyncio.gather(working, holding, return_exceptions=True)

    async def _hold(self, job: Job, lease_s: float) -> None:
        """Renew the lease for as long as it is ours; ends when it was lost.

        A database that is away for a moment is asked again while the lease lasts.
        """
        held_s = self._clock.elapsed_s()
        while self._clock.elapsed_s() - held_s < lease_s:
            await asyncio.sleep(lease_s / 4)
            with suppress(StorageError):
                if not await self._jobs.renew(job, lease_s):
                    break
                held_s = self._clock.elapsed_s()
        attempt = str(job.attempts)
        warn(f"{self._what} was lost to another process", key=job.key[:12], attempt=attempt)


async def _given_back(work: "asyncio.Future[T]", release: Callable[[], Awaitable[object]]) -> None:
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    with suppress(HammerstoneError):  # it runs out by itself
        await release()
