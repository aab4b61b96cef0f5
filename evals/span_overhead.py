"""What a span costs: `python evals/span_overhead.py [--json]`.

Baselines: an empty `with` block, the standard library's `contextmanager`, and a span of the
OpenTelemetry SDK that goes nowhere. Our span is measured inert, recorded, with a 1 kB input
and output, and with its share of the scrubbing at the end of the trace.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from hammerstone.tracing import FinishedTrace, TraceLimits, Tracer, span
from hammerstone.tracing.scrub import Scrubber

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = asyncio.run(measure())
    if options.json:
        print(json.dumps(result, indent=1))
        return
    for name, microseconds in result.items():
        print(f"{name:<34} {microseconds:>9.2f} us")


if __name__ == "__main__":
    main()
