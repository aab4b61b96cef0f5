"""Runs of other processes, watched in the database: one look for all that are watched here."""

import asyncio
from dataclasses import dataclass, field

from hammerstone.core.answers import OnEvent
from hammerstone.core.errors import HammerstoneError
from hammerstone.run.services import Records
from hammerstone.storage import RunRow
from hammerstone.storage.stores.runs.runs import RUNNING
from hammerstone.tracing.warn import warn

_LOOK_S = 0.2
_GONE = "gone"  # the session of the run was deleted


@dataclass(slots=True, eq=False)
class _WatchedRun:
    """A run that somebody watches, and how far the last look found it."""

    run_id: str
    status: str = RUNNING
    last: int = -1
    news: asyncio.Event = field(default_factory=asyncio.Event)


class RunWatch:
    """The runs that this process waits for. Nothing is read while there are none."""

    def __init__(self, records: Records) -> None:
        self._db = records.db
        self._watched: set[_WatchedRun] = set()
        self._looking: asyncio.Task[None] | None = None

    async def until_end(self, run_id: str, on_event: OnEvent | None = None) -> RunRow:
        """The run once it has ended; `on_event` sees what it says meanwhile, each event once."""
        mine, seen = _WatchedRun(run_id), -1
        self._watched.add(mine)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            while True:
                await mine.news.wait()
                mine.news.clear()
                ended = mine.status != RUNNING
                if on_event is not None and mine.last > seen:
                    for event in await self._db.events.of_run(run_id):
                        if event.number > seen:
                            seen = event.number
                            await on_event(event)
                if ended:
                    return await self._db.runs.get(run_id)
        finally:
            self._watched.discard(mine)

    async def _look(self) -> None:
        while self._watched:
            await asyncio.sleep(_LOOK_S)
            watched = [*self._watched]
            try:
                found = await self._db.runs.statuses([one.run_id for one in watched])
            except HammerstoneError as error:  # a database that is away comes back
                warn("runs of other processes could not be watched", error=error.message)
                await asyncio.sleep(1.0)
                continue
            for one in watched:
                status, last = found.get(one.run_id, (_GONE, one.last))
                if (status, last) != (one.status, one.last):
                    one.status, one.last = status, last
                    one.news.set()
