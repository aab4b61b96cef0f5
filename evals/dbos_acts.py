"""What DBOS does in four situations of ours, each in processes of its own: `evals/durable_ways.py`.

`python -m evals.dbos_acts ACT FOLDER` prints one JSON object. The steps stand for calls of a model:
each appends a line to `paid` in the folder, which outlives the process.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

WORKFLOW = "run-1"
STEPS = 2  # of each of two branches that go on side by side


def configured(folder: Path, executor: str, name: str = "durable.sqlite") -> dict[str, Any]:
    return {
        "name": "hammerstone",
        "system_database_url": f"sqlite:///{folder / name}",
        "application_version": "1",
        "executor_id": executor,
        "run_admin_server": False,
        "log_level": "ERROR",
    }


def tell(found: object) -> None:
    print(json.dumps(found), flush=True)


def two_databases(folder: Path) -> None:
    """Two engines in one process, each with its own database: which files are there afterwards."""
    from dbos import DBOS

    DBOS(config=configured(folder, "one", "first.sqlite"))  # type: ignore[arg-type]
    DBOS(config=configured(folder, "two", "second.sqlite"))  # type: ignore[arg-type]
    DBOS.launch()
    DBOS.destroy()
    tell({"databases": len(list(folder.glob("*.sqlite")))})


def branches(folder: Path, *, slow: str, dies_after: int) -> None:
    """Two branches side by side, each of two steps; dies after so many paid ones (0: never)."""
    from dbos import DBOS, SetWorkflowID

    paid = folder / "paid"

    @DBOS.step()
    async def model_call(branch: str, number: int) -> str:
        await asyncio.sleep(0.3 if branch == slow else 0.05)
        with paid.open("a") as file:
            file.write(f"{branch}{number}\n")
        return f"{branch}{number}"

    async def branch(name: str) -> list[str]:
        return [await model_call(name, number) for number in range(STEPS)]

    @DBOS.workflow()
    async def run() -> list[list[str]]:
        return list(await asyncio.gather(branch("a"), branch("b")))

    async def main() -> None:
        DBOS(config=configured(folder, "one"))  # type: ignore[arg-type]
        DBOS.launch()
        if dies_after:
            with SetWorkflowID(WORKFLOW):
                await DBOS.start_workflow_async(run)
            while not paid.exists() or len(paid.read_text().split()) < dies_after:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.03)  # the step's result is stored after it returned
            os.kill(os.getpid(), 9)
        handle = await DBOS.retrieve_workflow_async(WORKFLOW)
        got = await handle.get_result()
        DBOS.destroy()
        tell({"got": got, "paid": paid.read_text().split()})

    asyncio.run(main())


def long_run(folder: Path, *, executor: str, wait_s: float) -> None:
    """One worker starts a run of three seconds and is killed; another one lives on beside it."""
    from dbos import DBOS, SetWorkflowID

    @DBOS.workflow()
    async def run() -> str:
        await asyncio.sleep(3.0)
        (folder / "done").touch()
        return "done"

    async def main() -> None:
        DBOS(config=configured(folder, executor))  # type: ignore[arg-type]
        DBOS.launch()
        if executor == "owner":
            with SetWorkflowID(WORKFLOW):
                await DBOS.start_workflow_async(run)
            (folder / "begun").touch()
            await asyncio.sleep(60)
        end = time.monotonic() + wait_s
        while time.monotonic() < end and not (folder / "done").exists():
            await asyncio.sleep(0.1)
        DBOS.destroy()
        tell({"done": (folder / "done").exists()})

    asyncio.run(main())


def cost(folder: Path, *, count: int) -> None:
    """Processor time of a run with one paid step, and of opening and closing."""
    began = time.process_time()
    from dbos import DBOS

    @DBOS.step()
    async def model_call(number: int) -> str:
        return f"reply {number}"

    @DBOS.workflow()
    async def run(number: int) -> str:
        return await model_call(number)

    async def main() -> None:
        DBOS(config=configured(folder, "one"))  # type: ignore[arg-type]
        DBOS.launch()
        opened = time.process_time()
        for number in range(count):
            await run(number)
        done = time.process_time()
        DBOS.destroy()
        tell({"open_ms": 1000 * (opened - began), "run_ms": 1000 * (done - opened) / count})

    asyncio.run(main())


ACTS = {
    "two_databases": two_databases,
    "begin_branches": lambda folder: branches(folder, slow="a", dies_after=3),
    "go_on_branches": lambda folder: branches(folder, slow="b", dies_after=0),
    "owner": lambda folder: long_run(folder, executor="owner", wait_s=60),
    "beside": lambda folder: long_run(folder, executor="beside", wait_s=15),
    "cost": lambda folder: cost(folder, count=200),
}

if __name__ == "__main__":
    ACTS[sys.argv[1]](Path(sys.argv[2]))
