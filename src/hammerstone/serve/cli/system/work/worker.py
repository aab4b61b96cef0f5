"""`hammerstone worker` and `hammerstone workers`: processes that do stored work."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from hammerstone.core.formatting import moment
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

_ENDED_AT_ONCE = 130


def worker(
    concurrency: Annotated[
        int, typer.Option(min=1, max=64, help="Requests that are answered at the same time.")
    ] = 4,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only this kind of work: run, proof, learning, trigger. Repeatable."),
    ] = None,
    name: Annotated[str, typer.Option(help="How it is listed; else machine and number.")] = "",
    alive: Annotated[
        Path | None, typer.Option(help="A file that is touched as long as it works, for a probe.")
    ] = None,
) -> None:
    """Do stored work until it is stopped: requests, proofs, learning and triggers' requests.

    The first Ctrl-C or SIGTERM lets it finish what it holds; the second ends it at once.
    """
    finished = asyncio.run(_work(concurrency, only or [], name, alive))
    tell("Finished." if finished else "Ended; what was not finished goes on elsewhere.")


async def _work(concurrency: int, only: list[str], name: str, alive: Path | None) -> bool:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.queue.worker_process import WorkerProcess
    from hammerstone.core.settings import load_settings

    # Whoever asks leaves runs to workers; a worker answers them itself.
    settings = load_settings().model_copy(update={"runs_on": "server"})
    async with Hammerstone.open(settings) as hs:
        process = WorkerProcess(hs, name=name, concurrency=concurrency, only=only, alive=alive)
        signals = 0

        def told() -> None:
            nonlocal signals
            signals += 1
            if signals > 1:
                os._exit(_ENDED_AT_ONCE)  # leases of a dead process are taken over at once
            tell("Finishing what is under way; once more ends it at once.")
            process.end()

        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, told)
        tell(f"Worker {process.name} works. Ctrl-C ends it.")
        return await process.work()


def workers(
    as_json: AsJson = False,
) -> None:
    """List the workers, what each does, and how much waits."""
    shown: dict[str, Any] = with_engine(lambda hs: hs.workers.show())
    if as_json:
        print_json(shown)
        return
    if not shown["workers"]:
        tell("No worker has given a sign of life in the last hour: hammerstone worker")
    else:
        columns = (
            Column("name"),
            Column("state"),
            Column("doing"),
            Column("done"),
            Column("since", leaves=2),
            Column("version", leaves=1),
        )
        show_table(columns, [_row(one) for one in shown["workers"]])
    for kind, counts in shown["queues"].items():
        say(f"{kind}: {counts['waiting']} wait, {counts['held']} under way")


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    state = f"silent for {one['silent_s']:.0f} s" if one["silent"] else one["state"]
    doing = ", ".join(one["doing"]) or "-"
    doing = f"last: {doing}" if one["silent"] and one["doing"] else doing
    return one["name"], state, doing, str(one["done"]), moment(one["since"]), one["version"]
