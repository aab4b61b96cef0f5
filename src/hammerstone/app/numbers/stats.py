"""The same metrics as a running process shows, computed from what is stored."""

from datetime import timedelta

from hammerstone.core.clock import Clock
from hammerstone.core.json_types import JsonObject
from hammerstone.storage import Database, SpanRow, TraceRow
from hammerstone.tracing.measure import TraceMeter
from hammerstone.tracing.spans import SpanStatus
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace


async def stored_stats(db: Database, clock: Clock, days: float) -> JsonObject:
    """Metrics over the traces of the last days."""
    meter = TraceMeter()
    since = clock.now() - timedelta(days=days)
    async for row, spans in db.traces.since(since):
        meter(_finished(row, spans))
    return meter.metrics.to_dict()


def _finished(row: TraceRow, spans: list[SpanRow]) -> FinishedTrace:
    return FinishedTrace(
        trace_id=row.id,
        name=spans[0].name if spans else "ask",
        user=row.user,
        session_id=row.session_id,
        run_id=row.run_id,
        status=SpanStatus(row.status),
        started_at=row.started_at,
        ended_at=row.ended_at or row.started_at,
        input=row.metadata.get("request"),
        output=row.final_output,
        error=None,
        metadata=row.metadata,
        spans=tuple(_span(span) for span in spans),
    )


def _span(row: SpanRow) -> FinishedSpan:
    return FinishedSpan(
        name=row.name,
        kind=row.kind,
        trace_id=row.trace_id,
        span_id=row.id,
        parent_id=row.parent_id,
        started_at=row.started_at,
        duration_s=row.duration_s,
        status=SpanStatus(row.status),
        input=row.input,
        output=row.output,
        error=row.error,
        attributes=row.attributes,
    )
