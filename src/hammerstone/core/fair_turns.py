"""Turns that are given in a circle: whoever wants a hundred keeps nobody else waiting."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager


class FairTurns:
    """At most `total` turns at a time, and at most `per_client` of them for one client.

    A client is whatever wants turns together: a person with requests, a matrix of programs in the
    sandbox. With a matrix of a hundred programs waiting, a single call that arrives later is
    served next, not last.
    """

    def __init__(self, total: int, per_client: int | None = None) -> None:
        self._total = total
        self._free = total
        self._per_client = per_client or total
        self._held: dict[Hashable, int] = {}
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        return sum(len(line) for line in self._waiting.values())

    def waiting_of(self, client: Hashable) -> int:
        return len(self._waiting.get(client, ()))

    @property
    def taken(self) -> int:
        return self._total - self._free

    def free_for(self, client: Hashable) -> bool:
        """Whether a client's turn would come at once."""
        return self._free > 0 and not self._waiting and self._may(client)

    def resize(self, total: int, per_client: int) -> None:
        """Other limits from now on; turns that were given stay given."""
        self._free += total - self._total
        self._total, self._per_client = total, per_client
        self._serve()

    @asynccontextmanager
    async def turn(self, client: Hashable) -> AsyncGenerator[None]:
        await self._take(client)
        try:
            yield
        finally:
            self._give_back(client)

    async def _take(self, client: Hashable) -> None:
        if self.free_for(client):
            self._grant(client)
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(mine)
        self._serve()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._give_back(client)
            else:
                self._leave(client, mine)
            raise

    def _may(self, client: Hashable) -> bool:
        return self._held.get(client, 0) < self._per_client

    def _grant(self, client: Hashable) -> None:
        self._free -= 1
        self._held[client] = self._held.get(client, 0) + 1

    def _give_back(self, client: Hashable) -> None:
        self._free += 1
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
        self._serve()

    def _leave(self, client: Hashable, mine: asyncio.Future[None]) -> None:
        line = self._waiting.get(client)
        if line is not None and mine in line:
            line.remove(mine)
            if not line:
                del self._waiting[client]

    def _serve(self) -> None:
        """Give free turns to the waiting, one client after the other."""
        while self._free > 0:
            client = next((c for c in self._waiting if self._may(c)), None)
            if client is None:
                return
            line = self._waiting[client]
            mine = line.popleft()
            if line:
                self._waiting.move_to_end(client)
            else:
                del self._waiting[client]
            if not mine.done():
                self._grant(client)
                mine.set_result(None)
