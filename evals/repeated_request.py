"""How long a repeated request takes through the Python API in a warm process.

    python -m evals.repeated_request [--set instant|quick|full] [--json]

The tool is built once by a scripted model and the real sandbox; then the same request is asked
many times. Beside it, in the same run: the same tool with other arguments each time (one warm
sandbox call), and a bare `python -c pass`. The target is a p50 under 5 ms without a model call.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)
from tests.integration.engine import percent_script, scripted_engine

READINGS = (
    Reading("repeated_p50_ms", "a repeated request, median", target=5.0),
    Reading("repeated_p95_ms", "a repeated request, p95"),
    Reading(
        "tool_call_p50_ms",
        "its tool with other arguments",
        baseline="python_startup_p50_ms",
        beside="a bare Python start",
    ),
    Reading("model_calls", "model calls", "count", target=0),
)
REQUEST = "What is 17.5% of 240?"


async def measure(times: int) -> dict[str, float]:
    """Medians of a repeated request, a call of its tool, and a bare Python start."""
    script = percent_script()
    repeated: list[float] = []
    called: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with scripted_engine(script, Path(folder)) as hs:
            await hs.ask(REQUEST)
            asked = len(script.asked)
            for number in range(times):
                began = time.perf_counter()
                answer = await hs.ask(REQUEST)
                repeated.append(time.perf_counter() - began)
                assert answer.cached and answer.result == 42
                if number % 10 == 0:
                    began = time.perf_counter()
                    await hs.run_tool("percentage_of", {"percent": number, "number": 10})
                    called.append(time.perf_counter() - began)
                    began = time.perf_counter()
                    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", "pass"])
                    bare.append(time.perf_counter() - began)
            model_calls = len(script.asked) - asked
    return {
        "repeated_p50_ms": statistics.median(repeated) * 1000,
        "repeated_p95_ms": statistics.quantiles(repeated, n=20)[-1] * 1000,
        "tool_call_p50_ms": statistics.median(called) * 1000,
        "python_startup_p50_ms": statistics.median(bare) * 1000,
        "model_calls": model_calls,
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Repeated requests beside calls of the tool and bare starts, in rounds."""
    times = amount(context, instant=100, quick=300, full=300)

    async def once() -> dict[str, float]:
        return await own_process(measure, times=times)

    async for finding in rounds(
        context, amount(context, instant=1, quick=2, full=5), once, READINGS
    ):
        yield finding


if __name__ == "__main__":
    measured("repeated_request")
