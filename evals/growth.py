"""What grows with use: `python -m evals.growth`.

Requests of many people in many sessions that reuse a tool, through the whole product with a
scripted model, on SQLite. Printed for each table: rows and bytes (with its indexes) for 10,000
runs, and what share of the rows the clean-up leaves after 8, 181 and 400 days. Beside it the rows
that one run with a new tool leaves.
"""

import tempfile
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select, text

from evals.conversations import Bench, register
from evals.measured import measured
from evals.own_process import own_process
from evals.request_overhead import CODE, SPEC, request
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.health.housekeeping import Housekeeping
from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, lower
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.request import AskOptions
from hammerstone.storage import Database
from hammerstone.storage.schema import metadata
from tests.integration.engine import percent_script

PER = 10_000
AFTER_DAYS = (8, 181, 400)  # past the traces, past decisions and turns, past the evidence
IN_SESSION, PEOPLE = 10, 20
_BYTES = text(
    "SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d "
    "JOIN sqlite_schema s ON s.name = d.name GROUP BY s.tbl_name"
)


class LaterClock(SystemClock):
    """Now, some days ahead."""

    def __init__(self, days: float) -> None:
        self._ahead = timedelta(days=days)

    def now(self) -> datetime:
        return super().now() + self._ahead


async def rows_of(db: Database) -> dict[str, int]:
    async with db.access.reading() as connection:
        return {
            table.name: (
                await connection.execute(select(func.count()).select_from(table))
            ).scalar_one()
            for table in metadata.sorted_tables
        }


async def bytes_of(db: Database) -> dict[str, int]:
    async with db.access.reading() as connection:
        return {row.name: row.bytes for row in await connection.execute(_BYTES)}


async def measure(runs: int) -> dict[str, dict[str, float]]:
    """By table: rows and bytes of 10,000 runs, and the shares that stay."""
    with tempfile.TemporaryDirectory() as folder:
        async with Bench(True, load_settings()).engine(Path(folder)) as hs:
            await register(hs, SPEC, CODE)
            sure: JsonObject = {"high": 0.3, "middle": 0.3}
            await hs.policies.change("fit", sure, who="evaluation", why="one tool, and it fits")
            db = hs._wiring.services.records.db
            await ask(hs, 0)
            await hs.traces.list(limit=1)
            rows, size = await rows_of(db), await bytes_of(db)
            for number in range(1, runs + 1):
                await ask(hs, number)
            await hs.traces.list(limit=1)  # what went before is recorded by now
            grown, larger = await rows_of(db), await bytes_of(db)
            found = {
                name: {
                    "rows": (grown[name] - rows[name]) * PER / runs,
                    "bytes": (larger.get(name, 0) - size.get(name, 0)) * PER / runs,
                }
                for name in grown
                if grown[name] > rows[name]
            }
            for days in AFTER_DAYS:
                left = await tidied(hs, db, LaterClock(days))
                for name, one in found.items():
                    one[f"left_after_{days}_days"] = left[name] / grown[name]
    return found


async def ask(hs: Hammerstone, number: int) -> None:
    session = f"s{number // IN_SESSION}"
    options = AskOptions(user=f"p{number // IN_SESSION % PEOPLE}")
    await hs.ask(request(10_007 + 2 * number), session=session, options=options)


async def tidied(hs: Hammerstone, db: Database, clock: Clock) -> dict[str, int]:
    await Housekeeping(db, hs.policies, clock).tidy()
    return await rows_of(db)


async def measure_new_tool() -> dict[str, float]:
    """The rows that one run with a new tool leaves, its proof included."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings().model_copy(
            update={"data_dir": Path(folder), "embedder": "off", "starter_tools": False}
        )
        model = OneModel(ScriptedModel(percent_script()))
        async with Hammerstone.open(settings, models=model) as hs:
            db = hs._wiring.services.records.db
            before = await rows_of(db)
            await hs.proofs.wait(await hs.ask("What is 17.5% of 240?"))
            await hs.traces.list(limit=1)
            after = await rows_of(db)
    return {name: after[name] - before[name] for name in after if after[name] > before[name]}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every table that grows as a case; shown are the sums and what is left in the end."""
    runs = amount(context, instant=40, quick=100, full=200)
    found: dict[str, dict[str, float]] = await own_process(measure, runs=runs)
    for name, numbers in sorted(found.items(), key=lambda one: -one[1]["bytes"]):
        yield case(name, True, numbers)
    new: dict[str, float] = await own_process(measure_new_tool)
    yield case("one run with a new tool, rows", True, new)
    yield lower(f"rows of {PER:,} runs", sum(one["rows"] for one in found.values()), "count")
    yield lower(f"bytes of {PER:,} runs", sum(one["bytes"] for one in found.values()), "bytes")
    for days in AFTER_DAYS:
        kept = [one["rows"] * one[f"left_after_{days}_days"] for one in found.values()]
        share = sum(kept) / sum(one["rows"] for one in found.values())
        yield lower(f"of these left after {days} days", share, "share")
    yield lower("rows of one run with a new tool", sum(new.values()), "count")


if __name__ == "__main__":
    measured("growth")
