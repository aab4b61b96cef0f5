"""Traces: what happened, step by step, kept for a while."""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Table, and_, bindparam, delete, or_, select, type_coerce

from hammerstone.core.errors import NotFound
from hammerstone.storage.access import Access, Store, columns_of
from hammerstone.storage.rows import SpanRow, TraceRow
from hammerstone.storage.schema import spans, traces

SUCCESS = "success"

_GET = select(traces).where(traces.c.id == bindparam("which"))
_SPANS = (
    select(spans)
    .where(spans.c.trace_id == bindparam("which"))
    .order_by(spans.c.started_at, spans.c.id)
)
_SINCE = (
    select(traces)
    .where(
        or_(
            traces.c.started_at > bindparam("moment"),
            and_(traces.c.started_at == bindparam("moment"), traces.c.id > bindparam("last")),
        )
    )
    .order_by(traces.c.started_at, traces.c.id)
    .limit(bindparam("most"))
)
_COUNTED = select(
    *(column for column in spans.columns if column.name not in ("input", "output"))
).order_by(spans.c.started_at, spans.c.id)


class Traces(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._save_trace = _replacing(access, traces, ["id"])
        self._save_span = _replacing(access, spans, ["trace_id", "id"])

    async def save(self, trace: TraceRow, spans: Sequence[SpanRow]) -> None:
        """Store a trace and its spans; saved again, new content takes the place of the old."""
        async with self._access.writing() as connection:
            await connection.execute(self._save_trace, _columns(trace))
            if spans:
                await connection.execute(self._save_span, [_columns(span) for span in spans])

    async def get(self, trace_id: str) -> tuple[TraceRow, list[SpanRow]]:
        """A trace and its spans in order of their start."""
        async with self._access.reading() as connection:
            head = (await connection.execute(_GET, {"which": trace_id})).mappings().first()
            if head is None:
                raise NotFound(f"there is no trace {trace_id}", trace=trace_id)
            rows = (await connection.execute(_SPANS, {"which": trace_id})).mappings().all()
        return TraceRow(**head), [SpanRow(**row) for row in rows]

    async def purge(self, before: datetime, keep_errors: bool = False) -> int:
        """Delete traces that began earlier, with their spans; returns how many."""
        statement = delete(traces).where(traces.c.started_at < before)
        if keep_errors:
            statement = statement.where(traces.c.status == SUCCESS)
        return await self._write(statement)

    async def beginning_with(self, prefix: str, limit: int = 2) -> "list[str]":
        """Ids of traces that begin like this."""
        statement = select(traces.c.id).where(traces.c.id.startswith(prefix, autoescape=True))
        return [*await self._values(statement.order_by(traces.c.id).limit(limit))]

    async def since(
        self, moment: datetime, batch: int = 500
    ) -> AsyncGenerator[tuple[TraceRow, "list[SpanRow]"]]:
        """Traces that began then or later, oldest first, with what can be counted of their spans.

        Two queries for each batch; inputs and outputs, which are most of a trace, stay where
        they are.
        """
        last = (moment, "")
        while True:
            async with self._access.reading() as connection:
                found = await connection.execute(
                    _SINCE, {"moment": last[0], "last": last[1], "most": batch}
                )
                heads = [TraceRow(**row) for row in found.mappings()]
                if not heads:
                    return
                ids = [head.id for head in heads]
                rows = (
                    await connection.execute(_COUNTED.where(spans.c.trace_id.in_(ids)))
                ).mappings()
                by_trace: dict[str, list[SpanRow]] = {id: [] for id in ids}
                for row in rows:
                    by_trace[row["trace_id"]].append(SpanRow(**row))
            for head in heads:
                yield head, by_trace[head.id]
            last = (heads[-1].started_at, heads[-1].id)

    async def list(
        self,
        user: str | None = None,
        status: str | None = None,
        limit: int = 50,
        *,
        session: str | None = None,
        text: str | None = None,
        since: datetime | None = None,
    ) -> list[TraceRow]:
        """Traces, newest first; `text` occurs in what was asked, in capitals or not."""
        statement = select(traces).order_by(traces.c.started_at.desc(), traces.c.id).limit(limit)
        if user is not None:
            statement = statement.where(traces.c.user == user)
        if status is not None:
            statement = statement.where(traces.c.status == status)
        if session is not None:
            statement = statement.where(traces.c.session_id == session)
        if text:
            asked = type_coerce(traces.c.metadata, JSON)["request"].as_string()
            statement = statement.where(asked.icontains(text, autoescape=True))
        if since is not None:
            statement = statement.where(traces.c.started_at >= since)
        rows = await self._mappings(statement)
        return [TraceRow(**row) for row in rows]


def _replacing(access: Access, table: Table, keys: list[str]) -> Any:
    insert = access.dialect.insert(table)
    changes = {
        column.name: insert.excluded[column.name]
        for column in table.columns
        if column.name not in keys
    }
    return insert.on_conflict_do_update(index_elements=keys, set_=changes)


def _columns(row: TraceRow | SpanRow) -> dict[str, Any]:
    values = columns_of(row)
    for name in ("metadata", "attributes"):
        if name in values:
            values[name] = dict(values[name])
    return values
