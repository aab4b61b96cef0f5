"""How long `import hammerstone` and `hammerstone --help` take, beside a bare Python.

And how long opening a library takes inside a running process, new and again, with the starter
tools and without: wall time and the processor time of this process, which other programs on the
machine do not change.

    .venv/bin/python evals/start_up.py [--json]

Each is the median of interleaved runs, as seconds and as a ratio to `python -c pass`.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
COMMAND = str(Path(sys.executable).with_name("hammerstone"))
MEASURED = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import hammerstone": [sys.executable, "-c", "import hammerstone"],
    "import and name the engine": [sys.executable, "-c", "from hammerstone import Hammerstone"],
    "hammerstone --help": [COMMAND, "--help"],
    "hammerstone tools --help": [COMMAND, "tools", "--help"],
}


def measure() -> dict[str, dict[str, float]]:
    times: dict[str, list[float]] = {name: [] for name in MEASURED}
    for _ in range(ROUNDS):
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


def measure_opening() -> dict[str, dict[str, float]]:
    seen: dict[str, list[tuple[float, float]]] = {}
    for _ in range(ROUNDS):
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


def main() -> None:
    measured, opening = measure(), measure_opening()
    if "--json" in sys.argv:
        print(json.dumps(measured | opening, indent=2))
        return
    for name, row in measured.items():
        print(f"{name:28} {row['seconds']:.3f} s  {row['ratio']:5.1f} x bare python")
    for name, row in opening.items():
        print(f"{name:36} {row['seconds']:.3f} s  {row['cpu_seconds']:.3f} s of processor")


if __name__ == "__main__":
    main()
