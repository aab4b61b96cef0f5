"""Ticks of schedules and turns of jobs, looked for by two processes at the same moment."""

import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hammerstone.core.json_types import JsonObject
from hammerstone.core.triggers import Trigger, TriggerKind
from hammerstone.storage import Database

LOOKER = """
import asyncio, sys, time
from pathlib import Path
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.job_runs import JobReport
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel

class Counted:
    name, about, every_s = "counted", "counts its turns", 0.0
    turns = 0

    async def news(self):
        return "there is always something"

    async def run(self, *, dry_run):
        Counted.turns += 1
        await asyncio.sleep(0.3)
        return JobReport()

async def main():
    settings = Settings(data_dir=Path(sys.argv[1]), database_url=sys.argv[2], embedder="off")
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel([]))) as hs:
        hs.learns(on=False)
        runner = hs.learning.jobs
        runner.jobs.clear()
        runner.add(Counted())
        await runner.look()  # the first day is for gathering
        print("ready", flush=True)
        sys.stdin.readline()
        started = sum([await hs.triggers.driver.look() for _ in range(5)])
        await runner.look()
        print(started, Counted.turns, flush=True)

asyncio.run(main())
"""


async def looker(folder: Path, url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        LOOKER,
        str(folder),
        url,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": "src:."},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


async def test_each_tick_and_each_turn_happens_once(database_url: str, tmp_path: Path):
    db = await Database.open_url(database_url)
    due = datetime.now(UTC) - timedelta(minutes=1)
    config: JsonObject = {"cron": "0 3 * * *", "zone": "UTC"}
    await db.triggers.add(
        Trigger(
            "daily", TriggerKind.SCHEDULE, "local", "What is 2 + 2?", config, due, "local",
            next_at=due,
        )
    )  # fmt: skip
    processes = [await looker(tmp_path / f"data{n}", database_url) for n in range(2)]
    try:
        for process in processes:
            assert process.stdout is not None
            line = await asyncio.wait_for(process.stdout.readline(), 120)
            assert line == b"ready\n"
        outs = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                await process.wait()
    counts = [[int(word) for word in out.split()] for out, _ in outs]

    assert sum(one[0] for one in counts) == 1  # the tick
    deliveries = await db.deliveries.list(None, 10)
    assert len([one for one in deliveries if one.key.startswith("tick:")]) == 1
    *turns, _first = await db.job_runs.list("counted", 10)
    assert len(turns) == sum(one[1] for one in counts) >= 1
    assert len({run.tick for run in turns}) == len(turns)  # no tick twice
    await db.close()
