"""Jobs in the database: the seam `Jobs`, for every process that opens it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.jobs import Asker, ClaimRule, Job, JobState, QueueCounts, QueuePlace
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import job_askers, jobs
from hammerstone.storage.stores.queue.job_turns import counted, next_keys

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
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


class StoredJobs(Store):
    """`core.seams.Jobs` on SQLite and PostgreSQL.

    Every write takes the job's row before anything else, so writers of one job take turns.
    """

    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(jobs)
        self._take_row = insert.on_conflict_do_update(
            index_elements=[jobs.c.kind, jobs.c.key], set_={"key": insert.excluded.key}
        )
        self._add_row = insert.on_conflict_do_nothing().returning(jobs.c.key)
        ask = access.dialect.insert(job_askers)
        one = [job_askers.c.kind, job_askers.c.key, job_askers.c.name]
        asked = ask.on_conflict_do_nothing(index_elements=one)
        self._ask = asked.returning(job_askers.c.number)
        anew = {"payload": ask.excluded.payload, "told": False}
        self._ask_again = ask.on_conflict_do_update(index_elements=one, set_=anew)

    async def put(self, kind: str, key: str, asker: Asker, place: QueuePlace | None = None) -> None:
        place = place or QueuePlace()
        ended = [_is(kind, key), jobs.c.state != _WAITING]
        again = {"state": _WAITING, "attempts": 0, "reason": "", "holder": "", "until": _LONG_AGO}
        newer = update(jobs).where(_is(kind, key), jobs.c.form < place.form)
        async with self._access.writing() as connection:
            await connection.execute(self._take_row, self._new(kind, key, place))
            if (await connection.execute(self._ask, _row(kind, key, asker))).first() is not None:
                await connection.execute(update(jobs).where(*ended).values(**again))
                if place.form > 1:
                    await connection.execute(newer.values(form=place.form))

    async def hold(
        self,
        kind: str,
        key: str,
        asker: Asker,
        holder: str,
        *,
        lease_s: float,
        place: QueuePlace | None = None,
    ) -> Job | None:
        new = self._new(kind, key, place or QueuePlace())
        async with self._access.writing() as connection:
            shared = self._access.shared_time
            now, until = await shared.now(connection), await shared.after(connection, lease_s)
            found = (await connection.execute(self._add_row, new)).first()
            mine = {"holder": holder, "until": until, "state": _WAITING, "reason": ""}
            free = or_(jobs.c.state != _WAITING, jobs.c.until <= now)
            take = update(jobs).where(_is(kind, key), free)
            taken = take.values(**mine, attempts=jobs.c.attempts + 1).returning(jobs.c.attempts)
            attempts = (await connection.execute(taken)).scalar_one_or_none()
            if attempts is None:
                return None
            await connection.execute(self._ask_again, _row(kind, key, asker))
            if found is None:
                return await _read(connection, kind, key)
        ours: dict[str, Any] = {**new, "state": JobState.WAITING, "holder": holder}
        return Job(**ours | {"attempts": attempts}, askers=(asker,))

    async def drop(self, job: Job) -> bool:
        async with self._access.writing() as connection:
            held = delete(jobs).where(*await self._held(connection, job))
            if (await connection.execute(held)).rowcount == 0:
                return False
            theirs = (job_askers.c.kind == job.kind) & (job_askers.c.key == job.key)
            await connection.execute(delete(job_askers).where(theirs))
        return True

    async def renew_all(self, holder: str, keys: Sequence[str], lease_s: float) -> "set[str]":
        async with self._access.writing() as connection:
            shared = self._access.shared_time
            now, until = await shared.now(connection), await shared.after(connection, lease_s)
            mine = [jobs.c.holder == holder, jobs.c.key.in_(keys), jobs.c.state == _WAITING]
            held = update(jobs).where(*mine, jobs.c.until > now).values(until=until)
            return set((await connection.execute(held.returning(jobs.c.key))).scalars().all())

    async def end_lease(self, job: Job) -> bool:
        async with self._access.writing() as connection:
            now = await self._access.shared_time.now(connection)
            dead = [_is(job.kind, job.key), jobs.c.holder == job.holder, jobs.c.until > now]
            ended = update(jobs).where(*dead, jobs.c.state == _WAITING).values(until=now)
            return (await connection.execute(ended)).rowcount > 0

    async def claim(
        self,
        kind: str,
        holder: str,
        *,
        lease_s: float,
        most: int = 5,
        key: str | None = None,
        rule: ClaimRule | None = None,
    ) -> Job | None:
        rule = rule or ClaimRule()
        async with self._access.writing() as connection:
            if key is None:
                await self._access.dialect.take_turns(connection, f"jobs {kind}")
            shared = self._access.shared_time
            now, until = await shared.now(connection), await shared.after(connection, lease_s)
            taken: dict[str, Any] = {"holder": holder, "until": until}
            while row := await self._free_row(connection, kind, key, now, rule):
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

    async def _free_row(
        self,
        connection: AsyncConnection,
        kind: str,
        key: str | None,
        now: ColumnElement[datetime],
        rule: ClaimRule,
    ) -> Any:
        """The job whose turn it is, locked; None when there is none."""
        keys = [key] if key is not None else await next_keys(connection, kind, now, rule)
        for one in keys:
            free = [_is(kind, one), jobs.c.state == _WAITING, jobs.c.until <= now]
            statement = (
                select(jobs.c.key, jobs.c.attempts, jobs.c.reason)
                .where(*free, jobs.c.form <= rule.form)
                .with_for_update(skip_locked=True)  # SQLite has one writer at a time anyway
            )
            if row := (await connection.execute(statement)).first():
                return row
        return None

    async def renew(self, job: Job, lease_s: float, progress: Json = None) -> bool:
        more = {} if progress is None else {"progress": progress}
        return await self._change(job, lease_s, **more)

    async def settle(self, job: Job, asker: str) -> bool:
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
            held = await self._held(connection, job)
            lock = select(jobs.c.key).where(*held).with_for_update()
            if (await connection.execute(lock)).first() is None:
                return False
            return (await connection.execute(tell)).rowcount > 0

    async def finish(self, job: Job, result: Json) -> bool:
        ended: dict[str, Any] = {"holder": "", "attempts": 0, "reason": ""}
        async with self._access.writing() as connection:
            held = await self._held(connection, job)
            ended["until"] = await self._access.shared_time.now(connection)
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
        state = _FAILED if retry_s is None else _WAITING
        return await self._change(job, retry_s or 0.0, state=state, holder="", reason=reason)

    async def release(self, job: Job, *, pause_s: float = 0.0) -> bool:
        return await self._change(job, pause_s, holder="", attempts=jobs.c.attempts - 1)

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

    async def counts(self, kind: str, person: str = "") -> QueueCounts:
        async with self._access.reading() as connection:
            now = await self._access.shared_time.now(connection)
            return await counted(connection, kind, now, person)

    async def _held(self, connection: AsyncConnection, job: Job) -> "list[ColumnElement[bool]]":
        """The job, as long as this holder's lease lasts."""
        now = await self._access.shared_time.now(connection)
        mine = [jobs.c.holder == job.holder, jobs.c.state == _WAITING, jobs.c.until > now]
        return [_is(job.kind, job.key), *mine]

    async def _change(self, job: Job, seconds: float, **values: Any) -> bool:
        """Change a job that is held; its lease or its pause ends in so many seconds."""
        async with self._access.writing() as connection:
            until = await self._access.shared_time.after(connection, seconds)
            mine = update(jobs).where(*await self._held(connection, job))
            return (await connection.execute(mine.values(until=until, **values))).rowcount > 0

    def _new(self, kind: str, key: str, place: QueuePlace) -> dict[str, Any]:
        return {
            "kind": kind,
            "key": key,
            "state": _WAITING,
            "holder": "",
            "until": _LONG_AGO,
            "attempts": 0,
            "reason": "",
            "progress": None,
            "result": None,
            "created_at": self._access.clock.now(),
            "person": place.person,
            "model": place.model,
            "form": place.form,
        }


def _row(kind: str, key: str, asker: Asker) -> dict[str, Any]:
    return {
        "kind": kind,
        "key": key,
        "name": asker.name,
        "session_id": asker.session_id,
        "payload": asker.payload,
        "told": False,
    }


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
