"""What it costs that runs outlive their process, beside the same runs without that.

    python -m evals.durable_cost [--set instant|quick|full] [--json]

Counted are transactions and statements that write, and processor time of the whole process, for a
request that a tool answers (nothing is stored before its answer) and for one that a scripted model
solves. Without: the run is recorded at its end alone, and replies are not journaled.
"""

import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, lower
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.request import AskOptions
from hammerstone.storage.access import PooledAccess
from tests.integration.engine import add_tool, percent_script

_CODE = "def double(n: float) -> float:\n    return 2 * n\n"
_NUMBER: Any = {"n": {"type": "number"}}


async def measure(times: int, durable: bool) -> dict[str, Any]:
    """The medians of so many reuses and solved runs."""
    writes = 0
    inner = PooledAccess.writing

    @asynccontextmanager
    async def counted(access: PooledAccess) -> AsyncIterator[Any]:
        nonlocal writes
        writes += 1
        async with inner(access) as connection:
            yield connection

    PooledAccess.writing = counted  # type: ignore[method-assign, assignment]
    if not durable:

        async def not_before_the_end(recorder: RunRecorder, run: Any) -> None:
            async with recorder._records.db.transaction() as stores:
                await recorder._start(stores, run)

        RunRecorder.start = not_before_the_end  # type: ignore[method-assign, assignment]
    found: dict[str, list[tuple[int, float]]] = {"reuse": [], "solved": []}
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), embedder="off", starter_tools=False)
        models = OneModel(ScriptedModel(percent_script()))
        async with Hammerstone.open(settings, models=models) as hs:
            await add_tool(hs, _CODE, "Double a number.", _NUMBER, {"type": "number"})

            async def reuse(number: int) -> None:
                await hs.run_tool("double", {"n": float(number)}, session="s")

            async def solve(number: int) -> None:
                options = AskOptions(keep=False, fresh=True, memory=False)
                await hs.ask("What is 17.5% of 240?", session="s", options=options)

            for name, work in (("reuse", reuse), ("solved", solve)):
                for number in range(times + 2):
                    await hs._answerer.settle()
                    writes, began_s = 0, time.process_time()
                    await work(number)
                    await hs._answerer.settle()
                    if number >= 2:  # the first ones open the sandbox and fill caches
                        found[name].append((writes, time.process_time() - began_s))
    return {
        name: {
            "writes": median(writes for writes, _ in taken),
            "cpu_ms": 1000 * median(spent for _, spent in taken),
        }
        for name, taken in found.items()
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """With and without, each in a process of its own."""
    times = amount(context, instant=5, quick=20, full=60)
    with_it = await own_process(measure, times=times, durable=True)
    without = await own_process(measure, times=times, durable=False)
    for name, title in (("reuse", "a request that a tool answers"), ("solved", "a solved one")):
        one, other = with_it[name], without[name]
        yield case(title, True, {"writes": one["writes"], "cpu_ms": one["cpu_ms"]})
        for key, unit in (("writes", "count"), ("cpu_ms", "ms")):
            yield lower(
                f"{key.replace('cpu_ms', 'processor time')}, {title}",
                one[key],
                unit,
                baseline=other[key],
                baseline_name="without durability",
            )


if __name__ == "__main__":
    measured("durable_cost")
