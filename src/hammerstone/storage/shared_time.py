"""The time that leases are measured by: the same for every process that shares a database."""

import time
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from sqlalchemy import ColumnElement, DateTime, bindparam, exists, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.clock import Clock, SystemClock
from hammerstone.storage.dialects import Dialect
from hammerstone.storage.schema import jobs, leases

_TIME = DateTime(timezone=True)
_NAME = "shared time"  # the row that says what time it was when this machine was started
_ROW = select(leases.c.holder, leases.c.until).where(leases.c.name == bindparam("which"))


class SharedTime:
    """Now, as all processes see it, whatever their own clocks say.

    On PostgreSQL it is the server's time. On SQLite all processes are on one machine: it is the
    time since that machine was started, which nobody can set, beside one moment that the first
    process after the start has written down. A clock that was handed in counts as it is.
    """

    def __init__(self, clock: Clock, dialect: Dialect) -> None:
        self._clock = clock
        self._dialect = dialect
        self._own = isinstance(clock, SystemClock)
        self._origin: datetime | None = None

    async def now(self, connection: AsyncConnection) -> ColumnElement[datetime]:
        """For a statement of this writing transaction."""
        if self._own and not self._dialect.one_writer:
            return func.statement_timestamp(type_=_TIME)
        return literal(await self._read(connection), leases.c.until.type)

    async def after(self, connection: AsyncConnection, seconds: float) -> ColumnElement[datetime]:
        """The moment that is so many seconds away."""
        if self._own and not self._dialect.one_writer:
            return func.statement_timestamp(type_=_TIME) + timedelta(seconds=seconds)
        moment = await self._read(connection) + timedelta(seconds=seconds)
        return literal(moment, leases.c.until.type)

    async def _read(self, connection: AsyncConnection) -> datetime:
        boot = _boot_id() if self._own else ""
        if not boot:
            return self._clock.now()
        since = timedelta(seconds=time.clock_gettime(time.CLOCK_BOOTTIME))
        return (self._origin or await self._found(connection, boot, since)) + since

    async def _found(self, connection: AsyncConnection, boot: str, since: timedelta) -> datetime:
        """The moment of this machine's start; the first to ask writes it down.

        Whoever held something before that start is dead, so such leases end with it. Each
        statement asks for itself whether the moment is written: who only reads has no
        transaction, and another one may write it, and hold something, between two statements.
        """
        which = {"which": _NAME}
        row = (await connection.execute(_ROW, which)).first()
        if row is not None and row.holder == boot:
            self._origin = row.until
            return row.until
        now = self._clock.now()
        written = leases.alias()
        unwritten = ~exists().where(written.c.name == _NAME, written.c.holder == boot)
        for table in (jobs, leases):
            held = update(table).where(table.c.holder != "", table.c.until > now, unwritten)
            await connection.execute(held.values(until=now))
        insert = self._dialect.insert(leases)
        write = insert.on_conflict_do_update(
            index_elements=[leases.c.name],
            set_={"holder": insert.excluded.holder, "until": insert.excluded.until},
            where=leases.c.holder != boot,
        )
        values = {"name": _NAME, "holder": boot, "until": now - since, "mark": None}
        await connection.execute(write, values)
        # Not kept here before it is known to be committed.
        return (await connection.execute(_ROW, which)).one().until


@lru_cache(maxsize=1)
def _boot_id() -> str:
    """Names the time since this machine was started; empty where nothing does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
