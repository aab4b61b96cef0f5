"""Whole traces judged on four criteria, and the notes for tools and skills that came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import improvement_notes, trace_judgements


@dataclass(frozen=True, slots=True)
class TraceJudgementRow:
    """`marks` are the four criteria from 0 to 1; `judge` names who gave them."""

    trace_id: str
    run_id: str
    session_id: str
    marks: JsonObject
    why: str
    judge: str
    again: JsonObject
    at: datetime


@dataclass(frozen=True, slots=True)
class ImprovementNote:
    """What should be changed about a tool or a skill (`kind`), and which trace shows it."""

    kind: str
    target: str
    note: str
    source: str
    trace_id: str
    session_id: str
    at: datetime


class TraceJudgements(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        new = access.dialect.insert(trace_judgements)
        self._put = new.on_conflict_do_update(
            index_elements=[trace_judgements.c.trace_id],
            set_={name: new.excluded[name] for name in ("marks", "why", "judge", "again", "at")},
        )

    async def put(self, row: TraceJudgementRow, notes: Sequence[ImprovementNote] = ()) -> None:
        """Store a judgement with its notes; judged again, both take the place of the old."""
        values: dict[str, Any] = columns_of(row)
        told = [columns_of(note) for note in notes]
        old = improvement_notes.delete().where(improvement_notes.c.trace_id == row.trace_id)
        async with self._access.writing() as connection:
            await connection.execute(self._put, values)
            await connection.execute(old)
            if told:
                await connection.execute(improvement_notes.insert(), told)

    async def find(self, trace_id: str) -> TraceJudgementRow | None:
        statement = select(trace_judgements).where(trace_judgements.c.trace_id == trace_id)
        row = await self._mapping(statement)
        return TraceJudgementRow(**row) if row else None

    async def list(self, limit: int = 50) -> list[TraceJudgementRow]:
        """The newest judgements first."""
        statement = select(trace_judgements).order_by(trace_judgements.c.at.desc()).limit(limit)
        rows = await self._mappings(statement)
        return [TraceJudgementRow(**row) for row in rows]

    async def notes(
        self, target: str | None = None, kind: str | None = None, limit: int = 100
    ) -> "list[ImprovementNote]":
        """The newest notes first, of one tool or skill or of all."""
        statement = select(improvement_notes).order_by(improvement_notes.c.id.desc()).limit(limit)
        if target is not None:
            statement = statement.where(improvement_notes.c.target == target)
        if kind is not None:
            statement = statement.where(improvement_notes.c.kind == kind)
        rows = await self._mappings(statement)
        return [value_of(ImprovementNote, row) for row in rows]
