"""Runs that this process holds: stored with their tasks, renewed together, let go in the end."""

import asyncio
from collections.abc import Collection
from contextlib import suppress

from hammerstone.core.errors import StorageError, TakenOver
from hammerstone.core.holder import holder_name
from hammerstone.core.jobs import Asker, Job, QueuePlace
from hammerstone.guard.journal import StepJournal
from hammerstone.library.policies import Policies
from hammerstone.run.context import Run
from hammerstone.run.durable.durability_policy import DurabilityPolicy
from hammerstone.run.durable.run_hold import RunHold
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.request import Request
from hammerstone.run.services import Records
from hammerstone.storage import Stores
from hammerstone.storage.stores.runs.paid_steps import StepOwner
from hammerstone.tracing.warn import warn

_LOOK_S = 0.5  # how often a database that is away is asked again
RUN = "run"
"""The kind of a run's job: whoever comes next may ask it again."""
RETRIED = "retried run"
"""The same for a run that somebody else's job asks again."""


FORM = 1
"""The version of `RunTask`: raised when an older one could not ask a run again from it."""


def place_of(request: Request) -> QueuePlace:
    """Where a request stands among those that wait."""
    return QueuePlace(request.user, request.model or "", FORM)


class RunHolds:
    """One an engine. Nothing is held or renewed before a run has to pay for something."""

    def __init__(self, records: Records, policies: Policies) -> None:
        self._records = records
        self._policies = policies
        self._held: dict[str, Run] = {}
        self._waiting: dict[str, Job] = {}  # runs that wait for their turn here
        self._aside: dict[str, Job] = {}  # runs that wait for the database
        self._beat: asyncio.Task[None] | None = None
        self.holder = holder_name()
        self.leaving = False  # True: the process ends, so runs are left to whoever comes next

    @property
    def policy(self) -> DurabilityPolicy:
        return self._policies.get(DurabilityPolicy)

    async def take(self, stores: Stores, run: Run, task: RunTask) -> Job:
        """Store a run's job, held from the start, in the transaction of the run's beginning.

        Raises `TakenOver` for a run that another process is at.
        """
        return await self.take_waiting(stores, run.request, run.id, task)

    async def take_waiting(
        self, stores: Stores, request: Request, run_id: str, task: RunTask
    ) -> Job:
        """The same for a run that still waits for its turn here."""
        job = await stores.jobs.hold(
            RETRIED if request.retried else RUN,
            run_id,
            Asker(run_id, task.to_json(), request.session_id),
            self.holder,
            lease_s=self.policy.lease_s,
            place=place_of(request),
        )
        if job is None:
            raise TakenOver("another process answers this run", hint="wait until it is done")
        return job

    async def begin(self, run: Run, job: Job) -> None:
        """Go on holding a run from now on; what it has paid for before is known then."""
        owner = StepOwner(job.kind, job.key, job.holder, run.request.session_id)
        journal = StepJournal(self._records.db.paid_steps, owner, self._records.storable)
        if run.request.again:
            await journal.load()
        run.ledger.hold = RunHold(job, journal)
        self._held[run.id] = run
        self._go_on_renewing()
        run.contacts.accepted()

    def keep(self, job: Job) -> None:
        """Renew a run's job while it waits for its turn here."""
        self._waiting[job.key] = job
        self._go_on_renewing()

    def let_go(self, job: Job) -> Job | None:
        """The job of a run that waits no more; None where another process has it by now."""
        return self._waiting.pop(job.key, None)

    def _go_on_renewing(self) -> None:
        if self._beat is None or self._beat.done():
            self._beat = asyncio.create_task(self._renew())

    async def end(self, stores: Stores, run: Run, *, keep_paid: bool = False) -> None:
        """End the run's job in the transaction of the run's end. Raises `TakenOver` if it is
        another's by now; then nothing of this end is written."""
        hold = run.ledger.hold
        if hold is None:
            return
        if not await stores.jobs.drop(hold.job):
            raise TakenOver("another process has taken this run over", hint="it goes on there")
        if not keep_paid:
            await stores.paid_steps.forget(hold.job.kind, hold.job.key)

    def is_held(self, run_id: str) -> bool:
        """Whether this process is at a run, or will be."""
        return run_id in self._held or run_id in self._waiting

    async def leave(self, run: Run, *, pause_s: float = 0.0) -> None:
        """Give a run back: whoever comes next asks it again, and this was no attempt."""
        self.forget(run)
        hold = run.ledger.hold
        if hold is not None and not hold.lost:
            await self._records.db.jobs.release(hold.job, pause_s=pause_s)

    def set_aside(self, run: Run) -> None:
        """The database is away: nothing of a run can be written now, not even that it is left."""
        self.forget(run)
        if run.ledger.hold is not None:
            self._aside[run.id] = run.ledger.hold.job

    async def take_back(self, run_id: str, held: Job | None) -> Job | None:
        """A run that was set aside or is held, once the database is there again.

        None for all others, and where that takes too long or somebody else was quicker.
        """
        job, lease_s = self._aside.pop(run_id, held), self.policy.lease_s
        began_s = self._records.clock.elapsed_s()
        while job is not None and self._records.clock.elapsed_s() - began_s < lease_s:
            with suppress(StorageError):
                return job if await self._records.db.jobs.renew(job, lease_s) else None
            await asyncio.sleep(_LOOK_S)
        return None

    def forget(self, run: Run) -> None:
        """Renew it no more."""
        self._held.pop(run.id, None)
        if not self._held and not self._waiting and self._beat is not None:
            self._beat.cancel()

    async def close(self) -> None:
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)

    async def _renew(self) -> None:
        """Renew all leases with one write; a run whose lease was lost is ended here.

        A database that is away for a moment is asked again while the leases last.
        """
        clock, lease_s = self._records.clock, self.policy.lease_s
        renewed_s = clock.elapsed_s()
        while True:
            await asyncio.sleep(lease_s / 4)
            ids = {*self._held, *self._waiting}
            with suppress(StorageError):
                kept = await self._records.db.jobs.renew_all(self.holder, [*ids], lease_s)
                renewed_s = clock.elapsed_s()
                self._lose(ids - kept)
            if clock.elapsed_s() - renewed_s > lease_s:
                self._lose(ids)

    def _lose(self, ids: Collection[str]) -> None:
        for id in ids:
            self._waiting.pop(id, None)
            if id in self._held:
                self._lost(self._held[id])

    def _lost(self, run: Run) -> None:
        hold = run.ledger.hold
        if self._held.pop(run.id, None) is None or hold is None:
            return  # it ended meanwhile
        hold.lost = True
        warn("a run was lost to another process", run=run.id[:12], attempt=str(hold.job.attempts))
        if run.ledger.task is not None:
            run.ledger.task.cancel()
