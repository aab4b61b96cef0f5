"""Triggers, one row each, never with a secret; deliveries: each time that one was set off."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, Text, bindparam, cast, delete, func, or_, select, update

from hammerstone.core.triggers import (
    DaySpending,
    Delivery,
    DeliveryState,
    Destination,
    Trigger,
    TriggerKind,
    TriggerLimits,
)
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import deliveries, triggers

_TRIGGER = select(triggers).where(triggers.c.name == bindparam("which"))
_LIST = select(triggers).order_by(triggers.c.created_at, triggers.c.name)


class StoredTriggers(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(triggers).on_conflict_do_nothing()
        self._insert = insert.returning(triggers.c.name)

    async def add(self, trigger: Trigger) -> bool:
        """Keep a new trigger; False when there is one of that name."""
        row = columns_of(
            trigger,
            kind=str(trigger.kind),
            limits=trigger.limits.to_json(),
            destination=str(trigger.destination),
        )
        return await self._found(self._insert, row)

    async def find(self, name: str) -> Trigger | None:
        row = await self._mapping(_TRIGGER, {"which": name})
        return _trigger(row) if row else None

    async def list(self) -> "list[Trigger]":
        """All of them, oldest first."""
        rows = await self._mappings(_LIST)
        return [_trigger(row) for row in rows]

    async def pause(self, name: str, paused: bool, next_at: datetime | None = None) -> bool:
        """Let a trigger rest or go on; False when it does already."""
        statement = (
            update(triggers)
            .where(triggers.c.name == name, triggers.c.paused.is_(not paused))
            .values(paused=paused, next_at=next_at)
        )
        return await self._write(statement) > 0

    async def move_on(self, name: str, due: datetime, next_at: datetime) -> bool:
        """Set a schedule's next tick; False when somebody else has done so."""
        statement = (
            update(triggers)
            .where(triggers.c.name == name, triggers.c.next_at == due, triggers.c.paused.is_(False))
            .values(next_at=next_at)
        )
        return await self._write(statement) > 0

    async def lock(self, name: str) -> bool:
        """In a transaction: whoever does the same with this trigger waits for its end."""
        statement = select(triggers.c.name).where(triggers.c.name == name).with_for_update()
        return await self._found(statement)

    async def remove(self, name: str) -> bool:
        return await self._write(delete(triggers).where(triggers.c.name == name)) > 0


def _trigger(row: RowMapping) -> Trigger:
    return value_of(
        Trigger,
        row,
        kind=TriggerKind(row["kind"]),
        limits=TriggerLimits.from_json(row["limits"]),
        destination=Destination.parse(row["destination"]),
    )


_DELIVERY = select(deliveries).where(deliveries.c.id == bindparam("which"))
_BY_KEY = select(deliveries).where(
    deliveries.c.trigger == bindparam("whose"), deliveries.c.key == bindparam("which")
)
_NOTHING_RAN = [str(DeliveryState.REFUSED), str(DeliveryState.IGNORED), str(DeliveryState.WAITING)]
_OPEN = [str(DeliveryState.WAITING), str(DeliveryState.RUNNING)]


class StoredDeliveries(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(deliveries)
        once = [deliveries.c.trigger, deliveries.c.key]
        taken = insert.on_conflict_do_nothing(index_elements=once)
        self._insert = taken.returning(deliveries.c.id)
        more = {"count": deliveries.c.count + 1, "finished_at": insert.excluded.finished_at}
        self._count = insert.on_conflict_do_update(index_elements=once, set_=more)

    async def add(self, delivery: Delivery) -> bool:
        """Keep a delivery; False when its trigger had one of this key before."""
        return await self._found(self._insert, _delivery_row(delivery))

    async def count(self, delivery: Delivery) -> None:
        """Keep a delivery, or count it with the one of the same key."""
        await self._write(self._count, _delivery_row(delivery))

    async def find(self, id: str) -> Delivery | None:
        return await self._one(_DELIVERY, {"which": id})

    async def by_key(self, trigger: str, key: str) -> Delivery | None:
        return await self._one(_BY_KEY, {"whose": trigger, "which": key})

    async def keys(self, trigger: str, wanted: Sequence[str]) -> set[str]:
        """Which of these keys the trigger has had."""
        statement = select(deliveries.c.key).where(
            deliveries.c.trigger == trigger, deliveries.c.key.in_(wanted)
        )
        return set(await self._values(statement))

    async def change(self, id: str, **values: Any) -> None:
        """Set columns of one delivery."""
        if "state" in values:
            values["state"] = str(values["state"])
        statement = update(deliveries).where(deliveries.c.id == id).values(**values)
        await self._write(statement)

    async def spending(self, trigger: str, since: datetime, without: str = "") -> DaySpending:
        """What the trigger's runs since a moment have used; those under way count as reserved."""
        total = select(
            func.count(), func.coalesce(func.sum(deliveries.c.tokens), 0),
            func.coalesce(func.sum(deliveries.c.usd), 0.0),
        ).where(
            deliveries.c.trigger == trigger,
            deliveries.c.at >= since,
            deliveries.c.state.not_in(_NOTHING_RAN),
            deliveries.c.id != without,
        )  # fmt: skip
        async with self._access.reading() as connection:
            runs, tokens, usd = (await connection.execute(total)).one()
        return DaySpending(int(runs), int(tokens), float(usd))

    async def list(
        self, trigger: str | None = None, limit: int = 50, *, ran: bool = False
    ) -> "list[Delivery]":
        """What triggers did, newest first; with `ran` only what came to a value."""
        statement = select(deliveries).order_by(deliveries.c.at.desc(), deliveries.c.id)
        if trigger is not None:
            statement = statement.where(deliveries.c.trigger == trigger)
        if ran:
            done = [str(DeliveryState.DONE), str(DeliveryState.UNSENT)]
            statement = statement.where(deliveries.c.state.in_(done))
        rows = await self._mappings(statement.limit(limit))
        return [_delivery(row) for row in rows]

    async def recent_of_session(self, session_id: str, since: datetime) -> int:
        """How many deliveries a conversation has had since a moment."""
        statement = (
            select(func.count())
            .select_from(deliveries)
            .where(deliveries.c.session_id == session_id, deliveries.c.at >= since)
        )
        return int(await self._value(statement))

    async def of_session(self, trigger: str, session_id: str) -> bool:
        """Whether a conversation has had any delivery of this trigger."""
        mine = [deliveries.c.session_id == session_id, deliveries.c.trigger == trigger]
        statement = select(deliveries.c.id).where(*mine).limit(1)
        return await self._row(statement) is not None

    async def remove(self, trigger: str) -> int:
        """Forget everything that a trigger did."""
        gone = delete(deliveries).where(deliveries.c.trigger == trigger)
        return await self._write(gone)

    async def purge(self, before: datetime, numbers_before: datetime) -> int:
        """Forget what ended before a moment, what came to numbers before another one; what is
        still to be done stays."""
        plain = cast(deliveries.c.value, Text).is_(None)
        old = delete(deliveries).where(
            deliveries.c.state.not_in(_OPEN),
            or_(deliveries.c.at < numbers_before, (deliveries.c.at < before) & plain),
        )
        return await self._write(old)

    async def _one(self, statement: Any, values: dict[str, str]) -> Delivery | None:
        row = await self._mapping(statement, values)
        return _delivery(row) if row else None


def _delivery_row(delivery: Delivery) -> dict[str, Any]:
    return columns_of(delivery, state=str(delivery.state))


def _delivery(row: RowMapping) -> Delivery:
    return value_of(Delivery, row, state=DeliveryState(row["state"]))
