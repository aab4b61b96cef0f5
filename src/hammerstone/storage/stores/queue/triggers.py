"""Triggers as they are stored: one row each, never with a secret."""

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, bindparam, delete, select, update

from hammerstone.core.triggers import Destination, Trigger, TriggerKind, TriggerLimits
from hammerstone.storage.access import Access
from hammerstone.storage.schema import triggers

_FIND = select(triggers).where(triggers.c.name == bindparam("which"))
_LIST = select(triggers).order_by(triggers.c.created_at, triggers.c.name)


class StoredTriggers:
    def __init__(self, access: Access) -> None:
        self._access = access
        insert = access.dialect.insert(triggers).on_conflict_do_nothing()
        self._insert = insert.returning(triggers.c.name)

    async def add(self, trigger: Trigger) -> bool:
        """Keep a new trigger; False when there is one of that name."""
        row = {name: getattr(trigger, name) for name in Trigger.__slots__}
        row |= {
            "kind": str(trigger.kind),
            "limits": trigger.limits.to_json(),
            "destination": str(trigger.destination),
        }
        async with self._access.writing() as connection:
            return (await connection.execute(self._insert, row)).first() is not None

    async def find(self, name: str) -> Trigger | None:
        async with self._access.reading() as connection:
            row = (await connection.execute(_FIND, {"which": name})).mappings().first()
        return _trigger(row) if row else None

    async def list(self) -> "list[Trigger]":
        """All of them, oldest first."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_LIST)).mappings().all()
        return [_trigger(row) for row in rows]

    async def pause(self, name: str, paused: bool, next_at: datetime | None = None) -> bool:
        """Let a trigger rest or go on; False when it does already."""
        statement = (
            update(triggers)
            .where(triggers.c.name == name, triggers.c.paused.is_(not paused))
            .values(paused=paused, next_at=next_at)
        )
        async with self._access.writing() as connection:
            return (await connection.execute(statement)).rowcount > 0

    async def move_on(self, name: str, due: datetime, next_at: datetime) -> bool:
        """Set a schedule's next tick; False when somebody else has done so."""
        statement = (
            update(triggers)
            .where(triggers.c.name == name, triggers.c.next_at == due, triggers.c.paused.is_(False))
            .values(next_at=next_at)
        )
        async with self._access.writing() as connection:
            return (await connection.execute(statement)).rowcount > 0

    async def lock(self, name: str) -> bool:
        """In a transaction: whoever does the same with this trigger waits for its end."""
        statement = select(triggers.c.name).where(triggers.c.name == name).with_for_update()
        async with self._access.writing() as connection:
            return (await connection.execute(statement)).first() is not None

    async def remove(self, name: str) -> bool:
        async with self._access.writing() as connection:
            gone = await connection.execute(delete(triggers).where(triggers.c.name == name))
            return gone.rowcount > 0


def _trigger(row: RowMapping) -> Trigger:
    values: dict[str, Any] = {name: row[name] for name in Trigger.__slots__}
    values |= {
        "kind": TriggerKind(row["kind"]),
        "limits": TriggerLimits.from_json(row["limits"]),
        "destination": Destination.parse(row["destination"]),
    }
    return Trigger(**values)
