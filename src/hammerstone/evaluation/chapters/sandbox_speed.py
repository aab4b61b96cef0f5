"""Performance: what a sandboxed call costs beside starting a bare Python."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from statistics import median

from hammerstone.core.calls import Call, Program
from hammerstone.core.errors import SandboxError
from hammerstone.core.evaluations import Better, CaseMark, CaseOutcome, Chapter, MetricValue
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of

ROUNDS = {"instant": 20, "quick": 30, "full": 60}
STARTS, CALLS = 5, 9
BUSY = 2.0  # processes that want to run, for each core
_ADD = Program("def add(x):\n    return x + 1\n", "add")
_BARE = [sys.executable, "-I", "-S", "-c", "pass"]


async def sandbox_speed(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Rounds of calls and of bare starts in turns, so that a busy machine slows both alike."""
    busy = os.getloadavg()[0] > BUSY * len(os.sched_getaffinity(0))
    sandbox = await context.sandbox()
    for _ in range(CALLS):  # unmeasured: pages, caches, first servers
        await _call(sandbox)
    outcomes: list[CaseOutcome] = []
    for number in range(1, ROUNDS[str(context.chosen)] + 1):
        outcomes.append(await _round(sandbox, number))
        yield outcomes[-1]
        if context.time_is_up():
            break
    name = "call beside a bare Python start"
    if busy:
        # A call is several processes that wait for each other: beside many others it was 4 to 10
        # bare starts instead of one, and no two runs were alike. Such a number is not compared.
        ratio = mean_of(f"{name}, on a busy machine", "ratio", outcomes, unit="ratio")
        yield replace(ratio, better=Better.LOWER, of="")
    else:
        yield mean_of(
            name, "ratio", outcomes,
            unit="ratio", better=Better.LOWER, target=1.0, least=0.3, least_part=0.5,
        )  # fmt: skip
    middle = median(one.numbers["call_ms"] for one in outcomes)
    yield _plain("sandboxed call", middle)
    yield _plain("bare Python start", median(one.numbers["start_ms"] for one in outcomes))


def _plain(name: str, value: float) -> Finding:
    return MetricValue(name, value, "ms", better=Better.LOWER)


async def _round(sandbox: Sandbox, number: int) -> CaseOutcome:
    starts = [await asyncio.to_thread(_start) for _ in range(STARTS)]
    calls = [await _call(sandbox) for _ in range(CALLS)]
    # The fastest of each: what else the machine did meanwhile only adds.
    start, call = min(starts) * 1e3, min(calls) * 1e3
    numbers = {"start_ms": start, "call_ms": call, "ratio": call / start}
    return CaseOutcome(f"round {number:02}", CaseMark.PASSED, 1.0, numbers=numbers)


def _start() -> float:
    began = time.perf_counter()
    subprocess.run(_BARE, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


async def _call(sandbox: Sandbox) -> float:
    began = time.perf_counter()
    outcome = await sandbox.call(_ADD, Call(args=(1,)))
    if not outcome.ok or outcome.value != 2:
        raise SandboxError(f"a call of the measurement failed: {outcome.error or outcome.failure}")
    return time.perf_counter() - began


MEASUREMENTS = (
    Measurement(
        "sandbox_speed",
        "What a sandboxed call costs",
        Chapter.PERFORMANCE,
        sandbox_speed,
        needs=Needs(sandbox=True),
        timed=True,
    ),
)
