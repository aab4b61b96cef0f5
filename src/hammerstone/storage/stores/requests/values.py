"""What a session has produced, by name: numbers, texts, lists, tables, files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, delete, func, select, update

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import session_values
from hammerstone.storage.stores.runs.runs import asked_after

_RECENT = (
    select(session_values)
    .where(session_values.c.session_id == bindparam("which"))
    .order_by(session_values.c.number.desc())
    .limit(bindparam("most"))
)
_PURGE = delete(session_values).where(session_values.c.expires_at <= bindparam("now"))


@dataclass(frozen=True, slots=True)
class SessionValue:
    """One result that later requests may refer to.

    `value` is in wire form. When it could not be kept it is None and `missing` says why.
    """

    id: str
    session_id: str
    run_id: str
    step: int  # the execution's number within the run
    name: str
    kind: str  # number, text, truth, list, table, record, file
    tool: str
    about: str  # the request it answered
    value: Json
    at: datetime
    expires_at: datetime
    missing: str = ""
    number: int = 0  # order within the database; given when stored


class SessionValues(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert = access.dialect.insert(session_values).on_conflict_do_nothing()

    async def add(self, values: Sequence[SessionValue]) -> None:
        """Store values; an id that is there already stays as it is."""
        if not values:
            return
        rows = [columns_of(value) for value in values]
        for row in rows:
            del row["number"]  # given by the database
        await self._write(self._insert, rows)

    async def correct(self, run_id: str, value: Json) -> None:
        """Put another value in the place of the last one that a run produced, if it has one."""
        last = select(func.max(session_values.c.number)).where(session_values.c.run_id == run_id)
        statement = (
            update(session_values)
            .where(session_values.c.number == last.scalar_subquery())
            .values(value=value, missing="")
        )
        await self._write(statement)

    async def recent(
        self, session_id: str, limit: int = 50, *, asked_by: datetime | None = None
    ) -> list[SessionValue]:
        """The session's last values, newest first; expired ones too, so that they can be told
        from what never was. Those of requests asked by a moment, if one is given."""
        statement = _RECENT
        if asked_by is not None:
            later = session_values.c.run_id.in_(asked_after(session_id, asked_by))
            statement = statement.where(~later)
        rows = await self._mappings(statement, {"which": session_id, "most": limit})
        return [value_of(SessionValue, row) for row in rows]

    async def purge(self, now: datetime) -> int:
        """Forget what expired before `now`; how much that was."""
        return await self._write(_PURGE, {"now": now})
