"""A finished trace: scrubbed, bounded, ready to be stored or sent; as JSON objects and back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.tracing.spans import SpanStatus

SKILL = "hammerstone.skill"
ITERATIONS = "hammerstone.iterations"
UNFINISHED = "hammerstone.unfinished"
CAUSED_BY = "hammerstone.caused_by"
CAUSED_BY_SPAN = "hammerstone.caused_by_span"


@dataclass(frozen=True, slots=True)
class FinishedSpan:
    """One step, as it is kept. `status` is what the step itself came to, not its children."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str | None
    started_at: datetime
    duration_s: float
    status: SpanStatus
    input: Json
    output: Json
    error: str | None
    attributes: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class FinishedTrace:
    """One request or job. `spans` are in the order they began; the first is the root.

    `status` is the root's: an error that a step recovered from does not fail the trace.
    """

    trace_id: str
    name: str
    user: str
    session_id: str
    run_id: str
    status: SpanStatus
    started_at: datetime
    ended_at: datetime
    input: Json
    output: Json
    error: str | None
    metadata: Mapping[str, Json]
    spans: tuple[FinishedSpan, ...]
    dropped_spans: int = 0  # beyond the cap, counted but not kept

    @property
    def root(self) -> FinishedSpan:
        return self.spans[0]

    @property
    def duration_s(self) -> float:
        return self.root.duration_s

    @property
    def skill(self) -> str | None:
        """The skill or tool that the run says it used (`root.set(SKILL, name)`)."""
        skill = self.metadata.get(SKILL)
        return skill if isinstance(skill, str) else None

    @property
    def iterations(self) -> int:
        """How many steps were taken: what the run says, else its spans of kind step."""
        said = self.metadata.get(ITERATIONS)
        if isinstance(said, int):
            return said
        return sum(1 for span in self.spans if span.kind == "step")


class TraceExporter(Protocol):
    """Takes each kept trace somewhere: the own store, OpenTelemetry, a file.

    The trace is scrubbed already. Awaited before the request's answer is final, so an exporter
    that talks to something slow queues and returns. What it raises is logged and counted,
    never passed on to the request.
    """

    async def export(self, trace: FinishedTrace) -> None: ...

    async def close(self) -> None:
        """Send what is queued and let go of connections."""
        ...


def configured_exporters(endpoint: str | None, *, version: str = "") -> list[TraceExporter]:
    """An OTLP exporter where an endpoint is set; raises `SettingsError` if it cannot be made."""
    if not endpoint:
        return []
    from hammerstone.tracing.otel import otlp_exporter

    return [otlp_exporter(endpoint, version=version)]


Keep: TypeAlias = Callable[[FinishedTrace], bool]
"""Whether a successful trace is kept; errors and time-outs always are."""

Observer: TypeAlias = Callable[[FinishedTrace], None]
"""Sees every trace, kept or not; for counting."""

Scrub: TypeAlias = Callable[[Json], Json]
"""A copy of the value in which secrets and personal data are replaced by marks."""


def keep_all(trace: FinishedTrace) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """How large a kept trace may get."""

    value_chars: int = 16_384  # of one input, output or attribute set
    trace_chars: int = 1_000_000  # of all together; later spans lose input and output first
    spans: int = 2_000


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
