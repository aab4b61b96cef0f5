"""Studies of the tuner: what it tried, with what score, and what it came to."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import studies, trials

RUNNING, ENDED = "running", "ended"


@dataclass(frozen=True, slots=True)
class Study:
    """One search over the values of a knob. `method` is how it searches; while it runs,
    `outcome` holds what it began with."""

    id: str
    knob: str
    state: str
    method: str
    began_at: datetime
    ended_at: datetime | None = None
    outcome: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class StudyTrial:
    """Values that were tried, and how they did on the earlier decisions."""

    study: str
    number: int
    values: JsonObject
    score: float
    at: datetime


class Studies(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._begin = (
            access.dialect.insert(studies)
            .on_conflict_do_nothing(index_elements=[studies.c.id])
            .returning(studies.c.id)
        )
        self._try = access.dialect.insert(trials).on_conflict_do_nothing(
            index_elements=[trials.c.study, trials.c.number]
        )

    async def begin(self, study: Study) -> bool:
        """Keep a study that begins; False when it is there already."""
        row = columns_of(study)
        return await self._found(self._begin, row)

    async def running(self, knob: str) -> Study | None:
        """The study of a knob that was begun and not ended."""
        found = await self.list(knob, state=RUNNING, limit=1)
        return found[0] if found else None

    async def list(self, knob: str = "", *, state: str = "", limit: int = 50) -> list[Study]:
        """Studies, newest first."""
        newest = select(studies).order_by(studies.c.began_at.desc(), studies.c.id)
        if knob:
            newest = newest.where(studies.c.knob == knob)
        if state:
            newest = newest.where(studies.c.state == state)
        rows = await self._mappings(newest.limit(limit))
        return [value_of(Study, row) for row in rows]

    async def add(self, trial: StudyTrial) -> None:
        """Keep a trial; one that is there stays as it is."""
        row = columns_of(trial)
        await self._write(self._try, row)

    async def trials(self, study: str) -> "list[StudyTrial]":
        """A study's trials in their order."""
        all_of = select(trials).where(trials.c.study == study).order_by(trials.c.number)
        rows = await self._mappings(all_of)
        return [value_of(StudyTrial, row) for row in rows]

    async def end(self, id: str, outcome: Json) -> bool:
        """Keep what a study came to; False when it was ended before."""
        ended = (
            update(studies)
            .where(studies.c.id == id, studies.c.state == RUNNING)
            .values(state=ENDED, outcome=outcome, ended_at=self._access.clock.now())
        )
        return await self._write(ended) > 0
