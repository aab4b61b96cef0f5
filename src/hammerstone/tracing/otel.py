"""Finished traces as OpenTelemetry spans, to any span processor or an OTLP endpoint.

Imported only when it is used: the SDK takes longer to import than a reuse takes to answer.
"""

import asyncio
import json
import threading
from collections.abc import Sequence
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from hammerstone.core.errors import SettingsError
from hammerstone.core.json_types import Json
from hammerstone.tracing import genai
from hammerstone.tracing.spans import ERROR_TYPE, SpanStatus
from hammerstone.tracing.traces import CAUSED_BY, CAUSED_BY_SPAN, FinishedSpan, FinishedTrace

_CLOSE_S = 3.0  # an endpoint that is down must not keep the program from ending
_SCOPE = InstrumentationScope("hammerstone")


class OpenTelemetryExporter:
    """Hands each trace, span by span, to a span processor, which queues and sends."""

    def __init__(self, processor: SpanProcessor, *, version: str = "") -> None:
        self._processor = processor
        self._resource = Resource.create(
            {"service.name": "hammerstone", "service.version": version or "unknown"}
        )

    async def export(self, trace: FinishedTrace) -> None:
        for readable in to_readable(trace, self._resource):
            self._processor.on_end(readable)

    async def close(self) -> None:
        # A daemon thread, because the SDK may wait half a minute for an endpoint that is down.
        closing = threading.Thread(target=self._processor.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, _CLOSE_S)


def otlp_exporter(endpoint: str, *, version: str = "") -> OpenTelemetryExporter:
    """An exporter that sends to `endpoint` over HTTP in the background; needs `[otlp]`.

    `endpoint` is the collector's base address, as in `OTEL_EXPORTER_OTLP_ENDPOINT`.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise SettingsError(
            "sending traces to an OTLP endpoint needs a package that is not installed",
            hint='pip install "hammerstone[otlp]", or unset OTEL_EXPORTER_OTLP_ENDPOINT',
        ) from None
    address = endpoint.rstrip("/")
    if not address.endswith("/v1/traces"):
        address += "/v1/traces"
    sender = OTLPSpanExporter(endpoint=address, timeout=10)
    return OpenTelemetryExporter(BatchSpanProcessor(sender), version=version)


def to_readable(trace: FinishedTrace, resource: Resource) -> list[ReadableSpan]:
    """The trace's spans in OpenTelemetry's own form."""
    return [_readable(span, trace, resource) for span in trace.spans]


def _readable(span: FinishedSpan, trace: FinishedTrace, resource: Resource) -> ReadableSpan:
    start_ns = int(span.started_at.timestamp() * 1e6) * 1000
    return ReadableSpan(
        name=span.name,
        context=_context(span.trace_id, span.span_id),
        parent=_context(span.trace_id, span.parent_id) if span.parent_id else None,
        resource=resource,
        attributes=_attributes(span, trace),
        links=_links(span),
        kind=SpanKind.CLIENT if span.kind == "model" else SpanKind.INTERNAL,
        status=_status(span),
        start_time=start_ns,
        end_time=start_ns + int(span.duration_s * 1e9),
        instrumentation_scope=_SCOPE,
    )


def _context(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(
        trace_id=int(trace_id, 16),
        span_id=int(span_id, 16),
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _status(span: FinishedSpan) -> Status:
    if span.status is SpanStatus.SUCCESS:
        return Status(StatusCode.UNSET)  # the conventions leave OK to the application's owner
    return Status(StatusCode.ERROR, span.error or str(span.status))


def _links(span: FinishedSpan) -> Sequence[Link]:
    cause, step = span.attributes.get(CAUSED_BY), span.attributes.get(CAUSED_BY_SPAN)
    if isinstance(cause, str) and isinstance(step, str):
        return (Link(_context(cause, step)),)
    return ()


def _attributes(span: FinishedSpan, trace: FinishedTrace) -> dict[str, Any]:
    attributes: dict[str, Any] = {"hammerstone.kind": span.kind}
    for key, value in span.attributes.items():
        if value is not None:
            attributes[key] = _attribute(value)
    input_key, output_key = _content_keys(span)
    if span.input is not None:
        attributes[input_key] = _content(span.input, input_key)
    if span.output is not None:
        attributes[output_key] = _content(span.output, output_key)
    if span.status is not SpanStatus.SUCCESS:
        timeout = span.status is SpanStatus.TIMEOUT
        attributes[ERROR_TYPE] = "timeout" if timeout else attributes.get(ERROR_TYPE, "_OTHER")
    if span.parent_id is None:
        for key, value in (
            ("user.id", trace.user),
            (genai.CONVERSATION, trace.session_id),
            ("hammerstone.run_id", trace.run_id),
        ):
            if value:
                attributes[key] = value
    return attributes


def _content_keys(span: FinishedSpan) -> tuple[str, str]:
    if span.kind == "model":
        return genai.INPUT_MESSAGES, genai.OUTPUT_MESSAGES
    if span.kind == "tool":
        return genai.TOOL_ARGUMENTS, genai.TOOL_RESULT
    return "hammerstone.input", "hammerstone.output"


def _content(value: Json, key: str) -> str:
    if key in (genai.INPUT_MESSAGES, genai.OUTPUT_MESSAGES):
        value = _messages(value, "user" if key == genai.INPUT_MESSAGES else "assistant")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _messages(value: Json, role: str) -> Json:
    """In the conventions' form: a list of messages, each a role and typed parts."""
    items = value if isinstance(value, list) else [value]
    return [_message(item, role) for item in items]


def _message(item: Json, role: str) -> Json:
    if not isinstance(item, dict) or "content" not in item:
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        return {"role": role, "parts": [{"type": "text", "content": text}]}
    rest = {key: part for key, part in item.items() if key not in ("role", "content")}
    parts: Json = [{"type": "text", "content": item["content"]}]
    return {"role": item.get("role", role), "parts": parts, **rest}


def _attribute(value: Json) -> Any:
    """OpenTelemetry takes scalars and lists of one kind of scalar; the rest becomes JSON."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list) and value:
        kind = type(value[0])
        if kind in (bool, int, float, str) and all(type(item) is kind for item in value):
            return tuple(value)
    return json.dumps(value, ensure_ascii=False)
