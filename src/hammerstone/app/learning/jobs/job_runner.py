"""Runs jobs when it is their turn: each turn once, however many processes look."""

import asyncio
import uuid
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.learning_job import (
    JobStanding,
    LearningJob,
    cost_s,
    due_at,
    next_pace,
)
from hammerstone.app.queue.job_holding import JobHolding
from hammerstone.core.chat import Usage
from hammerstone.core.errors import (
    BudgetExceeded,
    HammerstoneError,
    NotFound,
    Stopped,
    StorageError,
)
from hammerstone.core.job_runs import JobReport, JobRun, JobRunState
from hammerstone.core.jobs import Asker, Job, JobState
from hammerstone.core.json_types import JsonObject
from hammerstone.guard.budget import Budget
from hammerstone.guard.journal import StepJournal, paid_once
from hammerstone.run.services import Guards, Records
from hammerstone.storage.stores.runs.paid_steps import StepOwner
from hammerstone.tracing import span
from hammerstone.tracing.warn import warn

KIND = "learning"
_FIRST = "first"
_DAY = timedelta(days=1)
_HISTORY = 50


class JobBudget:
    """An `Allowance` that is one turn's: opened by the runner, used by whatever the job calls.

    Outside of a turn it has no limit and counts nothing: then a person's own command, such as
    `hammerstone repair`, has the limits of its own policy.
    """

    def __init__(self) -> None:
        self._turn: Budget | None = None

    @contextmanager
    def turn(self, tokens: int) -> Generator[Budget]:
        """Everything that is spent in the block counts for one turn."""
        self._turn = Budget(
            tokens=tokens, model_calls=None, steps=None, usd=None, name="turn of a job"
        )
        try:
            yield self._turn
        finally:
            self._turn = None

    @contextmanager
    def reserve(self, tokens: int = 0, calls: int = 1) -> Generator[None]:
        if self._turn is None:
            yield
            return
        with self._turn.reserve(tokens, calls):
            yield

    def spend(self, usage: Usage) -> None:
        if self._turn is not None:
            self._turn.spend(usage)


class JobRunner:
    """One a process. A turn is a stored job (`core.seams.Jobs`) whose asker is the tick: it is
    named after the turn before it, so every process that looks means the same one."""

    def __init__(self, records: Records, guards: Guards) -> None:
        self._records = records
        self._db = records.db
        self._clock = records.clock
        self._guards = guards
        self._holding = JobHolding(records, KIND, "a job")
        self._turns = asyncio.Lock()
        self.budget = JobBudget()
        self.jobs: dict[str, LearningJob] = {}
        self._watching: set[str] = set()

    def add(self, *jobs: LearningJob) -> None:
        """Jobs that have their turn from now on, in this order."""
        self.jobs |= {job.name: job for job in jobs}

    def watch(self, *jobs: LearningJob) -> None:
        """Jobs whose worth is that somebody looks: they save nothing and come as often all the
        same, and they have limits of their own."""
        self.add(*jobs)
        self._watching |= {job.name for job in jobs}

    async def look(self) -> list[JobRun]:
        """Give every job that is due its turn, one after the other; the turns that ended here.

        Raises `Stopped`, and begins nothing, while everything is stopped.
        """
        await self._guards.stop.check(fresh=True)
        await self._guards.policies.load()
        if not self._policy.enabled:
            return []
        done: list[JobRun] = []
        for job in [*self.jobs.values()]:
            ended = await self._if_due(job)
            if ended is not None:
                done.append(ended)
        return done

    async def run(self, names: Iterable[str] = (), *, dry_run: bool = False) -> list[JobRun]:
        """Give jobs a turn now, due or not, because a person asks; all without a name.

        A dry run stores nothing. Raises `NotFound` for a job that is not there.
        """
        chosen = [self._job(name) for name in names] or [*self.jobs.values()]
        await self._guards.stop.check(fresh=True)
        await self._guards.policies.load()
        done: list[JobRun] = []
        for job in chosen:
            if dry_run:
                done.append(await self._try(job))
                continue
            tick = f"asked {uuid.uuid4().hex}"
            why = await job.news() or "a person asked for it"
            done.append(await self._turn(job, tick, why, once=True) or self._busy(job, tick))
        return done

    async def standings(self) -> list[JobStanding]:
        """Every job with its last and next turn, and what it cost and saved so far."""
        policy = self._policy
        found: list[JobStanding] = []
        for job in self.jobs.values():
            runs = await self._db.job_runs.list(job.name, _HISTORY)
            last = runs[0] if runs else None
            found.append(
                JobStanding(
                    name=job.name,
                    about=job.about,
                    every_s=job.every_s,
                    pace=last.pace if last else 1.0,
                    last=last,
                    next_at=due_at(job, last) if last and policy.enabled else None,
                    news=await job.news(),
                    cost_s=sum(cost_s(run, policy) for run in runs),
                    tokens=sum(run.tokens for run in runs),
                    saved_s=sum(run.saved_s for run in runs),
                )
            )
        return found

    @property
    def _policy(self) -> LearningPolicy:
        return self._guards.policies.get(LearningPolicy)

    def _job(self, name: str) -> LearningJob:
        if name not in self.jobs:
            raise NotFound(f"there is no job {name!r}", hint=", ".join(self.jobs))
        return self.jobs[name]

    async def _if_due(self, job: LearningJob) -> JobRun | None:
        last = await self._db.job_runs.last(job.name)
        if last is None:  # a library's first day is for gathering
            await self._keep(self._new(job, _FIRST, JobRunState.BEGUN))
            return None
        now = self._clock.now()
        if last.at > now:  # a clock was ahead: nothing would run until that moment
            await self._db.job_runs.end_by(now)
            return None
        if now < due_at(job, last):
            return None
        why = await job.news()
        if not why or await self._tokens_left() <= 0:
            return None
        return await self._turn(job, f"after {last.id}", why)

    async def _turn(
        self, job: LearningJob, tick: str, why: str, *, once: bool = False
    ) -> JobRun | None:
        """Claim a tick and do it; None where it is held or was done elsewhere, or put off.

        `once`: a person waits for it, so a failure is told and not tried again later.
        """
        policy, jobs = self._policy, self._db.jobs
        await jobs.put(KIND, job.name, Asker(tick, {"why": why}))
        async with self._turns:
            held = await self._holding.claim(
                lease_s=policy.lease_s, most=policy.attempts, key=job.name
            )
            if held is None:
                return await self._given_up(job, tick)
            waiting = next((asker for asker in held.askers if asker.name == tick), None)
            if waiting is None:  # another process has just done it
                await jobs.finish(held, held.result)
                return None
            return await self._do(job, held, tick, why, once)

    async def _do(
        self, job: LearningJob, held: Job, tick: str, why: str, once: bool
    ) -> JobRun | None:
        """The turn itself, for as long as the lease is ours."""
        policy, jobs = self._policy, self._db.jobs
        journal = StepJournal(
            self._db.paid_steps,
            StepOwner(KIND, held.key, held.holder),
            self._records.storable,
        )
        await journal.load()
        work = self._work(job, self._new(job, tick, why=why), journal)
        try:
            turn = await self._holding.work(held, policy.lease_s, work)
            return None if turn is None else await self._end(held, turn)
        except asyncio.CancelledError:
            with suppress(HammerstoneError):  # the lease runs out by itself
                await asyncio.shield(jobs.release(held))  # also where it was just being ended
            raise
        except Stopped:
            await jobs.release(held)
            raise
        except StorageError:
            raise  # the lease runs out by itself
        except Exception as error:
            reason = error.message if isinstance(error, HammerstoneError) else repr(error)[:300]
            warn("a job failed", job=job.name, error=reason)
            retry_s = policy.retry_s * held.attempts
            last = once or held.attempts >= policy.attempts
            await jobs.fail(held, reason, retry_s=None if last else retry_s)
            if last:
                await self._db.paid_steps.forget(KIND, held.key)
            return await self._given_up(job, tick) if last else None

    async def _work(self, job: LearningJob, turn: JobRun, journal: StepJournal) -> JobRun:
        """What a turn comes to; what models said in it before it was broken off is not paid for
        again."""
        policy, began_s = self._policy, self._clock.elapsed_s()
        left = max(0, await self._tokens_left())
        try:
            with self.budget.turn(left) as spent, span(f"job {job.name}", kind="step") as traced:
                longest_s = None if job.name in self._watching else policy.longest_s
                async with self._guards.stop.calling(), asyncio.timeout(longest_s):
                    with paid_once(journal):
                        report = await job.run(dry_run=False)
                traced.output = f"{len(report.changes)} changes"
        except TimeoutError:
            raise BudgetExceeded(
                f"it took longer than {policy.longest_s:g} s",
                hint="hammerstone policies set learning longest_s=...",
            ) from None
        tokens = max(report.tokens, spent.spent.tokens)
        seconds = report.seconds or self._clock.elapsed_s() - began_s
        done = replace(
            turn,
            state=JobRunState.DONE,
            at=self._clock.now(),
            tokens=tokens,
            seconds=seconds,
            saved_s=report.saved_s,
            report=_told(report),
        )
        if job.name in self._watching:
            return done
        before = await self._db.job_runs.list(job.name, policy.pays_over)
        return replace(done, pace=next_pace(done, before, policy))

    async def _end(self, held: Job, turn: JobRun) -> JobRun | None:
        """Keep what a turn came to and end its job, together; None when the lease was lost."""
        async with self._db.transaction() as stores:
            for asker in held.askers:  # one turn answers all who asked before it began
                if not await stores.jobs.settle(held, asker.name):
                    return None
            await stores.job_runs.add(turn)
            await stores.jobs.finish(held, turn.to_json())
            await stores.paid_steps.forget(KIND, held.key)
        return turn

    async def _given_up(self, job: LearningJob, tick: str) -> JobRun | None:
        """Keep that a tick was given up, so that the next one comes; None for any other."""
        found = await self._db.jobs.find(KIND, job.name)
        if found is None or found.state is not JobState.FAILED:
            return None
        if tick not in {asker.name for asker in found.askers}:
            return None
        last = await self._db.job_runs.last(job.name)
        failed = self._new(job, tick, JobRunState.FAILED)
        failed = replace(failed, reason=found.reason, pace=last.pace if last else 1.0)
        return failed if await self._keep(failed) else None

    async def _try(self, job: LearningJob) -> JobRun:
        began_s = self._clock.elapsed_s()
        why = await job.news()
        left = max(0, await self._tokens_left())
        async with self._turns, self._guards.stop.calling():
            with self.budget.turn(left) as spent:
                report = await job.run(dry_run=True)
        return replace(
            self._new(job, "dry run", JobRunState.TRIED, why),
            tokens=max(report.tokens, spent.spent.tokens),
            seconds=report.seconds or self._clock.elapsed_s() - began_s,
            saved_s=report.saved_s,
            report=_told(report),
        )

    async def _tokens_left(self) -> int:
        spent = await self._db.job_runs.tokens_since(self._clock.now() - _DAY)
        return self._policy.tokens_a_day - spent

    async def _keep(self, turn: JobRun) -> bool:
        return await self._db.job_runs.add(turn)

    def _busy(self, job: LearningJob, tick: str) -> JobRun:
        reason = "another process does it right now, or it waits after a failure"
        return replace(self._new(job, tick, JobRunState.BUSY), reason=reason)

    def _new(
        self, job: LearningJob, tick: str, state: JobRunState = JobRunState.DONE, why: str = ""
    ) -> JobRun:
        return JobRun(uuid.uuid4().hex, job.name, tick, state, self._clock.now(), why)


def _told(report: JobReport) -> JsonObject:
    return {**report.details, "changes": [change.to_json() for change in report.changes]}
