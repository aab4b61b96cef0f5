"""Leases: who may do a job now, and how far it came."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import or_, select, update

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.schema import leases


@dataclass(frozen=True, slots=True)
class Lease:
    """Held by one process until it is given back or runs out; `mark` is where to go on."""

    name: str
    holder: str
    mark: Json


class Leases:
    def __init__(self, access: Access) -> None:
        self._access = access
        self._insert = access.dialect.insert(leases).on_conflict_do_nothing()

    async def take(self, name: str, holder: str, seconds: float) -> Lease | None:
        """The lease, or None while somebody else holds it. Taking one's own again extends it."""
        now = self._access.clock.now()
        until = now + timedelta(seconds=seconds)
        first = {"name": name, "holder": holder, "until": until, "mark": None}
        free = or_(leases.c.until <= now, leases.c.holder == holder)
        take = (
            update(leases)
            .where(leases.c.name == name, free)
            .values(holder=holder, until=until)
            .returning(leases.c.mark)
        )
        async with self._access.writing() as connection:
            await connection.execute(self._insert, first)
            row = (await connection.execute(take)).first()
        return Lease(name, holder, row.mark) if row else None

    async def give_back(self, lease: Lease) -> None:
        """End a lease at once; nothing happens when it is no longer ours."""
        ended = (
            update(leases)
            .where(leases.c.name == lease.name, leases.c.holder == lease.holder)
            .values(until=self._access.clock.now())
        )
        async with self._access.writing() as connection:
            await connection.execute(ended)

    async def set_mark(self, lease: Lease, mark: Json) -> bool:
        """Say how far the job came; False when the lease is no longer ours."""
        moved = (
            update(leases)
            .where(leases.c.name == lease.name, leases.c.holder == lease.holder)
            .values(mark=mark)
        )
        async with self._access.writing() as connection:
            return (await connection.execute(moved)).rowcount > 0

    async def mark(self, name: str) -> Json:
        """How far the job came; None when it never ran."""
        statement = select(leases.c.mark).where(leases.c.name == name)
        async with self._access.reading() as connection:
            return (await connection.execute(statement)).scalar_one_or_none()
