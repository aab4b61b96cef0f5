"""What a span costs: `python -m evals.span_overhead`.

Baselines: an empty `with` block, the standard library's `contextmanager`, and a span of the
OpenTelemetry SDK that goes nowhere. Our span is measured inert, recorded, with a 1 kB input
and output, and with its share of the scrubbing at the end of the trace.
"""

import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, nullcontext

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)
from hammerstone.tracing import FinishedTrace, TraceLimits, Tracer, span
from hammerstone.tracing.scrub import Scrubber

SDK = "OpenTelemetry SDK span"
READINGS = (
    Reading("span, recorded", "a span", "µs", baseline=SDK),
    Reading("span, nothing traced", "a span outside a trace", "µs", baseline="contextmanager"),
    Reading("span, recorded, 1 kB in and out", "with 1 kB in and out", "µs", baseline=SDK),
    Reading("same, with scrubbing and export", "with scrubbing and export", "µs", baseline=SDK),
)
SPANS = 500
ROUNDS = 15
VALUE = {
    "messages": [
        {"role": "system", "content": "You write one Python function and nothing else. " * 6},
        {"role": "user", "content": "The ISO week of a date; 2024-03-01 gives 9. " * 12},
    ],
    "temperature": 0.0,
}


class Nowhere:
    async def export(self, trace: FinishedTrace) -> None: ...

    async def close(self) -> None: ...


@contextmanager
def plain_generator() -> Iterator[None]:
    yield


def repeated(block: Callable[[], None]) -> float:
    """Microseconds for one execution: the fastest of several rounds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(SPANS):
            block()
        times.append((time.perf_counter() - began) / SPANS * 1e6)
    return min(times)


def empty() -> None:
    with nullcontext():
        pass


def generator() -> None:
    with plain_generator():
        pass


def small() -> None:
    with span("chat m", kind="model") as opened:
        opened.set("gen_ai.usage.input_tokens", 12)


def large() -> None:
    with span("chat m", kind="model", input=VALUE, attributes={"gen_ai.request.model": "m"}) as s:
        s.set("gen_ai.usage.input_tokens", 12)
        s.output = VALUE


def otel() -> float:
    from opentelemetry.sdk.trace import TracerProvider

    tracer = TracerProvider().get_tracer("baseline")

    def block() -> None:
        with tracer.start_as_current_span("chat m") as opened:
            opened.set_attribute("gen_ai.usage.input_tokens", 12)

    return repeated(block)


async def inside_a_trace(block: Callable[[], None]) -> float:
    tracer = Tracer([Nowhere()], Scrubber(), caps=TraceLimits(spans=SPANS * ROUNDS + 1))
    async with tracer.trace("measure"):
        return repeated(block)


async def whole_trace(block: Callable[[], None], spans: int = 10) -> float:
    """Microseconds a span when opening, copying, scrubbing and exporting are all counted."""
    tracer = Tracer([Nowhere()], Scrubber())
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        async with tracer.trace("measure"):
            for _ in range(spans):
                block()
        times.append((time.perf_counter() - began) / spans * 1e6)
    return min(times)


async def measure() -> dict[str, float]:
    return {
        "empty with block": repeated(empty),
        "contextmanager": repeated(generator),
        "OpenTelemetry SDK span": otel(),
        "span, nothing traced": repeated(small),
        "span, recorded": await inside_a_trace(small),
        "span, recorded, 1 kB in and out": await inside_a_trace(large),
        "same, with scrubbing and export": await whole_trace(large),
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Microseconds of a span, in rounds."""

    async def once() -> dict[str, float]:
        return await own_process(measure)

    times = amount(context, instant=3, quick=5, full=9)
    async for finding in rounds(context, times, once, READINGS):
        yield finding


if __name__ == "__main__":
    measured("span_overhead")
