"""How long a hit of the execution cache takes, in process and from the database.

    python -m evals.cache_hits [--set instant|quick|full] [--json]

Prints p50 and p95 in milliseconds of a hit at hand, a hit in the database, and a miss without
the work itself; and how many executions N identical calls at once come to.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.calls import Outcome
from hammerstone.core.clock import SystemClock
from hammerstone.core.documents import version_id
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Spec, Version
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
)
from hammerstone.library.caches import CallCache
from hammerstone.library.policies import Policies
from hammerstone.storage import Database

AT_ONCE = 50


def a_version() -> Version:
    spec = Spec("measured", "Measured.", {"type": "object", "properties": {}}, {"type": "number"})
    now = SystemClock().now()
    return Version(
        version_id("code", spec, ()), "measured", 1, "code", spec, (), (), {}, created_at=now
    )


async def timed(rounds: int, call: Callable[[int], Awaitable[object]]) -> dict[str, float]:
    took: list[float] = []
    for number in range(rounds):
        began = time.perf_counter()
        await call(number)
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return {"p50_ms": round(took[rounds // 2], 4), "p95_ms": round(took[int(rounds * 0.95)], 4)}


async def measure(times: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        db = await Database.open(settings)
        policies = Policies(db)
        await policies.load()
        version = a_version()
        executions = 0

        async def work() -> Outcome:
            nonlocal executions
            executions += 1
            return Outcome(value={"$tuple": [1, "x" * 200]})

        async def slow() -> Outcome:
            await asyncio.sleep(0.05)
            return await work()

        def fresh() -> CallCache:
            return CallCache(db, policies, SystemClock())

        warm = fresh()
        miss = await timed(times // 10, lambda n: warm.through(version, {"n": n}, work))
        await warm.settle()
        here = await timed(times, lambda n: warm.through(version, {"n": n % 100}, work))
        there = await timed(
            times // 4, lambda n: fresh().through(version, {"n": n % (times // 10)}, work)
        )
        executions = 0
        calls = (warm.through(version, {"n": -1}, slow) for _ in range(AT_ONCE))
        await asyncio.gather(*calls)
        report = {
            "hit_in_process": here,
            "hit_in_database": there,
            "miss_without_the_work": miss,
            "identical_calls_at_once": AT_ONCE,
            "executions": executions,
        }
        await warm.settle()
        await db.close()
        return report


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Hits at hand and from the database beside a miss, and that work is done once."""
    times = amount(context, instant=400, quick=2000, full=2000)
    report = await own_process(measure, times=times)
    once = report["executions"] == 1
    yield case(
        f"{AT_ONCE} identical calls at once", once,
        given=f"{report['executions']} executions", wanted="one execution",
    )  # fmt: skip
    for key, name, target in (
        ("hit_in_process", "hit at hand", 1.0),
        ("hit_in_database", "hit in the database", None),
        ("miss_without_the_work", "miss without the work", None),
    ):
        yield lower(f"{name}, median", report[key]["p50_ms"], target=target)
        yield lower(f"{name}, p95", report[key]["p95_ms"])


if __name__ == "__main__":
    measured("cache_hits")
