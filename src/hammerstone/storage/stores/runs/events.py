"""The event log: appended while a run goes on, never changed by anything else."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, bindparam, func, select

from hammerstone.core.answers import Event, EventKind
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import events

_OF_RUN = select(events).where(events.c.run_id == bindparam("which")).order_by(events.c.number)
_LAST = select(func.max(events.c.number)).where(events.c.run_id == bindparam("which"))


class Events(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(events)
        new = insert.excluded
        # A step that is repeated after a crash writes its events again: same place, new content.
        self._upsert = insert.on_conflict_do_update(
            index_elements=[events.c.run_id, events.c.number],
            set_={
                "session_id": new.session_id,
                "kind": new.kind,
                "at": new.at,
                "text": new.text,
                "data": new.data,
            },
        )

    async def append(self, new: Sequence[Event]) -> None:
        """Store events; one with a run and number already there takes its place."""
        if not new:
            return
        rows = [_row(event) for event in new]
        await self._write(self._upsert, rows)

    async def add_next(self, event: Event) -> Event:
        """Store an event behind the run's last one, whatever its own number says.

        For what happens after the run's end; call it where one process at a time may.
        """
        async with self._access.writing() as connection:
            last = (await connection.execute(_LAST, {"which": event.run_id})).scalar_one()
            event = replace(event, number=0 if last is None else last + 1)
            await connection.execute(self._upsert, [_row(event)])
        return event

    async def of_run(self, run_id: str) -> list[Event]:
        rows = await self._mappings(_OF_RUN, {"which": run_id})
        return [_event(row) for row in rows]

    async def of_kind(self, kind: EventKind, until: datetime, limit: int) -> list[Event]:
        """The last events of a kind up to a moment, oldest first."""
        newest = (
            select(events)
            .where(events.c.kind == str(kind), events.c.at <= until)
            .order_by(events.c.at.desc(), events.c.run_id.desc(), events.c.number.desc())
            .limit(limit)
        )
        rows = await self._mappings(newest)
        return [_event(row) for row in reversed(rows)]


def _row(event: Event) -> dict[str, Any]:
    return columns_of(event, kind=str(event.kind), data=dict(event.data))


def _event(row: RowMapping) -> Event:
    return value_of(Event, row, kind=EventKind(row["kind"]))
