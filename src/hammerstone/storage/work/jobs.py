"""Jobs in the database: the seam `Jobs`, for every process that opens it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.jobs import Asker, Job, JobState
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.schema import job_askers, jobs

_WAITING, _DONE, _FAILED = (str(state) for state in JobState)
_FIND = select(jobs).where(jobs.c.kind == bindparam("kind"), jobs.c.key == bindparam("key"))
_ASKERS = (
    select(job_askers.c.name, job_askers.c.payload, job_askers.c.session_id)
    .where(
        job_askers.c.kind == bindparam("kind"),
        job_askers.c.key == bindparam("key"),
        job_askers.c.told.is_(False),
    )
    .order_by(job_askers.c.number)
)
_KEYS_OF = (
    select(job_askers.c.key)
    .where(job_askers.c.kind == bindparam("kind"), job_askers.c.name == bindparam("name"))
    .order_by(job_askers.c.number)
)
_UNTOLD = exists().where(
    job_askers.c.kind == jobs.c.kind, job_askers.c.key == jobs.c.key, job_askers.c.told.is_(False)
)


class StoredJobs:
    """`core.seams.Jobs` on SQLite and PostgreSQL.

    Every write takes the job's row before anything else, so writers of one job take turns.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        insert = access.dialect.insert(jobs)
        self._take_row = insert.on_conflict_do_update(
            index_elements=[jobs.c.kind, jobs.c.key], set_={"key": insert.excluded.key}
        )
        self._ask = (
            access.dialect.insert(job_askers)
            .on_conflict_do_nothing(
                index_elements=[job_askers.c.kind, job_askers.c.key, job_askers.c.name]
            )
            .returning(job_askers.c.number)
        )

    async def put(self, kind: str, key: str, asker: Asker) -> None:
        now = self._access.clock.now()
        job = {
            "kind": kind,
            "key": key,
            "state": _WAITING,
            "holder": "",
            "until": now,
            "attempts": 0,
            "reason": "",
            "progress": None,
            "result": None,
            "created_at": now,
        }
        asked = {
            "kind": kind,
            "key": key,
            "name": asker.name,
            "session_id": asker.session_id,
            "payload": asker.payload,
            "told": False,
        }
        ended = [_is(kind, key), jobs.c.state != _WAITING]
        again = {"state": _WAITING, "attempts": 0, "reason": "", "holder": "", "until": now}
        async with self._access.writing() as connection:
            await connection.execute(self._take_row, job)
            if (await connection.execute(self._ask, asked)).first() is not None:
                await connection.execute(update(jobs).where(*ended).values(**again))

    async def claim(
        self, kind: str, holder: str, *, lease_s: float, most: int = 5, key: str | None = None
    ) -> Job | None:
        now = self._access.clock.now()
        free = [jobs.c.kind == kind, jobs.c.state == _WAITING, jobs.c.until <= now]
        if key is not None:
            free.append(jobs.c.key == key)
        oldest = (
            select(jobs.c.key, jobs.c.attempts, jobs.c.reason)
            .where(*free)
            .order_by(jobs.c.created_at, jobs.c.key)
            .limit(1)
            .with_for_update(skip_locked=True)  # SQLite has one writer at a time anyway
        )
        taken: dict[str, Any] = {"holder": holder, "until": now + timedelta(seconds=lease_s)}
        async with self._access.writing() as connection:
            while row := (await connection.execute(oldest)).first():
                found = update(jobs).where(_is(kind, row.key))
                if row.attempts >= most:
                    last = row.reason or "none of them finished"
                    reason = f"given up after {row.attempts} attempts: {last}"
                    lost = found.values(state=_FAILED, holder="", reason=reason)
                    await connection.execute(lost)
                    continue
                await connection.execute(found.values(**taken, attempts=row.attempts + 1))
                return await _read(connection, kind, row.key)
        return None

    async def renew(self, job: Job, lease_s: float, progress: Json = None) -> bool:
        until = self._access.clock.now() + timedelta(seconds=lease_s)
        more = {} if progress is None else {"progress": progress}
        return await self._change(job, until=until, **more)

    async def settle(self, job: Job, asker: str) -> bool:
        lock = select(jobs.c.key).where(*self._held(job)).with_for_update()
        tell = (
            update(job_askers)
            .where(
                job_askers.c.kind == job.kind,
                job_askers.c.key == job.key,
                job_askers.c.name == asker,
                job_askers.c.told.is_(False),
            )
            .values(told=True, payload={})  # what it asked with is not needed any more
        )
        async with self._access.writing() as connection:
            if (await connection.execute(lock)).first() is None:
                return False
            return (await connection.execute(tell)).rowcount > 0

    async def finish(self, job: Job, result: Json) -> bool:
        now = self._access.clock.now()
        ended: dict[str, Any] = {"holder": "", "until": now, "attempts": 0, "reason": ""}
        held = self._held(job)
        async with self._access.writing() as connection:
            given = await connection.execute(
                update(jobs).where(*held).values(**ended, result=result, progress=None)
            )
            if given.rowcount == 0:
                return False
            # A statement of its own: it sees an asker that came before the row was ours.
            done = update(jobs).where(_is(job.kind, job.key), ~_UNTOLD).values(state=_DONE)
            await connection.execute(done)
        return True

    async def fail(self, job: Job, reason: str, *, retry_s: float | None = None) -> bool:
        until = self._access.clock.now() + timedelta(seconds=retry_s or 0.0)
        state = _FAILED if retry_s is None else _WAITING
        return await self._change(job, state=state, holder="", until=until, reason=reason)

    async def release(self, job: Job, *, pause_s: float = 0.0) -> bool:
        until = self._access.clock.now() + timedelta(seconds=pause_s)
        return await self._change(job, holder="", until=until, attempts=jobs.c.attempts - 1)

    async def purge(self, before: datetime) -> int:
        """Forget jobs that ended before a moment, and who asked for them; how many jobs."""
        old = [jobs.c.state != _WAITING, jobs.c.until <= before]
        asked = exists().where(
            jobs.c.kind == job_askers.c.kind, jobs.c.key == job_askers.c.key, *old
        )
        async with self._access.writing() as connection:
            await connection.execute(delete(job_askers).where(asked))
            return (await connection.execute(delete(jobs).where(*old))).rowcount

    async def find(self, kind: str, key: str) -> Job | None:
        async with self._access.reading() as connection:
            return await _read(connection, kind, key)

    async def of_asker(self, kind: str, name: str) -> "list[Job]":
        async with self._access.reading() as connection:
            asked = await connection.execute(_KEYS_OF, {"kind": kind, "name": name})
            found = [await _read(connection, kind, key) for key in asked.scalars().all()]
        return [job for job in found if job is not None]

    async def list(
        self, kind: str, states: Sequence[JobState] = (), limit: int = 100
    ) -> "list[Job]":
        statement = select(jobs.c.key).where(jobs.c.kind == kind)
        if states:
            statement = statement.where(jobs.c.state.in_([str(state) for state in states]))
        statement = statement.order_by(jobs.c.created_at, jobs.c.key).limit(limit)
        async with self._access.reading() as connection:
            keys = (await connection.execute(statement)).scalars().all()
            found = [await _read(connection, kind, key) for key in keys]
        return [job for job in found if job is not None]

    def _held(self, job: Job) -> "list[ColumnElement[bool]]":
        """The job, as long as this holder's lease lasts."""
        now = self._access.clock.now()
        mine = [jobs.c.holder == job.holder, jobs.c.state == _WAITING, jobs.c.until > now]
        return [_is(job.kind, job.key), *mine]

    async def _change(self, job: Job, **values: Any) -> bool:
        statement = update(jobs).where(*self._held(job)).values(**values)
        async with self._access.writing() as connection:
            return (await connection.execute(statement)).rowcount > 0


def _is(kind: str, key: str) -> ColumnElement[bool]:
    return (jobs.c.kind == kind) & (jobs.c.key == key)


async def _read(connection: AsyncConnection, kind: str, key: str) -> Job | None:
    which = {"kind": kind, "key": key}
    row = (await connection.execute(_FIND, which)).mappings().first()
    if row is None:
        return None
    askers = [Asker(**one) for one in (await connection.execute(_ASKERS, which)).mappings()]
    columns: dict[str, Any] = {**row, "state": JobState(row["state"])}
    return Job(**columns, askers=tuple(askers))
