"""Opens traces, and at each one's end scrubs it and hands it to the exporters."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import structlog

from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.json_types import Json
from hammerstone.tracing.capture import capture
from hammerstone.tracing.finish import finish
from hammerstone.tracing.spans import Span, SpanStatus, current_span
from hammerstone.tracing.traces import (
    CAUSED_BY,
    CAUSED_BY_SPAN,
    Caps,
    FinishedTrace,
    Keep,
    Observer,
    Scrub,
    TraceExporter,
    keep_all,
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """Whom and what a trace is about."""

    name: str
    user: str
    session_id: str
    run_id: str


class Tracer:
    """Traces of everything that happens.

    Guarantees: every trace that was entered is exported once it is left, by whatever
    exception; nothing reaches an exporter or observer before the scrubber saw it; a failing
    exporter or observer never fails the request.
    """

    def __init__(
        self,
        exporters: Sequence[TraceExporter],
        scrubber: Scrub,
        clock: Clock | None = None,
        *,
        caps: Caps | None = None,
        keep: Keep = keep_all,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._exporters = tuple(exporters)
        self._observers = tuple(observers)
        self._scrub = scrubber
        self._clock = clock or SystemClock()
        self._caps = caps or Caps()
        self._keep = keep
        self._exports: set[asyncio.Task[None]] = set()
        self.failed_exports = 0

    def trace(
        self,
        name: str,
        *,
        user: str = "",
        session_id: str = "",
        run_id: str = "",
        input: Any = None,
        attributes: dict[str, Any] | None = None,
    ) -> "OpenTrace":
        """A new trace, as `async with` (exports before it goes on) or `with`; gives its root."""
        info = TraceInfo(name, user, session_id, run_id)
        return OpenTrace(self, info, self._clock, self._caps, input, attributes)

    def finished(self, trace: "OpenTrace") -> FinishedTrace | None:
        """The trace as it is exported; None when the policy does not keep it."""
        finished = finish(trace, self._scrub, self._caps)
        for observe in self._observers:
            try:
                observe(finished)
            except Exception:
                _log.warning("trace observer failed", exc_info=True)
        kept = finished.status is not SpanStatus.SUCCESS or self._keep(finished)
        return finished if kept else None

    async def export(self, trace: FinishedTrace) -> None:
        """Hand a finished trace to every exporter; their failures are logged and counted."""
        for exporter in self._exporters:
            try:
                await exporter.export(trace)
            except Exception as error:
                self.failed_exports += 1
                _log.warning(
                    "trace not exported",
                    trace_id=trace.trace_id,
                    exporter=type(exporter).__name__,
                    error=str(error),
                )

    def export_soon(self, trace: FinishedTrace) -> asyncio.Task[None]:
        """Start the export; `close` waits for it even if nobody else does."""
        task = asyncio.get_running_loop().create_task(self.export(trace))
        self._exports.add(task)
        task.add_done_callback(self._exports.discard)
        return task

    async def close(self) -> None:
        """Wait for exports that are under way, then close the exporters."""
        while self._exports:
            await asyncio.gather(*self._exports, return_exceptions=True)
        for exporter in self._exporters:
            try:
                await exporter.close()
            except Exception as error:
                _log.warning(
                    "exporter not closed", exporter=type(exporter).__name__, error=str(error)
                )


class OpenTrace:
    """A trace while it runs: collects its spans."""

    def __init__(
        self,
        tracer: Tracer,
        info: TraceInfo,
        clock: Clock,
        caps: Caps,
        input: Any,
        attributes: dict[str, Any] | None,
    ) -> None:
        self.trace_id = os.urandom(16).hex()
        self.info = info
        self.spans: list[Span] = []
        self.dropped = 0
        self.closed = False
        self.started_at = clock.now()
        self._began_s = clock.elapsed_s()
        self._clock = clock
        self._caps = caps
        self._tracer = tracer
        self.root = Span(info.name, "run", input=input, attributes=attributes, collector=self)
        outer = current_span()
        if outer is not None:
            # A job started inside a request is a trace of its own that remembers its cause.
            self.root.set(CAUSED_BY, outer.trace_id)
            self.root.set(CAUSED_BY_SPAN, outer.span_id)

    def elapsed_s(self) -> float:
        return self._clock.elapsed_s() - self._began_s

    def add(self, span: Span) -> None:
        if self.closed or len(self.spans) >= self._caps.spans:
            self.dropped += 1
        else:
            self.spans.append(span)

    def snapshot(self, value: Any) -> Json:
        return capture(value, self._caps.value_chars)

    def _finish(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> FinishedTrace | None:
        self.root.__exit__(kind, error, traceback)
        self.closed = True
        return self._tracer.finished(self)

    def __enter__(self) -> Span:
        return self.root.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        finished = self._finish(kind, error, traceback)
        if finished is None:
            return
        try:
            self._tracer.export_soon(finished)
        except RuntimeError:  # no loop is running in this thread
            asyncio.run(self._tracer.export(finished))

    async def __aenter__(self) -> Span:
        return self.root.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        finished = self._finish(kind, error, traceback)
        if finished is not None:
            # Cancelling the request must not lose its trace: the export goes on by itself.
            await asyncio.shield(self._tracer.export_soon(finished))
