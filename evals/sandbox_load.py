"""Ten thousand calls, good and bad, through one sandbox: does anything grow?

    python -m evals.sandbox_load [--set instant|quick|full] [--json]

Every tenth of the way it is noted what the process holds: descriptors, descendants, cgroups,
resident memory. None of it may grow.
"""

import asyncio
import contextlib
import gc
import os
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)
from hammerstone.sandbox import open_sandbox

ADD = Program("def f(x): return x + 1", "f")
BAD = [
    Program("import os\ndef f(x): os._exit(1)", "f"),
    Program("def f(x): raise ValueError(x)", "f"),
    Program("def f(x", "f"),
    Program("import os\ndef f(x): os.write(3, b'y' * 50)", "f"),
    Program("import os, time\ndef f(x):\n    if os.fork() == 0: time.sleep(99)\n    return x", "f"),
    Program("def f(x): return bytearray(400 << 20)", "f"),
]
CLIENTS = 8


def holdings() -> dict[str, int]:
    gc.collect()
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
    found: set[int] = set()
    grown = {os.getpid()}
    while grown:
        grown = {pid for pid, parent in parents.items() if parent in grown}
        found |= grown
    folders = Path("/sys/fs/cgroup").rglob(f"hammerstone/{os.getpid()}-*")
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(found),
        "cgroups": sum(1 for _ in folders),
        "resident_kb": int(Path("/proc/self/statm").read_text().split()[1]) * 4,
    }


async def measure(total: int) -> dict[str, Any]:
    """What this process holds at every tenth of the way."""
    sandbox = await open_sandbox(load_settings())
    done = 0

    async def client(upto: int) -> None:
        nonlocal done
        while done < upto:
            done += 1
            number = done
            if number % 20 == 0:
                await sandbox.call(
                    BAD[number // 20 % len(BAD)], Call(args=(1,)), limits=Limits(wall_s=2)
                )
                continue
            outcome = await sandbox.call(ADD, Call(args=(number,)))
            assert outcome.value == number + 1, outcome

    stages: list[dict[str, float]] = []
    step = max(1, total // 10)
    for upto in range(step, total + 1, step):
        began, before = time.perf_counter(), done
        await asyncio.gather(*(client(upto) for _ in range(CLIENTS)))
        await asyncio.sleep(0.5)
        speed = (done - before) / (time.perf_counter() - began - 0.5)
        stages.append({"calls": done, "calls_per_s": round(speed, 1), **holdings()})
    await sandbox.close()
    return {"stages": stages}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each thing that the process holds as a case: it does not grow."""
    total = amount(context, instant=400, quick=1_000, full=10_000)
    stages = (await own_process(measure, total=total))["stages"]
    first, last = stages[0], stages[-1]
    # Servers come and go; a tenth more memory, or a handful of processes of a new one, is noise.
    slack = {
        "descriptors": 8,
        "processes": 8,
        "cgroups": 10,
        "resident_kb": first["resident_kb"] / 10,
    }
    for name, most in slack.items():
        numbers = {"first": float(first[name]), "last": float(last[name])}
        given = f"{first[name]} after {first['calls']} calls, {last[name]} after {last['calls']}"
        grew = last[name] > first[name] + most
        yield case(name.replace("_", " "), not grew, numbers, given=given, wanted="no more")
    yield higher("calls a second", sum(s["calls_per_s"] for s in stages) / len(stages), "count")
    yield lower("resident memory at the end", last["resident_kb"] / 1000, "MB")


if __name__ == "__main__":
    measured("sandbox_load")
