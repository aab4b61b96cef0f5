"""How often each tool is used, is right and is wrong, in memory, about a second old."""

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
class UseRecord:
    """Shares between 0 and 1, smoothed: what re-ranking by use looks at."""

    success: float
    frequency: float

    @classmethod
    def of(cls, uses: int, good: int, bad: int) -> "UseRecord":
        """`good` counts as a success and `bad` as a mistake; other uses say nothing."""
        return cls(
            (good + PRIOR_USES * PRIOR_SUCCESS) / (good + bad + PRIOR_USES),
            min(1.0, math.log1p(uses) / math.log1p(MANY_USES)),
        )


_NEW = UseRecord.of(0, 0, 0)


class Standings:
    """The use of all tools, read once a second or after use, and not for each search."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[str, tuple[int, int, int]] = {}
        self._due = 0.0
        self._reading = asyncio.Lock()

    def __getitem__(self, tool: str) -> UseRecord:
        return UseRecord.of(*self._uses[tool]) if tool in self._uses else _NEW

    async def refresh(self) -> None:
        """See to it that what is known is not much older than a second."""
        if time.monotonic() >= self._due:
            async with self._reading:
                if time.monotonic() >= self._due:
                    await self.read()

    async def read(self) -> None:
        """Read it now: something was used."""
        began = time.monotonic()
        self._uses = await self._db.executions.uses()
        ended = time.monotonic()
        self._due = ended + max(MAX_AGE_S, PATIENCE * (ended - began))
