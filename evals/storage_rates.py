"""How fast events and tools are written and read, on both databases.

    python -m evals.storage_rates [--set instant|quick|full] [--json]

Measured: 100,000 events and 10,000 tools by one writer, the same events by four processes at
once (and how many errors that made), the calls on every request's path, and the size on disk
of 1,000 typical requests. PostgreSQL runs with its default durability, SQLite as the product
configures it.
"""

import asyncio
import multiprocessing
import secrets
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import text

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.answers import Event, EventKind
from hammerstone.core.calls import Call
from hammerstone.core.documents import version_id
from hammerstone.core.evaluations import Better
from hammerstone.core.tools import Assessment, Case, CaseKind, Spec, Status, Version
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)
from hammerstone.storage import Database, Execution, SpanRow, TraceRow

READINGS = (
    Reading("bytes_per_1000_requests", "bytes that 1,000 requests leave", "B"),
    Reading("events_written_per_s", "events written a second", "count", better=Better.HIGHER),
    Reading("events_read_per_s", "events read a second", "count", better=Better.HIGHER),
    Reading("tools_written_per_s", "tools written a second", "count", better=Better.HIGHER),
    Reading("tools_read_per_s", "tools read a second", "count", better=Better.HIGHER),
    Reading("request path cache.get p50_ms", "reading the cache"),
    Reading("request path events.append p50_ms", "writing an event"),
    Reading("four writers events_written_per_s", "events a second by four processes", "count",
            better=Better.HIGHER),
    Reading("four writers errors", "errors of four processes", "count", 0),
)  # fmt: skip
BATCH = 10  # events of one request
WRITERS = 4
NOW = datetime(2026, 1, 1, tzinfo=UTC)
CODE = "def tool(values: list[float], rate: float) -> float:\n" + "    # a line of code\n" * 40


def events(run: str, count: int = BATCH) -> list[Event]:
    data = {"tool": "percent_of", "arguments": {"rate": 17.5, "base": 240}, "seconds": 0.012}
    return [
        Event(EventKind.EXECUTING, run, f"s-{run[:4]}", n, NOW, "Running percent_of", data)
        for n in range(count)
    ]


def version(name: str) -> Version:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {p: {"type": "number", "description": "A number"} for p in ("rate", "base")},
    }
    spec = Spec(name, f"Computes {name} of two numbers", schema, {"type": "number"})
    suite = tuple(
        Case(CaseKind.VALUE, Call(kwargs={"rate": n, "base": 240}), expected=n * 2.4)
        for n in range(8)
    )
    return Version(version_id(CODE, spec, suite), name, 0, CODE, spec, suite, (), {}, NOW)


async def rate(count: int, work: Callable[[int], Awaitable[object]]) -> float:
    """How many calls a second, one after another."""
    start = time.perf_counter()
    for number in range(count):
        await work(number)
    return count / (time.perf_counter() - start)


async def latency_ms(
    work: Callable[[int], Awaitable[object]], count: int = 400
) -> dict[str, float]:
    times: list[float] = []
    for number in range(count):
        start = time.perf_counter()
        await work(number)
        times.append((time.perf_counter() - start) * 1000)
    cuts = statistics.quantiles(times, n=100)
    return {"p50_ms": round(cuts[49], 3), "p95_ms": round(cuts[94], 3)}


async def one_writer(db: Database, event_count: int, tool_count: int) -> dict[str, Any]:
    runs = event_count // BATCH
    found: dict[str, Any] = {}
    found["events_written_per_s"] = BATCH * await rate(
        runs, lambda n: db.events.append(events(f"run{n}"))
    )
    found["events_read_per_s"] = BATCH * await rate(runs, lambda n: db.events.of_run(f"run{n}"))

    async def add(number: int) -> None:
        new = version(f"tool_{number}")
        stored = await db.tools.add_version(new, Assessment(new.id, Status.VERIFIED, 0.95))
        await db.tools.move_active(new.tool, stored.id, {"why": "registered"}, NOW)

    found["tools_written_per_s"] = await rate(tool_count, add)
    found["tools_read_per_s"] = await rate(tool_count, lambda n: db.tools.active(f"tool_{n}"))
    start = time.perf_counter()
    listed = await db.tools.list()
    found["tools_listed_per_s"] = len(listed) / (time.perf_counter() - start)
    return found


async def request_path(db: Database) -> dict[str, Any]:
    await db.cache.put("key", "v", {"value": 42}, NOW, 3600)
    return {
        "cache.get": await latency_ms(lambda _: db.cache.get("key", NOW)),
        "tools.active": await latency_ms(lambda n: db.tools.active(f"tool_{n}")),
        "events.append": await latency_ms(lambda n: db.events.append(events(f"single{n}", 1))),
        "executions.add": await latency_ms(lambda n: db.executions.add(execution(f"path{n}"))),
    }


def execution(id: str) -> Execution:
    arguments = {"rate": 17.5, "base": 240}
    return Execution(id, id, "s", 0, "tool_1", "v" * 64, arguments, 42.0, True, NOW)


async def requests(db: Database, count: int) -> None:
    """What a typical request leaves behind."""
    for number in range(count):
        run = f"request{number}"
        session = await db.sessions.create("ada", f"session{number // 10}")
        async with db.transaction() as stores:
            await stores.messages.append(session.id, "user", "What is 17.5% of 240?", None)
            await stores.runs.start(run, session.id, "ada", "What is 17.5% of 240?", run, NOW)
            await stores.events.append(events(run))
            await stores.executions.add(execution(run))
            await stores.memo.put(f"{number:064x}", "v" * 64, {"text": "42"}, NOW, 3600)
            await stores.runs.finish(run, "done", {"text": "17.5% of 240 is 42"}, NOW)
            await stores.messages.append(session.id, "assistant", "17.5% of 240 is 42", None)
            spans = [
                SpanRow(
                    f"{n:016x}", run, None, "chat model", "model", NOW, 0.1, {"text": "x" * 300}
                )
                for n in range(8)
            ]
            await stores.traces.save(TraceRow(run, "ada", "success", NOW), spans)


async def size(db: Database) -> int:
    if db.location.file:
        async with db.access.writing() as connection:
            await connection.execute(text("SELECT 1"))
        async with db.access.reading() as connection:
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return db.location.file.stat().st_size
    async with db.access.reading() as connection:
        query = text("SELECT pg_database_size(current_database())")
        return (await connection.execute(query)).scalar_one()


def write_alone(url: str, writer: int, count: int, together: Any, results: Any) -> None:
    """One of several processes that write the same kind of events at the same time."""

    async def run() -> tuple[float, float, int]:
        errors = 0
        db = await Database.open_url(url)
        await asyncio.to_thread(together.wait)
        start = time.monotonic()
        for number in range(count // BATCH):
            try:
                await db.events.append(events(f"w{writer}-{number}"))
            except Exception:  # counted, whatever it is
                errors += 1
        end = time.monotonic()
        await db.close()
        return start, end, errors

    results.put(asyncio.run(run()))


def many_writers(url: str, event_count: int) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    results, together = context.Queue(), context.Barrier(WRITERS)
    each = event_count // WRITERS
    processes = [
        context.Process(target=write_alone, args=(url, n, each, together, results))
        for n in range(WRITERS)
    ]
    for process in processes:
        process.start()
    done = [results.get() for _ in processes]
    for process in processes:
        process.join()
    seconds = max(end for _, end, _ in done) - min(start for start, _, _ in done)
    return {
        "events_written_per_s": each * WRITERS / seconds,
        "errors": sum(errors for _, _, errors in done),
    }


async def measure(url: str, scale: float) -> dict[str, Any]:
    db = await Database.open_url(url)
    found = await one_writer(db, int(100_000 * scale), int(10_000 * scale))
    found["request path"] = await request_path(db)
    before = await size(db)
    await requests(db, 1000)
    found["bytes_per_1000_requests"] = await size(db) - before
    await db.close()
    return found


@contextmanager
def databases(only: str | None) -> Iterator[dict[str, str]]:
    urls: dict[str, str] = {}
    folder = Path(tempfile.mkdtemp(prefix="storage-rates-"))
    try:
        if only != "postgresql":
            urls["sqlite"] = f"sqlite:///{folder}/hammerstone.db"
        if only == "sqlite":
            yield urls
            return
        from tests.storage.postgres_server import shared_server

        with shared_server(f"rates{secrets.token_hex(3)}", options="") as server:
            urls["postgresql"] = server.url()
            yield urls
    finally:
        shutil.rmtree(folder)


def measure_all(scale: float, database: str) -> dict[str, Any]:
    """Everything on one database."""
    with databases(database) as urls:
        found = asyncio.run(measure(urls[database], scale))
        found["four writers"] = many_writers(urls[database], int(100_000 * scale))
    return found


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """SQLite as the product configures it."""
    async for finding in _found(context, "sqlite"):
        yield finding


async def postgres_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """PostgreSQL with its default durability."""
    async for finding in _found(context, "postgresql"):
        yield finding


async def _found(context: MeasurementContext, database: str) -> AsyncGenerator[Finding, None]:
    scale = amount(context, instant=0.005, quick=0.02, full=1.0)

    async def once() -> dict[str, Any]:
        return await own_process(measure_all, scale=scale, database=database)

    async for finding in rounds(context, 1, once, READINGS):
        yield finding


if __name__ == "__main__":
    measured("storage_rates")
