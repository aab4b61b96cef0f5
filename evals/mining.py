"""How long mining takes, what it needs, and how both grow.

    python -m evals.mining [--set instant|quick|full] [--json]

Runs are written straight into a database: people who repeat some eighty workflows with noise in
between, and one poisoned session that repeats a bad one over and over. Then everything is mined
at a quarter, a half and the whole, and one more day on top.
"""

import random
import resource
import tempfile
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.clock import SystemClock
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)
from hammerstone.learn.mining.miner import Miner
from hammerstone.learn.mining.patterns import PatternBook
from hammerstone.learn.policies import MiningPolicy
from hammerstone.storage import Database
from hammerstone.storage.schema import executions, runs

TOOLS = [f"tool_{n:03}" for n in range(300)]
BEGIN = datetime.now(UTC) - timedelta(days=400)
CHUNK = 5000
STEPS = ("a quarter", "the second quarter", "the other half", "one more day")


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


async def evaluate(total: int, folder: str) -> dict[str, Any]:
    """What mining takes at a quarter, a half and the whole, and for one more day."""
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
                "patterns": len(await db.patterns.list(min_length=1, limit=1_000_000)),
            }
            rows.append(row)
        book = PatternBook(db, policy)
        ripe = {row.steps for row in await book.ripe()}
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
        "database_mb": Path(folder, "mining.db").stat().st_size / 1e6,
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Mining in four steps, each as a case, and how the time grows."""
    total = amount(context, instant=20_000, quick=50_000, full=1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        found = await own_process(evaluate, total=total, folder=folder)
    for number, step in enumerate(found["steps"]):
        yield case(f"{STEPS[number]} mined", True, step, seconds=step["seconds"])
    yield case("a poisoned session is not ripe", not found["poisoned_is_ripe"], wanted="not ripe")
    first, *_, whole, day = found["steps"]
    rate = whole["new_executions"] / whole["seconds"]
    yield higher("executions mined a second", rate, "count")
    early = first["new_executions"] / first["seconds"]
    yield higher("the last half beside the first quarter, rate", rate / early, "ratio")
    yield lower("one more day", day["seconds"], "s")
    yield lower("peak memory", found["peak_memory_mb"], "MB")


if __name__ == "__main__":
    measured("mining")
