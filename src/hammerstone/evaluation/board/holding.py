"""A run that one process works on, so that two evaluations do not disturb each other."""

import asyncio

from hammerstone.storage import Database
from hammerstone.storage.work.leases import Lease

LEASE_S = 30.0


class HeldRun:
    """A run that belongs to this process while the block lasts; the lease is renewed by itself."""

    def __init__(self, db: Database, run_id: str, holder: str) -> None:
        self._db, self._name, self._holder = db, f"evaluation: {run_id}", holder
        self._lease: Lease | None = None
        self._renewing: asyncio.Task[None] | None = None

    async def take(self) -> bool:
        """Whether it is ours now; False while another process works on it."""
        self._lease = await self._db.leases.take(self._name, self._holder, LEASE_S)
        if self._lease is not None:
            self._renewing = asyncio.create_task(self._renew())
        return self._lease is not None

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            await self._db.leases.take(self._name, self._holder, LEASE_S)

    async def give_back(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        if self._lease is not None:
            await self._db.leases.give_back(self._lease)
