"""How often each tool is used and how often it goes well, in memory, a second old at most."""

import asyncio
import math
import time
from dataclasses import dataclass

from hammerstone.storage import Database

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
    """The use of all tools. A search must not wait for a query that rarely changes anything."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[str, tuple[int, int]] = {}
        self._due = 0.0
        self._reading = asyncio.Lock()

    def __getitem__(self, tool: str) -> Standing:
        return Standing.of(*self._uses[tool]) if tool in self._uses else _NEW

    def invalidate(self) -> None:
        """Read again before the next search: something was used."""
        self._due = 0.0

    async def refresh(self) -> None:
        if time.monotonic() < self._due:
            return
        async with self._reading:
            began = time.monotonic()
            if began < self._due:
                return
            self._due = math.inf  # `invalidate` while reading must not be lost
            uses = await self._read()
            took = time.monotonic() - began
            self._uses = uses
            if self._due == math.inf:
                self._due = time.monotonic() + max(MAX_AGE_S, PATIENCE * took)

    async def _read(self) -> dict[str, tuple[int, int]]:
        try:
            return await self._db.executions.uses()
        except BaseException:
            self._due = 0.0
            raise
