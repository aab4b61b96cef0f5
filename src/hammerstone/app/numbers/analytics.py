"""What use has taught, as numbers: relationships, patterns, how answering gets cheaper; and
the metrics of a running process, computed from what is stored."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hammerstone.core.clock import Clock
from hammerstone.core.json_types import JsonObject
from hammerstone.library.graph import SkillGraph
from hammerstone.storage import Database, SpanRow, TraceRow
from hammerstone.tracing.measure import TraceMeter
from hammerstone.tracing.spans import SpanStatus
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace

_MOST_TRACES = 20_000
REQUEST_TRACE = "ask"


@dataclass(slots=True)
class _Slice:
    """One stretch of time."""

    requests: int = 0
    answered: int = 0
    reused: int = 0
    cached: int = 0
    built: int = 0
    model_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


class Analytics:
    def __init__(
        self, db: Database, graph: SkillGraph, clock: Clock, settle: Callable[[], Awaitable[None]]
    ) -> None:
        self._db = db
        self._graph = graph
        self._clock = clock
        self._settle = settle

    async def relationships(
        self, user: str, tool: str | None = None, min_confidence: float = 0.0
    ) -> list[JsonObject]:
        """Which tool follows which; the confidence grows with every success."""
        edges = await self._graph.edges(user, tool=tool)
        return [
            {**edge.to_json(), "confidence": round(edge.weight, 4)}
            for edge in edges
            if edge.weight >= min_confidence
        ]

    async def patterns(self, min_frequency: int = 1, limit: int = 100) -> list[JsonObject]:
        """Sequences of tools that came again, the most frequent first."""
        rows = await self._db.patterns.list(min_frequency=min_frequency, limit=limit)
        return [
            {
                "id": row.id,
                "tools": list(row.steps),
                "frequency": row.frequency,
                "seen": row.seen,
                "sessions": row.sessions,
                "success_rate": round(row.success, 4),
                "mean_seconds": round(row.seconds / row.seen, 6) if row.seen else None,
                "last_at": row.last_at.isoformat(),
            }
            for row in rows
        ]

    async def progress(self, user: str, days: float = 7.0, slices: int = 28) -> JsonObject:
        """Totals and a series over time: reuse, cache hits, model calls, success."""
        await self._settle()
        now = self._clock.now()
        since = now - timedelta(days=days)
        rows = await self._db.traces.list(user=user, limit=_MOST_TRACES)
        rows = [row for row in rows if row.started_at >= since and _is_request(row)]
        built = await self._db.tools.built_since(since)
        if rows:
            since = max(since, min(row.started_at for row in rows))
        width_s = max((now - since).total_seconds() / slices, 1.0)
        series = [_Slice() for _ in range(slices)]
        total = _Slice()
        for row in rows:
            at = int((row.started_at - since).total_seconds() / width_s)
            for one in (series[max(0, min(at, slices - 1))], total):
                _count(one, row, row.run_id in built)
        return {
            "since": since.isoformat(),
            "total": _shares(total),
            "series": [
                {"at": _middle(since, width_s, number).isoformat(), **_shares(one)}
                for number, one in enumerate(series)
            ],
        }


def _is_request(row: TraceRow) -> bool:
    """A proof or an examination is traced too, but nobody asked it."""
    return row.metadata.get("name") in (None, REQUEST_TRACE)


def _count(one: _Slice, row: TraceRow, was_built: bool) -> None:
    output: Any = row.final_output if isinstance(row.final_output, dict) else {}
    cost: Any = output.get("cost") or {}
    one.requests += 1
    one.answered += output.get("status") == "done"
    one.cached += bool(output.get("cached"))
    one.built += was_built
    one.reused += bool(output.get("tool")) and not was_built
    one.model_calls += cost.get("model_calls") or 0
    one.tokens += cost.get("tokens") or 0
    one.seconds += cost.get("seconds") or 0.0


def _shares(one: _Slice) -> JsonObject:
    def share(count: float) -> float | None:
        return round(count / one.requests, 4) if one.requests else None

    return {
        "requests": one.requests,
        "built": one.built,
        "tokens": one.tokens,
        "success": share(one.answered),
        "reuse": share(one.reused),
        "cache_hits": share(one.cached),
        "model_calls_per_request": share(one.model_calls),
        "seconds_per_request": share(one.seconds),
    }


def _middle(since: datetime, width_s: float, number: int) -> datetime:
    return since + timedelta(seconds=width_s * (number + 0.5))


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
