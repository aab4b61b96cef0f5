"""From an open trace to a finished one: scrubbed, cut to size, values only."""

from datetime import datetime, timedelta
from typing import Any, Protocol

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.tracing.spans import Span, capture, trim
from hammerstone.tracing.traces import UNFINISHED, FinishedSpan, FinishedTrace, Scrub, TraceLimits

_MAX_ERROR_CHARS = 8_192


class Info(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def user(self) -> str: ...
    @property
    def session_id(self) -> str: ...
    @property
    def run_id(self) -> str: ...


class TraceContents(Protocol):
    """What an open trace has gathered when it ends."""

    trace_id: str
    started_at: datetime
    spans: list[Span]
    dropped: int

    @property
    def info(self) -> Info: ...

    def elapsed_s(self) -> float: ...


class Cutter:
    """Scrubs and cuts values until the whole trace's room is used up, then drops them.

    `own_ids` are the trace's own: a field `session_id` usually holds a key to somebody's account
    and is hidden, but the number of this session opens nothing and is what people look for.
    """

    def __init__(
        self, scrub: Scrub, caps: TraceLimits, own_ids: frozenset[str] = frozenset()
    ) -> None:
        self._scrub = scrub
        self._own_ids = own_ids
        self._value_chars = caps.value_chars
        self._left = caps.trace_chars

    def value(self, value: Json) -> Json:
        if value is None:
            return None
        if self._left <= 0:
            return "[left out: the trace is too large]"
        clean = _with_ids(value, self._scrub(value), self._own_ids)
        clean = trim(clean, min(self._value_chars, self._left))
        self._left -= _size(clean)
        return clean

    def text(self, text: str | None, cap_chars: int) -> str | None:
        return None if text is None else str(trim(self._scrub(capture(text, cap_chars)), cap_chars))

    def attributes(self, attributes: dict[str, Any]) -> JsonObject:
        if not attributes:
            return {}
        clean = self.value(capture(attributes, self._value_chars))
        return clean if isinstance(clean, dict) else {}


def finish(trace: TraceContents, scrub: Scrub, caps: TraceLimits) -> FinishedTrace:
    """The trace as it is kept. Spans that are still open end with the trace and say so."""
    cutter = Cutter(scrub, caps, own_ids(trace))
    end_s = trace.elapsed_s()
    spans = tuple(finish_span(span, trace, end_s, cutter) for span in trace.spans)
    root = spans[0]
    return FinishedTrace(
        trace_id=trace.trace_id,
        name=root.name,
        user=trace.info.user,
        session_id=trace.info.session_id,
        run_id=trace.info.run_id,
        status=root.status,
        started_at=trace.started_at,
        ended_at=trace.started_at + timedelta(seconds=root.duration_s),
        input=root.input,
        output=root.output,
        error=root.error,
        metadata=root.attributes,
        spans=spans,
        dropped_spans=trace.dropped,
    )


def finish_span(span: Span, trace: TraceContents, end_s: float, cutter: Cutter) -> FinishedSpan:
    """The span as it is kept, at `end_s` seconds after the trace began."""
    attributes = cutter.attributes(span.attributes)
    duration_s = span.duration_s
    output: Json = None
    if span.finished:
        output = cutter.value(span.output)
    else:
        attributes[UNFINISHED] = True
        duration_s = end_s - span.began_s
    return FinishedSpan(
        name=cutter.text(span.name, 512) or "",
        kind=span.kind,
        trace_id=trace.trace_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        started_at=trace.started_at + timedelta(seconds=span.began_s),
        duration_s=max(duration_s, 0.0),
        status=span.status,
        input=cutter.value(span.input),
        output=output,
        error=cutter.text(span.error, _MAX_ERROR_CHARS),
        attributes=attributes,
    )


def own_ids(trace: TraceContents) -> frozenset[str]:
    """The ids that the trace is filed under: they stand in it as they are."""
    ids = (trace.trace_id, trace.info.session_id, trace.info.run_id)
    return frozenset(id for id in ids if id)


def _with_ids(value: Json, clean: Json, ids: frozenset[str]) -> Json:
    """The scrubbed copy with those values back that are exactly one of the ids."""
    if isinstance(value, str):
        return value if value in ids and clean != "[password]" else clean
    if isinstance(value, dict) and isinstance(clean, dict) and len(value) == len(clean):
        pairs = zip(value.values(), clean.items(), strict=True)
        return {key: _with_ids(old, new, ids) for old, (key, new) in pairs}
    if isinstance(value, list) and isinstance(clean, list) and len(value) == len(clean):
        return [_with_ids(old, new, ids) for old, new in zip(value, clean, strict=True)]
    return clean


def _size(value: Json) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + _size(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(_size(item) + 2 for item in value)
    return 8
