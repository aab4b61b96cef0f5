"""Circuit breakers' state, so that a restart does not forget an outage."""

from sqlalchemy import bindparam, select

from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import breakers

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
