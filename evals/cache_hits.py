"""How long a hit of the execution cache takes, in process and from the database.

    python -m evals.cache_hits [--rounds 2000]

Prints p50 and p95 in milliseconds of a hit at hand, a hit in the database, and a miss without
the work itself; and how many executions N identical calls at once come to.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from hammerstone.core.calls import Outcome
from hammerstone.core.clock import SystemClock
from hammerstone.core.documents import version_id
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Spec, Version
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


async def main(rounds: int) -> None:
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
        miss = await timed(rounds // 10, lambda n: warm.through(version, {"n": n}, work))
        await warm.settle()
        here = await timed(rounds, lambda n: warm.through(version, {"n": n % 100}, work))
        there = await timed(
            rounds // 4, lambda n: fresh().through(version, {"n": n % (rounds // 10)}, work)
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
            "under_1_ms": here["p50_ms"] < 1.0,
        }
        print(json.dumps(report, indent=2))
        await warm.settle()
        await db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    asyncio.run(main(parser.parse_args().rounds))
