"""Spans of everything that happens: recorded, scrubbed, handed to exporters."""

from hammerstone.tracing.spans import Span, SpanStatus, current_span, span
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import Caps, FinishedSpan, FinishedTrace, TraceExporter

__all__ = [
    "Caps",
    "FinishedSpan",
    "FinishedTrace",
    "Span",
    "SpanStatus",
    "TraceExporter",
    "Tracer",
    "current_span",
    "span",
]
