"""Finished traces as JSON objects and back: for files, the API and people."""

from datetime import datetime
from typing import Any

from hammerstone.core.json_types import JsonObject
from hammerstone.tracing.spans import SpanStatus
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace


def to_json(trace: FinishedTrace) -> JsonObject:
    """The trace as one JSON object; `from_json` gives an equal trace back."""
    return {
        "trace_id": trace.trace_id,
        "name": trace.name,
        "user": trace.user,
        "session_id": trace.session_id,
        "run_id": trace.run_id,
        "skill": trace.skill,
        "status": str(trace.status),
        "started_at": trace.started_at.isoformat(),
        "ended_at": trace.ended_at.isoformat(),
        "duration_s": trace.duration_s,
        "iterations": trace.iterations,
        "input": trace.input,
        "output": trace.output,
        "error": trace.error,
        "metadata": dict(trace.metadata),
        "dropped_spans": trace.dropped_spans,
        "spans": [span_to_json(span) for span in trace.spans],
    }


def span_to_json(span: FinishedSpan) -> JsonObject:
    return {
        "name": span.name,
        "kind": span.kind,
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "started_at": span.started_at.isoformat(),
        "duration_s": span.duration_s,
        "status": str(span.status),
        "input": span.input,
        "output": span.output,
        "error": span.error,
        "attributes": dict(span.attributes),
    }


def from_json(data: Any) -> FinishedTrace:
    """The trace that `to_json` wrote; raises ValueError, KeyError or TypeError on anything else."""
    spans = tuple(span_from_json(span, data["trace_id"]) for span in data["spans"])
    if not spans:
        raise ValueError("a trace has at least its root")
    return FinishedTrace(
        trace_id=data["trace_id"],
        name=data["name"],
        user=data["user"],
        session_id=data["session_id"],
        run_id=data["run_id"],
        status=SpanStatus(data["status"]),
        started_at=datetime.fromisoformat(data["started_at"]),
        ended_at=datetime.fromisoformat(data["ended_at"]),
        input=data["input"],
        output=data["output"],
        error=data["error"],
        metadata=data["metadata"],
        spans=spans,
        dropped_spans=data["dropped_spans"],
    )


def span_from_json(data: Any, trace_id: str) -> FinishedSpan:
    return FinishedSpan(
        name=data["name"],
        kind=data["kind"],
        trace_id=trace_id,
        span_id=data["span_id"],
        parent_id=data["parent_id"],
        started_at=datetime.fromisoformat(data["started_at"]),
        duration_s=data["duration_s"],
        status=SpanStatus(data["status"]),
        input=data["input"],
        output=data["output"],
        error=data["error"],
        attributes=data["attributes"],
    )
