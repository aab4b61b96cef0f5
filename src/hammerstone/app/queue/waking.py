"""Runs that were broken off, taken up again where they stopped."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.core.answers import Answer, Event, EventKind
from hammerstone.core.errors import HammerstoneError, NotFound, Stopped, StorageError, TakenOver
from hammerstone.core.holder import is_dead
from hammerstone.core.jobs import ClaimRule, Job, JobState
from hammerstone.core.json_types import JsonObject
from hammerstone.run.answering import Answerer
from hammerstone.run.context import Contacts
from hammerstone.run.durable.holding import FORM, RETRIED, RUN, RunHolds
from hammerstone.run.durable.run_task import GivenFile, RunTask
from hammerstone.run.services import Guards, Records
from hammerstone.storage.stores.runs.runs import OpenRun
from hammerstone.tracing.warn import warn

KINDS = (RUN, RETRIED)
_OLD_S = 600.0  # a run without a job that is older than this is of a process that ended
_PRIVATE = "its words hold something private and were not stored"
_UNREADABLE = "another version of Hammerstone has stored it"

GoOn: TypeAlias = Callable[[Contacts], Awaitable[Answer]]
"""Answers the run, showing things to these and asking them."""
Door: TypeAlias = Callable[[Job, RunTask, GoOn], Awaitable[Answer]]
"""Where a run that is taken up again is shown; it has to let the run go on."""


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """A run that was broken off. `waits`: first a person has to allow something."""

    run_id: str
    session_id: str
    user: str
    text: str
    waits: bool

    def to_json(self) -> JsonObject:
        return {
            "run_id": self.run_id,
            "session_id": self.session_id,
            "text": self.text,
            "waits": self.waits,
        }


class RunWaker:
    """Finds runs whose process has ended and asks them again; `hs.waking`."""

    def __init__(
        self, records: Records, guards: Guards, answerer: Answerer, holds: RunHolds
    ) -> None:
        self._records = records
        self._guards = guards
        self._answerer = answerer
        self._holds = holds
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()
        self._looking = asyncio.Lock()
        self._finishing = False
        self._swept_s = -1e9
        self.doing: dict[str, None] = {}  # ids of the runs that go on here, in order
        self.done = 0

    async def broken_off(
        self, user: str | None = None, session: str | None = None
    ) -> list[BrokenRun]:
        """Runs that nobody works on any more, oldest first; all people's without a `user`."""
        await self._put_away(session)
        return [
            BrokenRun(one.row.id, one.row.session_id, one.row.user, one.row.request, one.waits)
            for one in await self._open(session)
            if user in (None, one.row.user)
        ]

    async def wake(self, user: str, session: str | None, contacts: Contacts) -> list[Answer]:
        """Continue a person's runs that were broken off, one after the other; their answers.

        One that waits for a person's word, or that cannot go on now, is left as it is.
        """
        answers: list[Answer] = []
        for broken in await self.broken_off(user, session):
            if not broken.waits:
                with suppress(TakenOver):
                    answer = await self.do_next(broken.run_id, _shown_to(contacts))
                    answers += [answer] if answer is not None else []
        return answers

    async def do_next(self, run_id: str | None = None, door: Door | None = None) -> Answer | None:
        """Claim a run that waits or was broken off, or a certain one, and answer it; None without.

        Raises what `ask` raises; a run whose model is away waits for its next turn.
        """
        job = await self._claim(run_id)
        return None if job is None else await self._again(job, door or _shown_to(Contacts()))

    def start(self, door: Door | None = None, at_once: int | None = None) -> None:
        """Look for such runs again and again from now on, several at the same time."""
        while len(self._tasks) < (at_once or self._holds.policy.at_once):
            self._tasks.append(asyncio.create_task(self._go_on(door)))

    def look(self) -> None:
        """Something may have come: a person has decided, or asked."""
        self._news.set()

    async def finish(self, within_s: float) -> bool:
        """Claim nothing more, and wait for what is under way; whether all of it ended in time."""
        self._finishing = True
        self.look()
        if self._tasks:
            _, pending = await asyncio.wait(self._tasks, timeout=within_s)
            return not pending
        return True

    async def close(self) -> None:
        """Runs that are under way are left to whoever comes next."""
        if self._tasks:
            self._holds.leaving = True
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks.clear()

    async def _go_on(self, door: Door | None) -> None:
        while not self._finishing:
            try:
                async with self._looking:  # of several, one at a time looks
                    job = await self._wait_for_one()
                if job is not None:
                    await self._again(job, door or _shown_to(Contacts()))
                    self.done += 1
            except (Stopped, TakenOver):
                pass
            except HammerstoneError as error:
                warn("a run that was broken off could not go on", error=error.message)

    async def _wait_for_one(self) -> Job | None:
        """A run to answer, as soon as there is one; None when nothing more is to be claimed."""
        while not self._finishing:
            self._news.clear()
            with suppress(Stopped, StorageError):  # it waits; who stopped it knows
                if (job := await self._claim()) is not None:
                    return job
            with suppress(TimeoutError):
                every_s = self._guards.policies.get(QueuePolicy).look_every_s
                await asyncio.wait_for(self._news.wait(), every_s)
        return None

    async def _claim(self, run_id: str | None = None) -> Job | None:
        await self._guards.stop.check(fresh=True)
        policy, now_s = self._holds.policy, self._records.clock.elapsed_s()
        sweeps = run_id is not None or now_s - self._swept_s >= policy.look_every_s
        if sweeps:
            self._swept_s = now_s
            await self._end_dead()
        limits = self._guards.policies.get(QueuePolicy)
        rule = ClaimRule(
            per_person=limits.held_per_person,
            per_model=limits.held_per_model,
            in_all=limits.held,
            form=FORM,
            undecided=False,
        )
        job = await self._records.db.jobs.claim(
            RUN,
            self._holds.holder,
            lease_s=policy.lease_s,
            most=policy.attempts,
            key=run_id,
            rule=rule,
        )
        if sweeps:
            await self._put_away()
        if job is not None and self._holds.is_held(job.key):
            return None  # its lease ran out while this process hung; the claim has renewed it
        return job

    async def _end_dead(self) -> None:
        """End the leases of processes of this machine that are known to be gone."""
        for one in await self._records.db.open_runs.list((RUN,), only="held"):
            if one.job is not None and is_dead(one.job.holder):
                await self._records.db.jobs.end_lease(one.job)

    async def _open(self, session: str | None = None) -> list[OpenRun]:
        """Runs that can be claimed."""
        await self._end_dead()
        found = await self._records.db.open_runs.list((RUN,), session)
        return [
            one
            for one in found
            if one.free and one.job is not None and one.job.state is JobState.WAITING
        ]

    async def _again(self, job: Job, door: Door) -> Answer | None:
        try:
            task = RunTask.from_json(job.askers[0].payload)
        except (IndexError, KeyError, TypeError):
            await self.give_up(job, _UNREADABLE)
            return None
        if task.private:
            await self.give_up(job, _PRIVATE)
            return None
        async with self._files(job, task) as files:
            if isinstance(files, str):
                await self.give_up(job, files)
                return None
            request = task.request(job.key, job.askers[0].session_id, files)

            async def go_on(shown: Contacts) -> Answer:
                contacts = replace(shown, budget=task.budget(), job=job)
                return await self._answerer.answer(request, contacts)

            self.doing[job.key] = None
            try:
                return await door(job, task, go_on)
            except Stopped as error:
                if error.data.get("scope") == "run":  # else it waits until it is let go on
                    await self.give_up(job, error.message)
                raise
            finally:
                self.doing.pop(job.key, None)

    @asynccontextmanager
    async def _files(self, job: Job, task: RunTask) -> AsyncGenerator[list[Path] | str]:
        """The request's files as they were given; a text says which is not there any more."""
        if not task.files:
            yield []
            return
        db, now = self._records.db, self._records.clock.now()
        rows = await db.artifacts.of_session(job.askers[0].session_id, now, limit=500)
        stored = {(row.name, row.sha256): row.id for row in rows}
        folder = Path(tempfile.mkdtemp(prefix="hammerstone-"))
        try:
            paths: list[Path] = []
            for file in task.files:
                path = folder / file.name
                if id := stored.get((file.name, file.sha256)):
                    _, content = await db.artifacts.get(id)
                    await asyncio.to_thread(path.write_bytes, content)
                elif not await asyncio.to_thread(_copied, file, path):
                    yield f"the file {file.name} is not there any more, or is another one"
                    return
                paths.append(path)
            yield paths
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _put_away(self, session: str | None = None) -> None:
        """End runs that nobody can take up: given up after so many attempts, or of a version
        that stored nothing to take them up with."""
        old = self._records.clock.now() - timedelta(seconds=_OLD_S)
        for one in await self._records.db.open_runs.list(KINDS, session, only="lost"):
            if one.job is None and one.row.started_at < old:
                await self._end(one, "an earlier version of Hammerstone was ended in the middle")
            elif one.job is not None and one.job.state is JobState.FAILED:
                await self._end(one, one.job.reason)

    async def give_up(self, job: Job, reason: str) -> None:
        """End a run that cannot be continued, and say why."""
        await self._records.db.jobs.fail(job, reason)
        await self._put_away(job.askers[0].session_id if job.askers else None)

    async def _end(self, one: OpenRun, reason: str) -> None:
        """The run as failed, with the reason; what it has paid for is kept for another try."""
        row, clean = one.row, self._records.clean_text
        text = f"This request was broken off and cannot be continued: {clean(reason)}. Ask again."
        now = self._records.clock.now()
        event = Event(EventKind.FAILED, row.id, row.session_id, 0, now, text, {"broken": True})
        async with self._records.db.transaction() as stores:
            with suppress(NotFound):
                await stores.runs.finish(row.id, "failed", {"text": text}, now)
                await stores.events.add_next(event)


def _shown_to(contacts: Contacts) -> Door:
    async def door(job: Job, task: RunTask, go_on: GoOn) -> Answer:
        return await go_on(contacts)

    return door


def _copied(file: GivenFile, to: Path) -> bool:
    """Whether the file is still where it was, with the same content, and is copied now."""
    try:
        shutil.copyfile(file.path, to)
    except OSError:
        return False
    return file == GivenFile.at(to, file.path)
