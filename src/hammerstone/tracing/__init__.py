"""Spans of everything that happens: recorded, scrubbed, handed to exporters."""

from hammerstone.tracing.spans import Span, SpanStatus, current_span, span
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace, TraceExporter, TraceLimits

__all__ = [
    "FinishedSpan",
    "FinishedTrace",
    "Span",
    "SpanStatus",
    "TraceExporter",
    "TraceLimits",
    "Tracer",
    "current_span",
    "span",
]
