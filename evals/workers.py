"""Several workers on one PostgreSQL: throughput, waiting, fairness, what durability costs.

    python -m evals.workers [--set instant|quick|full] [--json]

Requests are stored by one process and answered by 1, 2 and 4 worker processes with a scripted
model. "Reuse" repeats a request that was answered before; a "long" run is solved
anew, with a model that takes its time to write. In the crowd one person stores many requests and
four others one each, last. Wall times depend on the machine's load, so each number stands beside
that of one worker in the same minutes. Durability: the same run with its job and lease and
without, in turns in one process.
"""

import asyncio
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import event, insert, text

from evals.measured import measured
from evals.own_process import ROOT, own_process
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.jobs import ClaimRule
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.request import AskOptions
from hammerstone.storage import Database
from hammerstone.storage.schema import jobs
from tests.integration.engine import percent_script, services_of
from tests.storage.postgres_server import shared_server

_REQUEST = "What is 17.5% of 240?"
_PAUSE_S = 0.25  # a piece of what the model of a long run writes
_WITHIN_S = 300.0


@asynccontextmanager
async def _postgres(name: str) -> AsyncIterator[str]:
    with shared_server(secrets.token_hex(6)) as server:
        where = f"user=postgres host={server.home} dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield server.url(name)


def _settings(folder: str, url: str = "", **more: Any) -> Settings:
    database = {"database_url": url} if url else {}
    return Settings(data_dir=Path(folder), embedder="off", starter_tools=False, **database, **more)  # type: ignore[arg-type]


@asynccontextmanager
async def _workers(
    count: int, folder: str, url: str, pause_s: float
) -> AsyncIterator[list["asyncio.subprocess.Process"]]:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "HAMMERSTONE_DATABASE_URL": url}
    command = [sys.executable, "-m", "evals.scripted_worker", folder]
    started = [
        await asyncio.create_subprocess_exec(
            *command, f"w{number}", "2", str(pause_s), env=environment, cwd=ROOT
        )
        for number in range(count)
    ]
    try:
        yield started
    finally:
        for process in started:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*(process.wait() for process in started))


async def _ready(hs: Hammerstone, count: int) -> None:
    async with asyncio.timeout(_WITHIN_S):
        while len(await hs.workers.list()) < count:
            await asyncio.sleep(0.1)


async def _asked(hs: Hammerstone, wanted: list[tuple[str, bool]]) -> dict[str, Any]:
    """Store requests of (person, whether it is solved anew) at once; what became of them."""
    began = time.monotonic()
    runs = [
        (user, await hs.ask_later(_REQUEST, session=f"{user}-{secrets.token_hex(4)}",
                                  options=AskOptions(user=user, fresh=anew)))
        for user, anew in wanted
    ]  # fmt: skip
    db = services_of(hs).records.db
    ids = [run.run_id for _, run in runs]
    async with asyncio.timeout(_WITHIN_S):
        while any(status == "running" for status, _ in (await db.runs.statuses(ids)).values()):
            await asyncio.sleep(0.1)
    wall_s = time.monotonic() - began
    rows = [(user, await db.runs.get(run.run_id)) for user, run in runs]
    waits: dict[str, list[float]] = {}
    for user, row in rows:
        assert row.finished_at is not None
        waits.setdefault(user, []).append((row.finished_at - row.started_at).total_seconds())
    every = sorted(wait for some in waits.values() for wait in some)
    return {
        "done": sum(row.status == "done" for _, row in rows),
        "asked": len(rows),
        "per_s": len(rows) / wall_s,
        "p95_s": every[int(len(every) * 0.95)],
        "median_s": statistics.median(every),
        "slowest_of": {user: max(some) for user, some in waits.items()},
    }


async def throughput(runs: int, long_runs: int, counts: list[int]) -> dict[str, Any]:
    """Reuse and long runs with so many workers, and one person who asks far more than others."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with _postgres("throughput") as url:
            models = OneModel(ScriptedModel(percent_script()))
            async with Hammerstone.open(_settings(folder, url), models=models) as hs:
                # No tool is made, so that whoever asks anew pays the model.
                await hs.policies.change("proving", {"enabled": False}, who="eval", why="measured")
                people = [f"p{number}" for number in range(5)]
                for user in people:
                    await hs.ask(_REQUEST, session=f"first-{user}", options=AskOptions(user=user))
                for count in counts:
                    async with _workers(count, folder, url, _PAUSE_S):
                        await _ready(hs, count)
                        await _asked(hs, [(user, True) for user in people])  # sandboxes start
                        again = [(people[n % 5], False) for n in range(runs)]
                        anew = [(people[n % 5], True) for n in range(long_runs)]
                        found[str(count)] = {
                            "reuse": await _asked(hs, again), "long": await _asked(hs, anew),
                        }  # fmt: skip
                        if count == 2:
                            many = [("p0", True)] * long_runs
                            others = [(user, True) for user in people[1:]]
                            found["crowd"] = await _asked(hs, many + others)
    return found


async def claims(waiting: int, people: int) -> dict[str, float]:
    """Milliseconds of one claim with so many jobs waiting, on both databases."""
    found: dict[str, float] = {}

    async def measure(url: str) -> float:
        db = await Database.open_url(url)
        try:
            now = db.access.clock.now()
            row = {"kind": "k", "state": "waiting", "holder": "", "attempts": 0, "reason": "",
                   "progress": None, "result": None, "until": now, "created_at": now,
                   "model": "", "form": 1}  # fmt: skip
            rows = [row | {"key": f"{n}", "person": f"p{n % people}"} for n in range(waiting)]
            async with db.access.writing() as connection:
                await connection.execute(insert(jobs), rows)
            times: list[float] = []
            for number in range(40):
                began = time.perf_counter()
                await db.jobs.claim("k", f"w{number}", lease_s=60, rule=ClaimRule(per_person=4))
                times.append((time.perf_counter() - began) * 1000)
            return statistics.median(times)
        finally:
            await db.close()

    with tempfile.TemporaryDirectory() as folder:
        found["sqlite"] = await measure(f"sqlite:///{folder}/h.db")
    async with _postgres("claims") as url:
        found["postgresql"] = await measure(url)
    return found


async def durability(runs: int) -> dict[str, Any]:
    """Statements that write, and processor time, of a solved run: stored and held, and not."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        models = OneModel(ScriptedModel(percent_script()))
        async with Hammerstone.open(_settings(folder), models=models) as hs:
            await hs.policies.change("proving", {"enabled": False}, who="eval", why="measured")
            engine = services_of(hs).records.db.engine.sync_engine
            writes = 0

            def count(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
                nonlocal writes
                writes += statement.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE")

            event.listen(engine, "before_cursor_execute", count)
            recorder: Any = hs._answerer._recorder
            kept = recorder.start

            async def bare(run: Any) -> None:
                async with services_of(hs).records.db.transaction() as stores:
                    await recorder._start(stores, run)

            options = AskOptions(fresh=True)
            await hs.ask(_REQUEST, options=options)
            for turn in range(2 * runs):  # in turns, so that both meet the same machine
                name = ("held", "bare")[turn % 2]
                recorder.start = kept if name == "held" else bare
                writes, began = 0, time.process_time()
                await hs.ask(_REQUEST, session=f"s{turn}", options=options)
                await hs._answerer.settle()
                spent = (time.process_time() - began) * 1000
                found.setdefault(name, []).append((writes, spent))
    return {
        name: {"writes": statistics.mean(w for w, _ in some),
               "ms": statistics.median(ms for _, ms in some)}
        for name, some in found.items()
    }  # fmt: skip


async def growth(runs: int) -> dict[str, Any]:
    """Kilobytes that stored runs leave on PostgreSQL, and what the clean-up leaves of them."""
    with tempfile.TemporaryDirectory() as folder:
        async with _postgres("growth") as url:
            models = OneModel(ScriptedModel(percent_script()))
            async with Hammerstone.open(_settings(folder, url), models=models) as hs:
                db = services_of(hs).records.db
                await hs.ask(_REQUEST)
                before = await _sizes(db)
                for number in range(runs):
                    await hs.ask(_REQUEST, session=f"s{number}")
                await hs._answerer.settle()
                after = await _sizes(db)
            later = _LaterClock(days=400)
            async with Hammerstone.open(_settings(folder, url), models=models, clock=later) as hs:
                db = services_of(hs).records.db
                tidied = hs._wiring.driver._housekeeping
                await tidied.tidy()
                cleaned = await _sizes(db)
    grown = {name: after[name][0] - before[name][0] for name in after}
    left = {name: cleaned[name][0] - before[name][0] for name in after}
    share = 10_000 / runs
    return {
        "kb": sum(after[n][1] - before[n][1] for n in after) / 1000 * share,
        "rows": {n: round(many * share) for n, many in sorted(grown.items()) if many > 0},
        "left": {n: round(many * share) for n, many in sorted(left.items()) if many > 0},
    }


class _LaterClock:
    """The system's clock, some days ahead."""

    def __init__(self, days: float) -> None:
        from datetime import timedelta

        from hammerstone.core.clock import SystemClock

        self._inner, self._ahead = SystemClock(), timedelta(days=days)

    def now(self) -> Any:
        return self._inner.now() + self._ahead

    def elapsed_s(self) -> float:
        return self._inner.elapsed_s()


async def _sizes(db: Database) -> dict[str, tuple[int, int]]:
    names = text(
        "SELECT relname, pg_total_relation_size(c.oid) FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = relnamespace WHERE nspname = 'hammerstone' AND relkind = 'r'"
    )
    async with db.access.reading() as connection:
        tables = (await connection.execute(names)).all()
        found: dict[str, tuple[int, int]] = {}
        for name, size in tables:
            rows = await connection.execute(text(f'SELECT count(*) FROM hammerstone."{name}"'))
            found[name] = (int(rows.scalar_one()), int(size))
    return found


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """What several workers gain, what a crowd costs others, and what is kept of it."""
    counts, runs, long_runs = amount(
        context, instant=([1, 2], 20, 6), quick=([1, 2, 4], 40, 12), full=([1, 2, 4], 200, 40)
    )
    report = await own_process(throughput, runs=runs, long_runs=long_runs, counts=counts)
    crowd = report.pop("crowd")
    for count, some in report.items():
        for kind, one in some.items():
            lost = one["asked"] - one["done"]
            yield case(f"{kind}, workers: {count}", not lost, one, wanted="every request answered")
            first = report["1"][kind]
            title = f"{kind}, workers: {count}"
            yield higher(f"{title}, a second", one["per_s"], "count",
                         baseline=first["per_s"], baseline_name="one worker")  # fmt: skip
            yield lower(f"{title}, p95", one["p95_s"], "s",
                        baseline=first["p95_s"], baseline_name="one worker")  # fmt: skip
    others = max(wait for user, wait in crowd["slowest_of"].items() if user != "p0")
    yield case("one person asks far more", others < crowd["slowest_of"]["p0"], crowd,
               wanted="the others do not wait for all of it")  # fmt: skip
    yield lower(
        "slowest of those who ask once", others, "s",
        baseline=crowd["slowest_of"]["p0"], baseline_name="of the one who asks often",
    )  # fmt: skip
    for people in (1, 500, 10_000):
        took = await own_process(claims, waiting=10_000, people=people)
        for name, ms in took.items():
            yield lower(f"a claim, 10,000 waiting jobs of {people} people, {name}", ms, "ms")
    cost = await own_process(durability, runs=amount(context, instant=4, quick=8, full=30))
    for what, unit in (("writes", "count"), ("ms", "ms")):
        yield lower(f"a solved run, {what}", cost["held"][what], unit,
                    baseline=cost["bare"][what], baseline_name="not stored and held")  # fmt: skip
    size = await own_process(growth, runs=amount(context, instant=30, quick=100, full=1000))
    yield case("what 10,000 repeated requests leave", bool(size["rows"]), size,
               wanted="rows by table, and what the clean-up leaves of them")  # fmt: skip
    yield lower("growth in 10,000 repeated requests", size["kb"] / 1000, "MB")
    yield lower("rows in 10,000 repeated requests", sum(size["rows"].values()), "count")
    yield lower("of which the clean-up leaves", sum(size["left"].values()), "count",
                baseline=sum(size["rows"].values()), baseline_name="before it")  # fmt: skip


if __name__ == "__main__":
    measured("workers")
