"""Two ways to make work durable: a library for it (DBOS), and jobs in the product's own database.

    python -m evals.durable_ways [--json]

Each act runs in processes of its own: two engines in one process; a run of two branches that is
killed between their steps and goes on; a worker that is killed while another one lives; what a run
with one paid step costs in processor time. `dbos_acts.py` holds the acts with DBOS. What ours does
when it is killed is measured by `evals.crash`. docs/design/durability.md draws the conclusion.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import ROOT, own_process
from hammerstone.core.jobs import Asker
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import case, lower
from hammerstone.storage import Database

RUNS = 200
LEASE_S = 30.0
RIGHT = [["a0", "a1"], ["b0", "b1"]]


async def act(name: str, folder: Path) -> dict[str, Any]:
    """What an act of DBOS prints; empty when it was killed."""
    process = await begun(name, folder)
    said, _ = await process.communicate()
    return json.loads(said) if said.strip() else {}


async def begun(name: str, folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-W", "ignore", "-m", "evals.dbos_acts", name, str(folder), cwd=ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )  # fmt: skip


async def taken_over(folder: Path) -> bool:
    """Whether a worker that lives ends the run of one that was killed, within 15 seconds."""
    owner = await begun("owner", folder)
    beside = asyncio.create_task(act("beside", folder))
    while not (folder / "begun").exists() and owner.returncode is None:
        await asyncio.sleep(0.05)
    with suppress(ProcessLookupError):
        owner.kill()
    await owner.communicate()
    return bool((await beside)["done"])


async def own_cost(folder: str) -> dict[str, float]:
    """The same run as a stored job: put, claimed, its reply left as progress, told and finished."""
    began = time.process_time()
    db = await Database.open_url(f"sqlite:///{folder}/hammerstone.db")
    opened = time.process_time()
    for number in range(RUNS):
        await db.jobs.put("run", str(number), Asker("person", {"request": "words"}))
        job = await db.jobs.claim("run", "holder", lease_s=LEASE_S, key=str(number))
        assert job is not None
        await db.jobs.renew(job, LEASE_S, {"reply": f"reply {number}"})
        async with db.transaction() as stores:
            await stores.jobs.settle(job, "person")
            await stores.jobs.finish(job, {"answer": number})
    done = time.process_time()
    await db.close()
    return {"open_ms": 1000 * (opened - began), "run_ms": 1000 * (done - opened) / RUNS}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """What DBOS does in each situation, and both ways' processor time."""
    with tempfile.TemporaryDirectory(prefix="durable-ways-") as name:
        folders = [Path(name, one) for one in ("engines", "branches", "workers", "cost", "own")]
        for one in folders:
            one.mkdir()
        engines, branches, workers, cost, own = folders
        context.say("two engines in one process")
        found = await act("two_databases", engines)
        yield case("DBOS: two engines in one process have two databases", found["databases"] == 2)
        context.say("branches side by side")
        await act("begin_branches", branches)
        went_on = await act("go_on_branches", branches)
        given = {"asked": RIGHT, "given": went_on["got"]}
        yield case("DBOS: branches get their own results back", went_on["got"] == RIGHT, **given)
        twice = len(went_on["paid"]) - len(set(went_on["paid"]))
        yield lower("DBOS: finished steps paid twice", twice, "count")
        context.say("a worker that is killed")
        yield case("DBOS: a live worker takes over", await taken_over(workers))
        context.say("processor time")
        theirs = await act("cost", cost)
        ours = await own_process(own_cost, folder=str(own))
        for key, title in (("run_ms", "a run with one paid step"), ("open_ms", "opening")):
            yield lower(f"processor time of {title}", ours[key],
                        baseline=theirs[key], baseline_name="DBOS")  # fmt: skip


if __name__ == "__main__":
    measured("durable_ways")
