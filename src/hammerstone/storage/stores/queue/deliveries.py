"""Deliveries: each time that a trigger was set off, once by its key."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, Text, bindparam, cast, delete, func, or_, select, update

from hammerstone.core.triggers import DaySpending, Delivery, DeliveryState
from hammerstone.storage.access import Access
from hammerstone.storage.schema import deliveries

_FIND = select(deliveries).where(deliveries.c.id == bindparam("which"))
_BY_KEY = select(deliveries).where(
    deliveries.c.trigger == bindparam("whose"), deliveries.c.key == bindparam("which")
)
_NOTHING_RAN = [str(DeliveryState.REFUSED), str(DeliveryState.IGNORED), str(DeliveryState.WAITING)]
_OPEN = [str(DeliveryState.WAITING), str(DeliveryState.RUNNING)]


class StoredDeliveries:
    def __init__(self, access: Access) -> None:
        self._access = access
        insert = access.dialect.insert(deliveries)
        once = [deliveries.c.trigger, deliveries.c.key]
        taken = insert.on_conflict_do_nothing(index_elements=once)
        self._insert = taken.returning(deliveries.c.id)
        more = {"count": deliveries.c.count + 1, "finished_at": insert.excluded.finished_at}
        self._count = insert.on_conflict_do_update(index_elements=once, set_=more)

    async def add(self, delivery: Delivery) -> bool:
        """Keep a delivery; False when its trigger had one of this key before."""
        async with self._access.writing() as connection:
            return (await connection.execute(self._insert, _row(delivery))).first() is not None

    async def count(self, delivery: Delivery) -> None:
        """Keep a delivery, or count it with the one of the same key."""
        async with self._access.writing() as connection:
            await connection.execute(self._count, _row(delivery))

    async def find(self, id: str) -> Delivery | None:
        return await self._one(_FIND, {"which": id})

    async def by_key(self, trigger: str, key: str) -> Delivery | None:
        return await self._one(_BY_KEY, {"whose": trigger, "which": key})

    async def keys(self, trigger: str, wanted: Sequence[str]) -> set[str]:
        """Which of these keys the trigger has had."""
        statement = select(deliveries.c.key).where(
            deliveries.c.trigger == trigger, deliveries.c.key.in_(wanted)
        )
        async with self._access.reading() as connection:
            return set((await connection.execute(statement)).scalars().all())

    async def change(self, id: str, **values: Any) -> None:
        """Set columns of one delivery."""
        if "state" in values:
            values["state"] = str(values["state"])
        statement = update(deliveries).where(deliveries.c.id == id).values(**values)
        async with self._access.writing() as connection:
            await connection.execute(statement)

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
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement.limit(limit))).mappings().all()
        return [_delivery(row) for row in rows]

    async def recent_of_session(self, session_id: str, since: datetime) -> int:
        """How many deliveries a conversation has had since a moment."""
        statement = (
            select(func.count())
            .select_from(deliveries)
            .where(deliveries.c.session_id == session_id, deliveries.c.at >= since)
        )
        async with self._access.reading() as connection:
            return int((await connection.execute(statement)).scalar_one())

    async def of_session(self, trigger: str, session_id: str) -> bool:
        """Whether a conversation has had any delivery of this trigger."""
        mine = [deliveries.c.session_id == session_id, deliveries.c.trigger == trigger]
        statement = select(deliveries.c.id).where(*mine).limit(1)
        async with self._access.reading() as connection:
            return (await connection.execute(statement)).first() is not None

    async def remove(self, trigger: str) -> int:
        """Forget everything that a trigger did."""
        async with self._access.writing() as connection:
            gone = delete(deliveries).where(deliveries.c.trigger == trigger)
            return (await connection.execute(gone)).rowcount

    async def purge(self, before: datetime, numbers_before: datetime) -> int:
        """Forget what ended before a moment, what came to numbers before another one; what is
        still to be done stays."""
        plain = cast(deliveries.c.value, Text).is_(None)
        old = delete(deliveries).where(
            deliveries.c.state.not_in(_OPEN),
            or_(deliveries.c.at < numbers_before, (deliveries.c.at < before) & plain),
        )
        async with self._access.writing() as connection:
            return (await connection.execute(old)).rowcount

    async def _one(self, statement: Any, values: dict[str, str]) -> Delivery | None:
        async with self._access.reading() as connection:
            row = (await connection.execute(statement, values)).mappings().first()
        return _delivery(row) if row else None


def _row(delivery: Delivery) -> dict[str, Any]:
    row = {name: getattr(delivery, name) for name in Delivery.__slots__}
    return row | {"state": str(delivery.state)}


def _delivery(row: RowMapping) -> Delivery:
    values: dict[str, Any] = {**row, "state": DeliveryState(row["state"])}
    return Delivery(**values)
