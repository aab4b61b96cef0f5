"""Opens traces, and at each one's end scrubs it and hands it to the exporters."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.json_types import Json
from hammerstone.core.pending import Pending
from hammerstone.tracing.finish import Cutter, finish, finish_span, own_ids
from hammerstone.tracing.journal import Journal
from hammerstone.tracing.spans import Span, SpanStatus, capture, current_span
from hammerstone.tracing.traces import (
    CAUSED_BY,
    CAUSED_BY_SPAN,
    FinishedTrace,
    Keep,
    Observer,
    Scrub,
    TraceExporter,
    TraceLimits,
    keep_all,
)
from hammerstone.tracing.warn import warn

_MANY_SPANS = 20
_NOTED_AFTER_S = 0.1  # a trace that ends sooner, and well, leaves no note of its beginning


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
        caps: TraceLimits | None = None,
        keep: Keep = keep_all,
        journal: Journal | None = None,
    ) -> None:
        self._exporters = tuple(exporters)
        self._observers: list[Observer] = []
        self._scrub = scrubber
        self._clock = clock or SystemClock()
        self._caps = caps or TraceLimits()
        self._keep = keep
        self._journal = journal
        self._deliveries = Pending()
        self.failed_exports = 0

    def observe(self, observer: Observer) -> None:
        """Show every trace that ends from now on to `observer`, kept or not."""
        self._observers.append(observer)

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

    def opened(self, trace: "OpenTrace") -> None:
        """See to it that a note of the trace is left for the case that this process dies: once
        it takes a while. Nobody waits for the note of a quick one."""
        if self._journal is None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._note(trace)
        else:
            trace.noting = loop.call_later(_NOTED_AFTER_S, self._note, trace)

    def failed(self, span: Span, trace: "OpenTrace") -> None:
        if self._journal is not None:
            self._note(trace)
            cutter = Cutter(self._scrub, self._caps, own_ids(trace))
            self._journal.failed(finish_span(span, trace, trace.elapsed_s(), cutter))

    def _note(self, trace: "OpenTrace") -> None:
        """Leave a note of the trace, once."""
        if self._journal is not None and not trace.noted:
            trace.noted = True
            info, cutter = trace.info, Cutter(self._scrub, self._caps, own_ids(trace))
            head = {
                "trace_id": trace.trace_id,
                "user": info.user,
                "session_id": info.session_id,
                "run_id": info.run_id,
            }
            begun = finish_span(trace.root, trace, trace.elapsed_s(), cutter)
            self._journal.opened(head, begun)

    def deliver_soon(self, trace: "OpenTrace") -> asyncio.Task[None]:
        """Start delivering; `close` waits for it even if nobody else does."""
        return self._deliveries.start(self.deliver(trace))

    async def deliver(self, trace: "OpenTrace") -> None:
        """Scrub a trace that has ended, show it to the observers, export it if it is kept."""
        if len(trace.spans) > _MANY_SPANS:
            # Scrubbing a long trace takes a while; other requests go on meanwhile.
            finished = await asyncio.to_thread(finish, trace, self._scrub, self._caps)
        else:
            finished = finish(trace, self._scrub, self._caps)
        for observe in self._observers:
            try:
                observe(finished)
            except Exception as error:
                # Without the traceback: printed with its variables, it would show the trace.
                warn("trace observer failed", error=repr(error))
        kept = finished.status is not SpanStatus.SUCCESS or self._keep(finished)
        if kept and not await self._export(finished) and self._journal is not None:
            self._journal.keep_whole(finished)
        elif self._journal is not None and trace.noted:
            self._journal.exported(finished.trace_id)

    async def recover(self) -> int:
        """Export what processes that died have left in the journal; how many traces."""
        recovered = 0
        for trace, done in self._journal.left_behind() if self._journal is not None else ():
            if await self._export(trace):
                done()
                recovered += 1
        return recovered

    async def _export(self, trace: FinishedTrace) -> bool:
        """Whether every exporter took it; their failures are logged and counted."""
        taken = True
        for exporter in self._exporters:
            try:
                await exporter.export(trace)
            except Exception as error:
                taken = False
                self.failed_exports += 1
                warn(
                    "trace not exported",
                    trace_id=trace.trace_id,
                    exporter=type(exporter).__name__,
                    error=str(error),
                )
        return taken

    async def settle(self) -> None:
        """Wait until every trace that has ended by now is with the exporters."""
        await self._deliveries.settle()

    async def close(self) -> None:
        """Wait for what is under way, then close the exporters and the journal."""
        await self.settle()
        for exporter in self._exporters:
            try:
                await exporter.close()
            except Exception as error:
                warn("exporter not closed", exporter=type(exporter).__name__, error=str(error))
        if self._journal is not None:
            self._journal.close()


class OpenTrace:
    """A trace while it runs: collects its spans."""

    def __init__(
        self,
        tracer: Tracer,
        info: TraceInfo,
        clock: Clock,
        caps: TraceLimits,
        input: Any,
        attributes: dict[str, Any] | None,
    ) -> None:
        self.trace_id = os.urandom(16).hex()
        self.info = info
        self.spans: list[Span] = []
        self.dropped = 0
        self.closed = False
        self.noted = False
        self.noting: asyncio.TimerHandle | None = None
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

    def failed(self, span: Span) -> None:
        if span is not self.root and not self.closed:
            self._tracer.failed(span, self)

    def __enter__(self) -> Span:
        root = self.root.__enter__()
        self._tracer.opened(self)
        return root

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave(kind, error, traceback)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(self._tracer.deliver(self))
        else:
            self._tracer.deliver_soon(self)

    async def __aenter__(self) -> Span:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave(kind, error, traceback)
        # Cancelling the request must not lose its trace: the delivery goes on by itself.
        await asyncio.shield(self._tracer.deliver_soon(self))

    def _leave(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.noting is not None:
            self.noting.cancel()
        self.root.__exit__(kind, error, traceback)
        self.closed = True
