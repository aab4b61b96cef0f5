"""The stop switch's flags, and circuit breakers' state, so that a restart forgets neither."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, delete, select

from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import breakers, stops

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


_LOAD = select(breakers.c.state).where(breakers.c.name == bindparam("which"))


class Breakers(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(breakers)
        self._save = insert.on_conflict_do_update(
            index_elements=[breakers.c.name],
            set_={"state": insert.excluded.state, "at": insert.excluded.at},
        )

    async def load(self, name: str) -> JsonObject | None:
        return await self._value(_LOAD, {"which": name})

    async def save(self, name: str, state: JsonObject) -> None:
        row = {"name": name, "state": state, "at": self._access.clock.now()}
        await self._write(self._save, row)

    async def all(self) -> dict[str, JsonObject]:
        """Every breaker's state by name."""
        statement = select(breakers.c.name, breakers.c.state).order_by(breakers.c.name)
        return {row.name: row.state for row in await self._rows(statement)}
