"""A lease that its holder renews while it lives, so that a holder that was killed is known."""

import asyncio

from hammerstone.storage.stores.queue.leases import Lease, Leases

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
