"""What commands cost the processor with this source and with another checkout's, in turns.

    python -m evals.start_compared CHECKOUT [--times N]

The median of the processor time of each command, with bytecode and a data folder, and
its share of what the other checkout takes. Other programs on the machine change both alike.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
MEASURED = {
    "hammerstone --version": ("-m", "hammerstone", "--version"),
    "hammerstone --help": ("-m", "hammerstone", "--help"),
    "hammerstone tools --help": ("-m", "hammerstone", "tools", "--help"),
    "hammerstone sessions list": ("-m", "hammerstone", "sessions", "list"),
    "import hammerstone": ("-c", "import hammerstone"),
    "import the engine": ("-c", "import hammerstone.app.hammerstone"),
    "name the engine": ("-c", "from hammerstone import Hammerstone"),
    "import the server": ("-c", "import hammerstone.serve.api.server"),
}


def processor_s(root: Path, words: tuple[str, ...], data: str) -> float:
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "HAMMERSTONE_DATA_DIR": data}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words], env=environment, cwd=root / "src", capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compared(before: Path, times: int) -> dict[str, dict[str, float]]:
    """Of each command the medians of both, and how many times as much this one takes."""
    took: dict[tuple[str, Path], list[float]] = defaultdict(list)
    with TemporaryDirectory() as old, TemporaryDirectory() as new:
        for turn in range(times + 1):
            for name, words in MEASURED.items():
                for root, data in ((before, old), (ROOT, new)):
                    seconds = processor_s(root, words, data)
                    if turn:  # the first run writes the bytecode and makes the data folder
                        took[name, root].append(seconds)
    found: dict[str, dict[str, float]] = {}
    for name in MEASURED:
        was, now = (statistics.median(took[name, root]) for root in (before, ROOT))
        found[name] = {
            "before_ms": round(was * 1e3, 1),
            "now_ms": round(now * 1e3, 1),
            "ratio": round(now / was, 2),
        }
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--times", type=int, default=11)
    chosen = parser.parse_args()
    print(json.dumps(compared(chosen.checkout.resolve(), chosen.times), indent=1))
