"""How long `import hammerstone` and `hammerstone --help` take, beside a bare Python.

And how long opening a library takes inside a running process, new and again, with the starter
tools and without: wall time and the processor time of this process, which other programs on the
machine do not change.

    python -m evals.start_up [--set instant|quick|full] [--json]

Each is the median of interleaved runs, as seconds and as a ratio to `python -c pass`.
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

COMMAND = str(Path(sys.executable).with_name("hammerstone"))
MEASURED = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import hammerstone": [sys.executable, "-c", "import hammerstone"],
    "import and name the engine": [sys.executable, "-c", "from hammerstone import Hammerstone"],
    "hammerstone --help": [COMMAND, "--help"],
    "hammerstone tools --help": [COMMAND, "tools", "--help"],
}

READINGS = (
    Reading("import hammerstone ratio", "import beside a bare Python", "ratio", least=0.5),
    Reading("hammerstone --help ratio", "--help beside a bare Python", "ratio", least=1.0),
    Reading("hammerstone --help seconds", "hammerstone --help", "s"),
    Reading("open, new, with starter tools seconds", "a new library", "s"),
    Reading("open, again, with starter tools seconds", "the library again", "s"),
    Reading("open, again, with starter tools cpu_seconds", "of that, processor", "s"),
)


def measure(count: int) -> dict[str, dict[str, float]]:
    times: dict[str, list[float]] = {name: [] for name in MEASURED}
    for _ in range(count):
        for name, command in MEASURED.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(time.perf_counter() - began)
    bare = statistics.median(times["python -c pass"])
    return {
        name: {"seconds": statistics.median(seen), "ratio": statistics.median(seen) / bare}
        for name, seen in times.items()
    }


async def _open(folder: Path, starter: bool) -> tuple[float, float]:
    from hammerstone.app.hammerstone import Hammerstone

    wall, cpu = time.perf_counter(), time.process_time()
    async with Hammerstone.open(data_dir=folder, starter_tools=starter):
        return time.perf_counter() - wall, time.process_time() - cpu


def measure_opening(count: int) -> dict[str, dict[str, float]]:
    seen: dict[str, list[tuple[float, float]]] = {}
    for _ in range(count):
        for starter in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                for which in ("new", "again"):
                    name = f"open, {which}, {'with' if starter else 'without'} starter tools"
                    took = asyncio.run(_open(Path(folder), starter))
                    seen.setdefault(name, []).append(took)
    return {
        name: {
            "seconds": statistics.median(wall for wall, _ in took),
            "cpu_seconds": statistics.median(cpu for _, cpu in took),
        }
        for name, took in seen.items()
    }


def measure_all(count: int) -> dict[str, dict[str, float]]:
    return measure(count) | measure_opening(count)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Starts as ratios to a bare Python, in rounds; openings of a library in processor time."""
    count = amount(context, instant=1, quick=3, full=5)

    async def once() -> dict[str, dict[str, float]]:
        return await own_process(measure_all, count=count)

    times = amount(context, instant=2, quick=2, full=3)
    async for finding in rounds(context, times, once, READINGS):
        yield finding


if __name__ == "__main__":
    measured("start_up")
