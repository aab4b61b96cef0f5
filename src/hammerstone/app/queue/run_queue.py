"""Requests that are stored first and answered by whichever process comes (`hs.queue`), and those
that are watched in the database until they end."""

import asyncio
import math
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.queue.waking import RunWaker
from hammerstone.core.answers import Answer, Event, EventKind, OnEvent
from hammerstone.core.errors import HammerstoneError, NotFound, Overloaded
from hammerstone.core.formatting import shortened
from hammerstone.core.holder import holder_name
from hammerstone.core.jobs import Asker, Job, QueueCounts
from hammerstone.run.context import Contacts
from hammerstone.run.durable.holding import RUN, RunHolds, place_of
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.request import Request
from hammerstone.run.services import Guards, Records
from hammerstone.run.understand.session_files import given_file
from hammerstone.storage import ArtifactRow, RunRow, Stores
from hammerstone.storage.stores.runs.runs import RUNNING
from hammerstone.tracing.warn import warn

_LOOK_S = 0.2
_GONE = "gone"  # the session of the run was deleted

_RATE_S = 60.0
_LEAST_S, _MOST_S = 1.0, 600.0
_UNKNOWN_S = 10.0


@dataclass(slots=True, eq=False)
class _WatchedRun:
    """A run that somebody watches, and how far the last look found it."""

    run_id: str
    status: str = RUNNING
    last: int = -1
    news: asyncio.Event = field(default_factory=asyncio.Event)


class RunWatch:
    """The runs that this process waits for. Nothing is read while there are none."""

    def __init__(self, records: Records) -> None:
        self._db = records.db
        self._watched: set[_WatchedRun] = set()
        self._looking: asyncio.Task[None] | None = None

    async def until_end(self, run_id: str, on_event: OnEvent | None = None) -> RunRow:
        """The run once it has ended; `on_event` sees what it says meanwhile, each event once."""
        mine, seen = _WatchedRun(run_id), -1
        self._watched.add(mine)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            while True:
                await mine.news.wait()
                mine.news.clear()
                ended = mine.status != RUNNING
                if on_event is not None and mine.last > seen:
                    for event in await self._db.events.of_run(run_id):
                        if event.number > seen:
                            seen = event.number
                            await on_event(event)
                if ended:
                    return await self._db.runs.get(run_id)
        finally:
            self._watched.discard(mine)

    async def _look(self) -> None:
        while self._watched:
            await asyncio.sleep(_LOOK_S)
            watched = [*self._watched]
            try:
                found = await self._db.runs.statuses([one.run_id for one in watched])
            except HammerstoneError as error:  # a database that is away comes back
                warn("runs of other processes could not be watched", error=error.message)
                await asyncio.sleep(1.0)
                continue
            for one in watched:
                status, last = found.get(one.run_id, (_GONE, one.last))
                if (status, last) != (one.status, one.last):
                    one.status, one.last = status, last
                    one.news.set()


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """A request that was stored: which run it is."""

    run_id: str
    session_id: str


class RunQueue:
    """Stores requests as runs that nobody has begun; workers claim them, persons take turns."""

    def __init__(self, records: Records, guards: Guards, waking: RunWaker, holds: RunHolds) -> None:
        self._records = records
        self._guards = guards
        self._waking = waking
        self._holds = holds
        self._holder = holder_name()
        self._watch = RunWatch(records)

    async def put(self, request: Request) -> QueuedRun | None:
        """Store a request; None for one whose words hold something private: it is not stored, and
        only the process that was asked can answer it. Raises `Overloaded`."""
        task = await self._task(request)
        if task.private:
            return None
        await self._admit(request.user)
        return await self._store(request, task)

    async def leave(self, request: Request) -> None:
        """Store a request that waits for its turn in a process that ends: the next one answers
        it. It was let in already, so no limit counts."""
        task = await self._task(request)
        if not task.private:
            await self._store(request, task)

    async def keep(self, request: Request) -> Job | None:
        """Store a request that waits for its turn here, held by this process; None for one whose
        words hold something private."""
        task = await self._task(request)
        if task.private:
            return None
        async with self._opened(request) as (stores, run_id):
            job = await self._holds.take_waiting(stores, request, run_id, task)
        self._holds.keep(job)
        return job

    async def give_back(self, job: Job | None) -> None:
        """Let another process answer a request that waited here."""
        if job is not None:
            await self._records.db.jobs.release(job)

    async def end(self, job: Job | None, status: str, said: str) -> None:
        """End a run that nobody has begun; nothing happens to one that is another's by now."""
        if job is None:
            return
        db, now, run_id = self._records.db, self._records.clock.now(), job.key
        session_id = job.askers[0].session_id
        event = Event(EventKind.FAILED, run_id, session_id, 0, now, said, {})
        async with db.transaction() as stores:
            if await stores.jobs.drop(job):
                await stores.runs.finish(run_id, status, {"text": said}, now)
                await stores.events.add_next(event)
                await stores.paid_steps.forget(RUN, run_id)

    async def _task(self, request: Request) -> RunTask:
        return await asyncio.to_thread(RunTask.of, request, None, self._records)

    async def _store(self, request: Request, task: RunTask) -> QueuedRun:
        async with self._opened(request) as (stores, run_id):
            asker = Asker(run_id, task.to_json(), request.session_id)
            await stores.jobs.put(RUN, run_id, asker, place_of(request))
        self._waking.look()
        return QueuedRun(run_id, request.session_id)

    @asynccontextmanager
    async def _opened(self, request: Request) -> AsyncGenerator[tuple[Stores, str]]:
        """A transaction with the request's session, run and files; the run's id."""
        run_id, db = request.run_id or uuid.uuid4().hex, self._records.db
        words = self._records.clean_text(request.text)
        files = await asyncio.to_thread(self._given, request, run_id)
        now = self._records.clock.now()
        row = RunRow(
            run_id, request.session_id, request.user, words, "", RUNNING, None, started_at=now
        )
        async with db.transaction() as stores:
            title = shortened(words, 80)
            session = await stores.sessions.create(request.user, request.session_id, title)
            if session.user != request.user:
                raise NotFound(
                    "there is no such session", hint="leave out --session to begin a new one"
                )
            await stores.runs.open(row)
            await stores.artifacts.add(files)
            yield stores, run_id

    async def answer(self, request: Request, contacts: Contacts) -> Answer | None:
        """Store a request and wait for what another process answers; None as in `put`.

        Whoever cancels the waiting cancels the run.
        """
        queued = await self.put(request)
        if queued is None:
            return None
        contacts.accepted()
        try:
            return await self.answer_of(queued.run_id, contacts.on_event)
        except asyncio.CancelledError:
            await asyncio.shield(self.cancel(queued.run_id, request.user))
            raise

    async def answer_of(self, run_id: str, on_event: OnEvent | None = None) -> Answer:
        """The answer of a stored run, once it is there. Raises its error where it has none."""
        row = await self._watch.until_end(run_id, on_event)
        stored: Any = row.answer
        try:
            return Answer.from_json(stored)
        except (KeyError, TypeError, ValueError):
            said = stored.get("text") if isinstance(stored, dict) else ""
            raise HammerstoneError(str(said or row.status), hint="ask again") from None

    async def cancel(self, run_id: str, user: str) -> None:
        """Stop a run, wherever it is. Raises `NotFound` for one that is not this person's."""
        db = self._records.db
        row = await db.runs.find(run_id)
        if row is None or row.user != user:
            raise NotFound("there is no such run", run=run_id)
        if row.status != RUNNING:
            return
        job = await db.jobs.claim(RUN, self._holder, lease_s=30.0, most=1_000_000, key=run_id)
        if job is None:  # a process is at it, and looks twice a second whether it is stopped
            await self._guards.stop.stop("run", run_id, who=user, why="cancelled")
            return
        await self.end(job, "cancelled", "stopped")

    async def counts(self, user: str = "") -> QueueCounts:
        """How many stored runs wait and are held, of all and of one person."""
        return await self._records.db.jobs.counts(RUN, user)

    async def _admit(self, user: str) -> None:
        policy, counts = self._guards.policies.get(QueuePolicy), await self.counts(user)
        if counts.waiting >= policy.waiting:
            raise await self._full(f"{counts.waiting} requests wait already", counts.waiting)
        own = counts.waiting_of_person
        if own >= policy.waiting_per_person:
            raise await self._full(f"{own} of your requests wait already", own)

    async def _full(self, text: str, ahead: int) -> Overloaded:
        since = self._records.clock.now() - timedelta(seconds=_RATE_S)
        ended = await self._records.db.runs.ended_since(since)
        return overloaded(text, bounded(ahead * _RATE_S / ended) if ended else _UNKNOWN_S)

    def _given(self, request: Request, run_id: str) -> list[tuple[ArtifactRow, bytes]]:
        """The request's files, stored with it: the process that answers may be elsewhere."""
        policy, now = self._guards.policies.get(SessionPolicy), self._records.clock.now()
        until = now + timedelta(days=policy.file_days)
        given: list[tuple[ArtifactRow, bytes]] = []
        for name, path in request.named_files.items():
            if path.stat().st_size <= policy.given_file_bytes:
                content = path.read_bytes()
                row = given_file(request, run_id, name, content, now)
                given.append((replace(row, expires_at=until), content))
        return given


def bounded(seconds: float) -> float:
    """A time to return that neither invites at once nor sends away for good."""
    return float(math.ceil(min(max(seconds, _LEAST_S), _MOST_S)))


def overloaded(text: str, wait_s: float) -> Overloaded:
    return Overloaded(
        f"there is too much to do now: {text}",
        hint=f"try again in {wait_s:.0f} s; hammerstone policies show queue says the limits",
        retry_after_s=wait_s,
    )
