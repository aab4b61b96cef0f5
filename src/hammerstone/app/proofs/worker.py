"""Does stored proofs, one after the other; whatever interrupts it loses at most its own work."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hammerstone.app.proofs.progress import ProgressBoard
from hammerstone.app.proofs.proof_reports import AskerTask, ProofReports
from hammerstone.app.proofs.prover import Prover
from hammerstone.app.proofs.result import KIND, ProofResult, ProvingPolicy
from hammerstone.app.queue.job_holding import JobHolding
from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.queue.traffic import Traffic
from hammerstone.core.answers import Event, EventKind
from hammerstone.core.errors import (
    HammerstoneError,
    ModelMissing,
    ModelUnavailable,
    Refused,
    Stopped,
)
from hammerstone.core.jobs import Asker, ClaimRule, Job
from hammerstone.core.json_types import Json
from hammerstone.core.solutions import ProofTask
from hammerstone.guard.journal import StepJournal
from hammerstone.run.services import Guards, Records
from hammerstone.storage.stores.runs.paid_steps import StepOwner
from hammerstone.synthesis.witnesses import Notify
from hammerstone.tracing.warn import warn

LOOK_S = 5.0  # how often a waiting process looks for proofs that others stored
_AWAY_S = 60.0  # pause of a proof whose model cannot be had, or whose own session is stopped
_AWAY = (ModelMissing, ModelUnavailable, Refused)

OnProofEvent = Callable[[Event, str], Awaitable[None]]
"""Gets each event that a finished proof leaves, and whose run it is."""


@dataclass(frozen=True, slots=True)
class FinishedProof:
    """A proof that came to an end here: its result, and the events its askers got."""

    job: Job
    result: ProofResult
    events: tuple[Event, ...]


class Worker:
    def __init__(
        self,
        records: Records,
        guards: Guards,
        traffic: Traffic,
        prover: Prover,
        teller: ProofReports,
    ) -> None:
        self._records = records
        self._guards = guards
        self._traffic = traffic
        self._prover = prover
        self._teller = teller
        self._holding = JobHolding(records, KIND, "a proof")
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.doing: dict[str, None] = {}  # keys of the proofs that go on here
        self.done = 0
        self.listeners: list[OnProofEvent] = []
        self.progress = ProgressBoard(records.clock, guards.policies)

    def wake(self) -> None:
        """There is something to prove."""
        self._news.set()

    def start(self) -> None:
        """Prove in the background from now on, while no request is being answered."""
        if self._task is None:
            self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        """Stop at once; a proof that is broken off waits for whoever comes next."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _go_on(self) -> None:
        while True:
            self._news.clear()
            await self._traffic.quiet()
            done = None
            try:
                if self._guards.policies.get(ProvingPolicy).enabled:
                    done = await self.do_next()
            except Stopped:
                pass  # it waits; who stopped it knows
            except HammerstoneError as error:  # a person's own request tells what is wrong
                warn("a proof was put off", error=error.message)
            if done is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), LOOK_S)

    async def do_next(
        self, key: str | None = None, notify: Notify | None = None
    ) -> FinishedProof | None:
        """Claim a proof and do it; None when none waits, or it came to no end here.

        Raises `Stopped`, and claims nothing, while everything is stopped.
        """
        await self._guards.stop.check(fresh=True)
        policy = self._guards.policies.get(ProvingPolicy)
        most = self._guards.policies.get(QueuePolicy).proofs_held
        rule = ClaimRule(in_all=most)
        job = await self._holding.claim(
            lease_s=policy.lease_s, most=policy.attempts, key=key, rule=rule
        )
        if job is None or job.key in self.doing:
            return None  # one that is done here: its lease ran out, and the claim has renewed it
        self.doing[job.key] = None
        try:
            finished = await self._do(job, policy, notify or _silent)
            self.done += finished is not None
            return finished
        finally:
            self.doing.pop(job.key, None)

    async def _do(self, job: Job, policy: ProvingPolicy, notify: Notify) -> FinishedProof | None:
        jobs = self._records.db.jobs
        try:
            return await self._holding.work(job, policy.lease_s, self._work(job, notify))
        except _AWAY:
            await jobs.release(job, pause_s=_AWAY_S)
            raise
        except Stopped as error:
            everything = error.data["scope"] == "all"
            await jobs.release(job, pause_s=0.0 if everything else _AWAY_S)
            raise
        except Exception as error:
            reason = error.message if isinstance(error, HammerstoneError) else repr(error)[:300]
            await jobs.fail(job, reason, retry_s=policy.retry_s * job.attempts)
            if isinstance(error, HammerstoneError):
                raise
            warn("a proof failed", error=reason)
            return None

    async def _work(self, job: Job, notify: Notify) -> FinishedProof | None:
        askers = [_asked(asker) for asker in job.askers]
        async with self.progress.showing(askers, notify) as shown:
            return await self._proved(job, askers, shown)

    async def _proved(
        self, job: Job, askers: Sequence[AskerTask], notify: Notify
    ) -> FinishedProof | None:
        jobs = self._records.db.jobs
        await notify(EventKind.PROOF, "continuing a saved proof", {"step": "claimed"})
        result = _known(job)
        if result is None and askers:
            runs = frozenset(asked.task.run_id for asked in askers)
            first = askers[0].task
            owner = StepOwner(job.kind, job.key, job.holder, first.session_id)
            paid = self._records.db.paid_steps
            journal = StepJournal(paid, owner, self._records.storable)
            await journal.load()
            proved = await self._prover.prove(first, notify, runs, journal)
            result = replace(proved, user=first.user)
            lease_s = self._guards.policies.get(ProvingPolicy).lease_s
            if not await jobs.renew(job, lease_s, result.to_json()):
                return None
        events: list[Event] = []
        for asked in askers:
            assert result is not None
            new = await self._teller.tell(job, asked, result)
            await notify(EventKind.PROOF, "the answer was brought up to date", {"step": "told"})
            for event in new:
                for listener in self.listeners:
                    await listener(event, asked.task.user)
            events += new
        if result is None:  # the sessions of all who asked were deleted
            await jobs.fail(job, "nobody needs it any more")
            return None
        async with self._records.db.transaction() as stores:
            if await stores.jobs.finish(job, result.to_json()):
                await stores.paid_steps.forget(job.kind, job.key)
        return FinishedProof(job, result, tuple(events))


def _asked(asker: Asker) -> AskerTask:
    task = asker.payload["task"]
    assert isinstance(task, dict)
    return AskerTask(asker.name, ProofTask.from_json(task), asker.payload.get("private") is True)


def _known(job: Job) -> ProofResult | None:
    """What an earlier holder came to, or what the job came to before somebody asked again."""
    for document in (job.progress, job.result):
        if isinstance(document, dict):
            return ProofResult.from_json(document)
    return None


async def _silent(kind: EventKind, text: str, data: dict[str, Json]) -> None:
    return
