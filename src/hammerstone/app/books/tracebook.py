"""Traces in the own store: written as they finish, read back by id."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path

from hammerstone.app.traces.replay import Replay, Replayer, Variant
from hammerstone.app.traces.trace_diff import TraceDiff, compare_traces
from hammerstone.app.traces.trace_steps import cost_of
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.run_record import RunRecord
from hammerstone.core.seams import Sandbox
from hammerstone.storage import Database, SpanRow, TraceRow
from hammerstone.tracing.traces import FinishedTrace

_STATUSES = ("success", "error", "timeout")


class StoredTraces:
    """The exporter that writes finished traces to the database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def export(self, trace: FinishedTrace) -> None:
        spans = [
            SpanRow(
                id=span.span_id,
                trace_id=span.trace_id,
                parent_id=span.parent_id,
                name=span.name,
                kind=span.kind,
                started_at=span.started_at,
                duration_s=span.duration_s,
                input=span.input,
                output=span.output,
                error=span.error,
                attributes=span.attributes,
                status=str(span.status),
            )
            for span in trace.spans
        ]
        told = {
            "name": trace.name,
            "request": trace.input,
            "error": trace.error,
            "cost": cost_of(spans).to_json(),
        }
        row = TraceRow(
            id=trace.trace_id,
            user=trace.user,
            status=str(trace.status),
            started_at=trace.started_at,
            ended_at=trace.ended_at,
            session_id=trace.session_id,
            run_id=trace.run_id,
            skill=trace.skill or "",
            iterations=trace.iterations,
            final_output=trace.output,
            metadata={**trace.metadata, **told},
        )
        await self._db.traces.save(row, spans)

    async def close(self) -> None:
        """Nothing to give back: the database belongs to the engine."""


class TraceBook:
    """Stored traces, by id or by user and status."""

    def __init__(
        self,
        db: Database,
        settle: Callable[[], Awaitable[None]],
        sandbox: Callable[[], Awaitable[Sandbox]],
    ) -> None:
        """`settle` waits until what has happened is stored."""
        self._db = db
        self._settle = settle
        self._replayer = Replayer(db, sandbox)

    async def list(
        self,
        user: str | None = None,
        status: str | None = None,
        limit: int = 20,
        *,
        session: str | None = None,
        text: str | None = None,
        since: datetime | None = None,
    ) -> list[TraceRow]:
        """The newest traces first; `text` is looked for in what was asked."""
        if status is not None and status not in _STATUSES:
            raise BadRequest(f"status is {', '.join(_STATUSES)}; not {status!r}")
        await self._settle()
        return await self._db.traces.list(
            user, status, limit, session=session, text=text, since=since
        )

    async def get(self, id: str) -> tuple[TraceRow, "list[SpanRow]"]:
        """A trace with its spans; the first characters of its id are enough if they are unique."""
        await self._settle()
        if len(id) < 32:
            matching = await self._db.traces.beginning_with(id) if id else []
            if len(matching) > 1:
                raise BadRequest(f"several traces begin with {id}", hint="give more of it")
            if not matching:
                raise NotFound(f"there is no trace {id}", hint="hammerstone traces list")
            id = matching[0]
        return await self._db.traces.get(id)

    async def record(self, trace: TraceRow) -> RunRecord | None:
        """What the trace's run was done with; None where that was not kept."""
        run = await self._db.runs.find(trace.run_id) if trace.run_id else None
        return RunRecord.from_json(run.record) if run else None

    async def replay(
        self,
        id: str,
        *,
        tool: str | None = None,
        version: int | None = None,
        files: Mapping[str, Path] | None = None,
    ) -> Replay:
        """The trace's calls made again without a model, also with another version of a tool."""
        return await self._replayer.replay(*await self.get(id), Variant(tool, version, files))

    async def compare(self, left: str, right: str) -> TraceDiff:
        """Where two traces part, and what each cost."""
        return compare_traces(await self.get(left), await self.get(right))
