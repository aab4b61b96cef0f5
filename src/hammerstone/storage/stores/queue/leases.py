"""Leases: who may do a job now, how far it came, and renewal while the holder lives."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import or_, select, update

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import leases

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Lease:
    """Held by one process until it is given back or runs out; `mark` is where to go on."""

    name: str
    holder: str
    mark: Json


class Leases(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert = access.dialect.insert(leases).on_conflict_do_nothing()

    async def take(self, name: str, holder: str, seconds: float) -> Lease | None:
        """The lease, or None while somebody else holds it. Taking one's own again extends it."""
        first = {"name": name, "holder": holder, "until": _LONG_AGO, "mark": None}
        async with self._access.writing() as connection:
            now = await self._access.shared_time.now(connection)
            until = await self._access.shared_time.after(connection, seconds)
            free = or_(leases.c.until <= now, leases.c.holder == holder)
            take = (
                update(leases)
                .where(leases.c.name == name, free)
                .values(holder=holder, until=until)
                .returning(leases.c.mark)
            )
            await connection.execute(self._insert, first)
            row = (await connection.execute(take)).first()
        return Lease(name, holder, row.mark) if row else None

    async def give_back(self, lease: Lease) -> None:
        """End a lease at once; nothing happens when it is no longer ours."""
        mine = update(leases).where(leases.c.name == lease.name, leases.c.holder == lease.holder)
        async with self._access.writing() as connection:
            now = await self._access.shared_time.now(connection)
            await connection.execute(mine.values(until=now))

    async def set_mark(self, lease: Lease, mark: Json) -> bool:
        """Say how far the job came; False when the lease is no longer ours."""
        moved = (
            update(leases)
            .where(leases.c.name == lease.name, leases.c.holder == lease.holder)
            .values(mark=mark)
        )
        return await self._write(moved) > 0

    async def holder(self, name: str) -> str:
        """Who holds a lease now; empty where nobody does."""
        async with self._access.writing() as connection:  # only there all see the same time
            now = await self._access.shared_time.now(connection)
            statement = select(leases.c.holder).where(leases.c.name == name, leases.c.until > now)
            return (await connection.execute(statement)).scalar_one_or_none() or ""

    async def mark(self, name: str) -> Json:
        """How far the job came; None when it never ran."""
        statement = select(leases.c.mark).where(leases.c.name == name)
        return await self._value(statement)


HELD_S = 30.0


class HeldLease:
    """A job that belongs to this process until it is given back; the lease is renewed by itself."""

    def __init__(self, leases: Leases, name: str, holder: str) -> None:
        self._leases, self._name, self._holder = leases, name, holder
        self._lease: Lease | None = None
        self._renewing: asyncio.Task[None] | None = None

    async def take(self) -> bool:
        """Whether it is ours now; False while another process works on it."""
        self._lease = await self._leases.take(self._name, self._holder, HELD_S)
        if self._lease is not None:
            self._renewing = asyncio.create_task(self._renew())
        return self._lease is not None

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(HELD_S / 3)
            await self._leases.take(self._name, self._holder, HELD_S)

    async def give_back(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        if self._lease is not None:
            await self._leases.give_back(self._lease)
