"""How long mining takes, what it needs, and how both grow.

    python evals/mining.py [--executions 1000000] [--json]

Runs are written straight into a database: people who repeat some eighty workflows with noise in
between, and one poisoned session that repeats a bad one over and over. Then everything is mined
at a quarter, a half and the whole, and one more day on top.
"""

import argparse
import asyncio
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from hammerstone.core.clock import SystemClock
from hammerstone.learn.mining.miner import Miner
from hammerstone.learn.mining.mining_policy import MiningPolicy
from hammerstone.learn.mining.patterns import PatternBook
from hammerstone.storage import Database
from hammerstone.storage.schema import executions, runs

TOOLS = [f"tool_{n:03}" for n in range(300)]
BEGIN = datetime.now(UTC) - timedelta(days=400)
CHUNK = 5000


class Crowd:
    """Makes runs: mostly known workflows, some noise, and one session that is poisoned."""

    def __init__(self, seed: int = 3) -> None:
        self._rng = random.Random(seed)
        self._flows = [self._rng.sample(TOOLS, self._rng.randint(2, 5)) for _ in range(80)]
        self._run = 0
        self.poison = ["tool_000", "tool_001", "tool_002"]

    def rows(self, count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Runs with about `count` executions."""
        run_rows: list[dict[str, Any]] = []
        calls: list[dict[str, Any]] = []
        while len(calls) < count:
            self._run += 1
            at = BEGIN + timedelta(seconds=self._run * 20)
            poisoned = self._run % 100 == 0
            session = "poisoned" if poisoned else f"s{self._run // 4}"
            tools = self.poison if poisoned else self._tools()
            run = f"r{self._run:09}"
            run_rows.append(
                {
                    "id": run, "session_id": session, "user": f"u{self._run % 50}",
                    "request": "again", "trace_id": run, "status": "done", "answer": None,
                    "started_at": at, "finished_at": at,
                }
            )  # fmt: skip
            for number, tool in enumerate(tools):
                linked = {"x": {"step": number - 1, "path": ["v"]}} if number else {"x": "request"}
                calls.append(
                    {
                        "id": f"{run}-{number}", "run_id": run, "session_id": session,
                        "number": number, "tool": tool, "version_id": tool,
                        "arguments": {"x": number}, "result": {"v": number},
                        "ok": self._rng.random() < 0.97, "failure": None, "error": "",
                        "seconds": 0.01, "cached": False, "sources": linked, "at": at,
                    }
                )  # fmt: skip
        return run_rows, calls

    def _tools(self) -> list[str]:
        if self._rng.random() < 0.7:
            return self._rng.choice(self._flows)
        return self._rng.choices(TOOLS, k=self._rng.randint(1, 4))


async def fill(db: Database, crowd: Crowd, count: int) -> None:
    while count > 0:
        run_rows, calls = crowd.rows(min(CHUNK, count))
        count -= len(calls)
        async with db.access.writing() as connection:
            await connection.execute(insert(runs), run_rows)
            await connection.execute(insert(executions), calls)


async def evaluate(total: int, folder: Path, show: Callable[[Any], None]) -> dict[str, Any]:
    db = await Database.open_url(f"sqlite:///{folder}/mining.db")
    policy, clock = MiningPolicy(), SystemClock()
    crowd, rows = Crowd(), []
    try:
        for part in (total // 4, total // 4, total // 2, total // 365):
            await fill(db, crowd, part)
            began, cpu = time.perf_counter(), time.process_time()
            report = await Miner(db, policy, clock).run()
            row = {
                "new_executions": report.executions,
                "runs": report.runs,
                "seconds": time.perf_counter() - began,
                "cpu_seconds": time.process_time() - cpu,
                "patterns": await db.patterns.count(),
            }
            rows.append(row)
            show(row)
        book = PatternBook(db, policy)
        ripe = {pattern.steps for pattern, _ in await book.ripe()}
        listed = time.perf_counter()
        await book.patterns(min_frequency=3)
        listed = time.perf_counter() - listed
    finally:
        await db.close()
    return {
        "executions": sum(row["new_executions"] for row in rows),
        "steps": rows,
        "listing_s": listed,
        "ripe_patterns": len(ripe),
        "poisoned_is_ripe": tuple(crowd.poison) in ripe,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "database_mb": (folder / "mining.db").stat().st_size / 1e6,
    }


def _show(row: dict[str, Any]) -> None:
    rate = row["new_executions"] / row["seconds"]
    print(
        f"{row['new_executions']:9,} new executions in {row['runs']:8,} runs: "
        f"{row['seconds']:6.1f} s ({rate:,.0f} a second, {row['cpu_seconds']:.1f} s of "
        f"processor), {row['patterns']:,} patterns",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        show = (lambda _row: None) if arguments.json else _show
        numbers = asyncio.run(evaluate(arguments.executions, Path(folder), show))
    if arguments.json:
        print(json.dumps(numbers, indent=2))
        return
    print(
        f"{numbers['executions']:,} executions; peak memory {numbers['peak_memory_mb']:.0f} MB; "
        f"{numbers['ripe_patterns']} patterns ripe, the poisoned one "
        f"{'RIPE' if numbers['poisoned_is_ripe'] else 'is not'}; "
        f"listing {numbers['listing_s']:.2f} s"
    )


if __name__ == "__main__":
    main()
