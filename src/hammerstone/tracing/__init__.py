"""Spans of everything that happens: recorded, scrubbed, handed to exporters."""

from hammerstone.tracing.spans import Span, span

__all__ = ["Span", "span"]
