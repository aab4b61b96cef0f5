"""How long `import hammerstone` and `hammerstone --help` take, beside a bare Python.

    .venv/bin/python evals/start_up.py [--json]

Each is the median of interleaved runs, as seconds and as a ratio to `python -c pass`.
"""

import json
import statistics
import subprocess
import sys
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


def main() -> None:
    measured = measure()
    if "--json" in sys.argv:
        print(json.dumps(measured, indent=2))
        return
    for name, row in measured.items():
        print(f"{name:28} {row['seconds']:.3f} s  {row['ratio']:5.1f} x bare python")


if __name__ == "__main__":
    main()
