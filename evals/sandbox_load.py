"""Ten thousand calls, good and bad, through one sandbox: does anything grow?

    python -m evals.sandbox_load [calls]

Prints, every tenth of the way, calls per second and what this process holds: descriptors,
descendants, cgroups, resident memory. The last line is JSON; the exit code is 1 if anything grew.
"""

import asyncio
import contextlib
import gc
import json
import os
import sys
import time
from pathlib import Path

from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.settings import load_settings
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


async def main(total: int) -> int:
    sandbox = await open_sandbox(load_settings())
    done = 0

    async def client() -> None:
        nonlocal done
        while done < total:
            done += 1
            number = done
            if number % 20 == 0:
                await sandbox.call(
                    BAD[number // 20 % len(BAD)], Call(args=(1,)), limits=Limits(wall_s=2)
                )
                continue
            outcome = await sandbox.call(ADD, Call(args=(number,)))
            assert outcome.value == number + 1, outcome

    stages, began = [], time.perf_counter()
    step, goal = max(1, total // 10), total
    for upto in range(step, goal + 1, step):
        total = upto
        stage_began, before = time.perf_counter(), done
        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        await asyncio.sleep(0.5)
        speed = (done - before) / (time.perf_counter() - stage_began - 0.5)
        stages.append({"calls": done, "calls_per_s": round(speed, 1), **holdings()})
        print(stages[-1], flush=True)
    await sandbox.close()
    first, last = stages[0], stages[-1]
    # Servers come and go; a tenth more memory, or a handful of processes of a new one, is noise.
    grew = [
        name
        for name, slack in (("descriptors", 8), ("processes", 8), ("cgroups", 10))
        if last[name] > first[name] + slack
    ]
    if last["resident_kb"] > first["resident_kb"] * 1.1:
        grew.append("resident_kb")
    print(
        json.dumps({"seconds": round(time.perf_counter() - began, 1), "grew": grew, "last": last})
    )
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
