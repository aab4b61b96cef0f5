"""How long a repeated request takes through the Python API in a warm process.

    .venv/bin/python evals/repeated_request.py [--json]

The tool is built once by a scripted model and the real sandbox; then the same request is asked
300 times. Beside it, in the same run: the same tool with other arguments each time (one warm
sandbox call), and a bare `python -c pass`. The target is a p50 under 5 ms without a model call.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.integration.engine import percent_script, scripted_engine

TIMES = 300
REQUEST = "What is 17.5% of 240?"


async def measure() -> dict[str, float]:
    script = percent_script()
    repeated: list[float] = []
    called: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with scripted_engine(script, Path(folder)) as hs:
            await hs.ask(REQUEST)
            asked = len(script.asked)
            for number in range(TIMES):
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


def main() -> None:
    measured = asyncio.run(measure())
    if "--json" in sys.argv:
        print(json.dumps(measured, indent=2))
        return
    for name, value in measured.items():
        print(f"{name:24} {value:.2f}")


if __name__ == "__main__":
    main()
