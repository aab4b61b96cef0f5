"""Server, commands, learning and an evaluation on one data folder, with kills in between.

    python -m evals.two_processes [--set instant|quick|full] [--json]

In each round a server answers routes in random order, commands run in random order beside it,
an evaluation asks in an engine of its own, and some of them are killed (SIGKILL), the server
in every second round. After the round the database is checked in a process of its own, every
acknowledged row is looked for, and errors are counted.

`two_processes_control` is the control: processes open the database file as they did before, which
drops the locks of SQLite in the process that does it. It ends at the first damage.
"""

import importlib
import os
import secrets
import shutil
import signal
import socket
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from evals.two_processes_acts import Place, call_routes, evaluate, fork, run_commands, serve
from evals.two_processes_truth import examine
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)

_LOADED = ("hammerstone.app.hammerstone", "hammerstone.serve.api.app", "hammerstone.serve.cli.main",
           "hammerstone.app.health.doctor", "hammerstone.models.fakes", "tests.integration.engine",
           "sqlalchemy.dialects.sqlite.aiosqlite", "uvicorn", "alembic.command")  # fmt: skip


class Rounds:
    """The server's life from round to round, and what was found after each."""

    def __init__(self, place: Place, seconds: float) -> None:
        self._place = place
        self._seconds = seconds
        self._server = 0
        self._port = 0
        self.kills = 0

    def run(self, number: int) -> dict[str, Any]:
        place, until = self._place, time.time() + self._seconds
        if not self._server:
            self._start()
        log = place.folder / "log"
        acts = [
            fork(lambda: call_routes(place, self._port, until), log),
            fork(lambda: run_commands(place, until), log),
            fork(lambda: evaluate(place, until), log),
        ]
        time.sleep(self._seconds * 0.6)
        if number % 2:
            self._kill(self._server)
            self._server = 0
        else:
            self._kill(acts.pop())
        for pid in acts:
            os.waitpid(pid, 0)
        return examine(place)

    def stop(self) -> None:
        if self._server:
            os.kill(self._server, signal.SIGTERM)
            os.waitpid(self._server, 0)
            self._server = 0

    def _start(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(512)
            self._port = listener.getsockname()[1]
            log = self._place.folder / "log"
            self._server = fork(lambda: serve(self._place, listener), log)

    def _kill(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.kills += 1
        os.waitpid(pid, 0)


def open_as_before() -> None:
    """What opening a database did: make the file ready by opening it, and ask nobody."""
    from hammerstone.storage import database
    from hammerstone.storage.files.location import Location

    async def take_hold(location: Location) -> None:
        if location.file:
            location.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(location.file, os.O_RDWR | os.O_CREAT, 0o600))

    database.take_hold = take_hold  # type: ignore[assignment]


@contextmanager
def a_place(kind: str) -> Iterator[Place]:
    folder = Path(tempfile.mkdtemp(prefix="two-processes-"))
    for name in ("logs", "out"):
        (folder / name).mkdir()
    try:
        if kind == "sqlite":
            yield Place(folder)
            return
        from tests.storage.postgres_server import shared_server

        with shared_server(f"two{secrets.token_hex(4)}", options="") as server:
            yield Place(folder, server.url())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def summary(place: Place, rounds: list[dict[str, Any]], kills: int) -> dict[str, Any]:
    refused = place.notes("refused")
    done = Counter(note["what"] for note in place.notes("done"))
    return {
        "rounds": len(rounds),
        "rounds_whole": sum(one["whole"] for one in rounds),
        "acknowledged": rounds[-1]["acknowledged"] if rounds else 0,
        "acknowledged_lost": rounds[-1]["lost"] if rounds else 0,
        "lock_errors": sum("locked" in note["said"] for note in refused),
        "damage_errors": sum("damaged" in note["said"] for note in refused),
        "other_errors": sum(
            not any(word in note["said"] for word in ("locked", "damaged")) for note in refused
        ),
        "kills": kills + len(place.notes("killed")),
        "done": sum(done.values()),
        "kinds_done": len(done),
    }


def measure(minutes: float, count: int, database: str, old: bool = False) -> dict[str, Any]:
    """Rounds with kills in between; `old` is the control, which ends at the first damage."""
    for name in _LOADED:
        importlib.import_module(name)
    if old:
        open_as_before()
    found: list[dict[str, Any]] = []
    with a_place(database) as place:
        build = fork(lambda: evaluate(place, 0.0), place.folder / "log")  # the tool they all use
        os.waitpid(build, 0)
        life = Rounds(place, minutes * 60 / count)
        try:
            for number in range(count):
                found.append(life.run(number))
                if old and not found[-1]["whole"]:
                    break
        finally:
            life.stop()
        found.append(examine(place))  # once more, when everybody has gone
        said = Counter((note["what"], note["said"][-200:]) for note in place.notes("refused"))
        refused = [[*key, n] for key, n in said.most_common(20)]
        return summary(place, found, life.kills) | {"each": found, "refused": refused}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """On SQLite."""
    async for finding in _found(context, "sqlite"):
        yield finding


async def postgres_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """On PostgreSQL."""
    async for finding in _found(context, "postgres"):
        yield finding


async def control_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The control: opened as before, this has to find damage."""
    report = await own_process(measure, minutes=5.0, count=50, database="sqlite", old=True)
    broken = report["rounds"] - report["rounds_whole"]
    yield case("damage is found", bool(broken), given=f"{broken} rounds", wanted="one or more")


async def _found(context: MeasurementContext, database: str) -> AsyncGenerator[Finding, None]:
    minutes, count = amount(context, instant=(0.1, 1), quick=(0.3, 3), full=(5.0, 50))
    report = await own_process(measure, minutes=minutes, count=count, database=database)
    for number, one in enumerate(report["each"], 1):
        given = f"{one['acknowledged']} acknowledged, {one['lost']} lost"
        good = one["whole"] and not one["lost"]
        yield case(f"round {number:02}", good, given=given, reason=one.get("problems"))
    locked = report["lock_errors"]
    yield case("nobody met a lock", not locked, given=report["refused"], wanted="no lock")
    yield lower("acknowledged rows lost", report["acknowledged_lost"], "count", target=0)
    yield lower("rounds not whole", report["rounds"] - report["rounds_whole"], "count", target=0)
    yield lower("errors of locks", locked, "count", target=0)
    yield higher("kills", report["kills"], "count")


if __name__ == "__main__":
    measured("two_processes")
