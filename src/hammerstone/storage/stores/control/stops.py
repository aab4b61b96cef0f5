"""The stop switch's flags: what must not go on, since when, by whom and why."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select

from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import stops

_ALL = select(stops).order_by(stops.c.at, stops.c.scope, stops.c.target)


@dataclass(frozen=True, slots=True)
class Stop:
    """`scope` is run, session or all; `target` its id, empty for all."""

    scope: str
    target: str
    at: datetime
    who: str
    why: str = ""


class Stops(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(stops)
        self._put = insert.on_conflict_do_update(
            index_elements=[stops.c.scope, stops.c.target],
            set_={"at": insert.excluded.at, "who": insert.excluded.who, "why": insert.excluded.why},
        )

    async def put(self, scope: str, target: str, who: str, why: str = "") -> None:
        row = {"scope": scope, "target": target, "who": who, "why": why}
        await self._write(self._put, row | {"at": self._access.clock.now()})

    async def list(self) -> list[Stop]:
        """Everything that is stopped, oldest first."""
        rows = await self._mappings(_ALL)
        return [Stop(**row) for row in rows]

    async def remove(self, scope: str, target: str = "") -> bool:
        """Let it go on; False when it was not stopped."""
        statement = delete(stops).where(stops.c.scope == scope, stops.c.target == target)
        return await self._write(statement) > 0

    async def purge(self, before: datetime) -> int:
        """Forget stops of single runs and sessions that were set long ago."""
        statement = delete(stops).where(stops.c.at < before, stops.c.scope != "all")
        return await self._write(statement)
