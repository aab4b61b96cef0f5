"""Analyses of failures, and what people said about results."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import insert, select

from hammerstone.core.hashing import call_key
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import analyses, confirmations


@dataclass(frozen=True, slots=True)
class AnalysisRow:
    """`kind` is the class of the failure; `signature` is the same for the same failure."""

    id: str
    tool: str
    version_id: str
    execution_id: str
    session_id: str
    signature: str
    kind: str
    cause: str
    outcome: str
    at: datetime
    proposal_id: str | None = None
    details: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person said that a result is right, or that it is wrong."""

    tool: str
    arguments: Json
    result: Json
    right: bool
    session_id: str
    user: str
    at: datetime


class Analyses(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        new = access.dialect.insert(analyses)
        self._put = new.on_conflict_do_update(
            index_elements=[analyses.c.id],
            set_={
                name: getattr(new.excluded, name)
                for name in ("kind", "cause", "outcome", "proposal_id", "details", "at")
            },
        )

    async def put(self, row: AnalysisRow) -> None:
        """Store an analysis; the same id again takes the place of what was known before."""
        values = columns_of(row)
        await self._write(self._put, values)

    async def list(self, tool: str | None = None, limit: int = 100) -> "list[AnalysisRow]":
        """Analyses, newest first."""
        statement = select(analyses).order_by(analyses.c.at.desc(), analyses.c.id).limit(limit)
        if tool is not None:
            statement = statement.where(analyses.c.tool == tool)
        rows = await self._mappings(statement)
        return [value_of(AnalysisRow, row) for row in rows]

    async def forget_session(self, session_id: str) -> int:
        """Delete a session's analyses and confirmations; how many analyses that was."""
        async with self._access.writing() as connection:
            gone = await connection.execute(
                analyses.delete().where(analyses.c.session_id == session_id)
            )
            await connection.execute(
                confirmations.delete().where(confirmations.c.session_id == session_id)
            )
            return gone.rowcount

    async def confirm(self, said: Confirmation) -> None:
        row = columns_of(said, call=call_key(said.tool, said.arguments))
        await self._write(insert(confirmations), row)

    async def confirmations(self, tool: str) -> "list[Confirmation]":
        """What people said about a tool's results, oldest first."""
        statement = (
            select(confirmations).where(confirmations.c.tool == tool).order_by(confirmations.c.id)
        )
        rows = await self._mappings(statement)
        return [value_of(Confirmation, row) for row in rows]
