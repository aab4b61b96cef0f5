"""Other ways to come to harm: a full disk, clocks that are set, a process that hangs.

python -m evals.crash_others
"""

import asyncio
import importlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.crash_child import (
    REQUEST,
    SANDBOX,
    Boundaries,
    Place,
    engine,
    record,
    state,
    wake,
)
from evals.crash_rounds import LOADED, ended, fork, notes_of
from hammerstone.core.clock import SystemClock
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.run.request import AskOptions

_RUN = "r1"
_LEASE_S = 3.0


class SetClock(SystemClock):
    """The machine's clock, which somebody sets while processes work."""

    def __init__(self) -> None:
        self.hours = 0.0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(hours=self.hours)


async def _asked(place: Place, think_s: float, hours: tuple[float, ...] = ()) -> str:
    """Ask once; the clock is set again and again meanwhile. The error's code, or nothing."""
    clock = SetClock()

    async def setting() -> None:
        for one in hours:
            await asyncio.sleep(think_s / 2)
            clock.hours = one

    async with engine(place, Boundaries(place), think_s, clock) as hs:
        values: JsonObject = {"lease_s": _LEASE_S, "look_every_s": 0.5}
        await hs.policies.change("durability", values, who="crash", why="short leases")
        set_while = asyncio.create_task(setting())
        options = AskOptions(run_id=_RUN, keep=False)
        try:
            answer = await hs.ask(REQUEST, session="s", options=options)
        except HammerstoneError as error:
            place.note("error", error.code)
            return error.code
        finally:
            await set_while
        place.note("answered", str(answer.result))
        return ""


def _paying(place: Place) -> None:
    until = time.monotonic() + 60
    while not notes_of(place, "paid") and time.monotonic() < until:
        time.sleep(0.05)


def hung(place: Place) -> dict[str, Any]:
    """A process that hangs for longer than its lease, and comes back when another has answered."""
    asking = fork(lambda: _asked(place, 4.0))
    _paying(place)
    os.kill(asking, signal.SIGSTOP)
    time.sleep(_LEASE_S + 1.5)
    woken = ended(fork(lambda: wake(place, 0.0)))
    os.kill(asking, signal.SIGCONT)
    ended(asking)
    return {"woken": woken == 0, "told": [note[1] for note in notes_of(place, "error")]}


def clocks(place: Place) -> dict[str, Any]:
    """The clock goes two hours forward, three back and ten forward while a run is under way, and
    another process looks for work with a clock of its own."""
    asking = fork(lambda: _asked(place, 2.0, (2.0, -3.0, 10.0)))
    _paying(place)
    other = [ended(fork(lambda: wake(place, 0.0))) for _ in range(3)]
    ended(asking)
    taken = len(notes_of(place, "continued"))
    return {"looked": other == [0, 0, 0], "taken_from_the_living": taken}


def full_disk(place: Place) -> dict[str, Any]:
    """The disk is full from the first reply on; once there is room, the run is continued."""
    folder = Path(place.folder)
    asking = fork(lambda: _asked(place, 2.0))
    _paying(place)
    filler = folder / "filler"
    with filler.open("wb") as file:
        try:
            while True:
                os.write(file.fileno(), b"x" * 4096)
        except OSError:
            pass
    ended(asking)
    filler.unlink()
    time.sleep(_LEASE_S + 1)
    woken = ended(fork(lambda: wake(place, 0.0)))
    return {"woken": woken == 0, "told": [note[1] for note in notes_of(place, "error")]}


def others() -> dict[str, Any]:
    for name in LOADED:
        importlib.import_module(name)
    base = Path(tempfile.mkdtemp(prefix="crash-"))
    cases: tuple[Callable[[Place], dict[str, Any]], ...] = (hung, clocks, full_disk)
    found: dict[str, Any] = {}
    try:
        first = base / "recorded"
        first.mkdir()
        assert ended(fork(lambda: record(Place(str(first)))), 300) == 0
        for number, case in enumerate(cases):
            folder = base / f"case{number}"
            folder.mkdir()
            small = case is full_disk
            if (
                small
                and subprocess.run(
                    ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)],
                    capture_output=True,
                ).returncode
            ):
                found[case.__name__] = {"skipped": "a small disk cannot be mounted here"}
                continue
            shutil.copy(first / SANDBOX, folder / SANDBOX)
            place = Place(str(folder))
            try:
                came = case(place)
                told = base / f"state{number}"
                assert ended(fork(lambda place=place: state(place, [_RUN]), told)) == 0
                run = json.loads(told.read_text("utf-8"))["runs"].get(_RUN, {})
                found[case.__name__] = came | {
                    "status": run.get("status"),
                    "result": run.get("result"),
                    "messages": run.get("messages"),
                    "paid": len(notes_of(place, "paid")),
                }
            finally:
                if small:
                    subprocess.run(["umount", "-l", str(folder)], check=False)
        return found
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    print(json.dumps(others(), indent=1))
