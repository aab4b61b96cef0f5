"""How often each tool is used and how often it goes well, in memory, about a second old."""

import asyncio
import math
import time
from dataclasses import dataclass

from hammerstone.storage import Database
from hammerstone.tracing.warn import warn

# Uses and successes that a new tool is credited with, so that it is not punished for being new.
PRIOR_USES = 5.0
PRIOR_SUCCESS = 0.8
MANY_USES = 1_000.0
MAX_AGE_S = 1.0
# Reading the use of 100,000 tools takes a while: it is done in a fiftieth of the time at most.
PATIENCE = 50.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Shares between 0 and 1, smoothed: what re-ranking by use looks at."""

    success: float
    frequency: float

    @classmethod
    def of(cls, uses: int, successes: int) -> "Standing":
        return cls(
            (successes + PRIOR_USES * PRIOR_SUCCESS) / (uses + PRIOR_USES),
            min(1.0, math.log1p(uses) / math.log1p(MANY_USES)),
        )


_NEW = Standing.of(0, 0)


class Standings:
    """The use of all tools. A search must not wait for a query that rarely changes anything:
    only the first does, later ones look at what was read last while it is read anew."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[str, tuple[int, int]] | None = None
        self._due = 0.0
        self._reading: asyncio.Task[None] | None = None

    def __getitem__(self, tool: str) -> Standing:
        uses = self._uses or {}
        return Standing.of(*uses[tool]) if tool in uses else _NEW

    async def refresh(self) -> None:
        """See to it that what is known is not much older than a second."""
        if time.monotonic() < self._due:
            return
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self.read())
            self._reading.add_done_callback(_tell)
        if self._uses is None:
            await asyncio.shield(self._reading)

    async def read(self) -> None:
        """Read it now: something was used."""
        began = time.monotonic()
        self._uses = await self._db.executions.uses()
        took = time.monotonic() - began
        self._due = time.monotonic() + max(MAX_AGE_S, PATIENCE * took)

    async def close(self) -> None:
        if self._reading is not None:
            await asyncio.wait([self._reading])


def _tell(reading: "asyncio.Task[None]") -> None:
    if not reading.cancelled() and (error := reading.exception()) is not None:
        warn("the use of tools could not be read", error=str(error))
