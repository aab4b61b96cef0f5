"""Servers that the product starts, killed while a run needs them: the sandbox's and the model's.

    python -m evals.crash_servers [ROUNDS]

The sandbox is the real one; its processes are killed again and again while a run and its proof
are under way, with a scripted model. The embedded model is real, and asked only where its file is
here (`HAMMERSTONE_MODEL_PATH`); it is killed while it writes.
"""

import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from evals.crash_child import REQUEST, Boundaries, CountingModel, Place, state
from evals.crash_rounds import LOADED, ended, fork, notes_of
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import Settings
from hammerstone.models.one import OneModel
from hammerstone.run.request import AskOptions

_RUN = "r1"
_KILLS = 5  # of the sandbox's processes in one round
_WITHIN_S = 300.0


async def _asked_of_fake(place: Place) -> None:
    """A run and its proof in the real sandbox; a failure is put off for a moment only."""
    model = OneModel(CountingModel(place, Boundaries(place), 0.05))
    async with Hammerstone.open(place.settings, models=model) as hs:
        await hs.policies.change("proving", {"retry_s": 1.0}, who="crash", why="soon again")
        place.note("open", "")
        try:
            answer = await hs.ask(REQUEST, session="s", options=AskOptions(run_id=_RUN))
            place.note("answered", str(answer.result))
            answer = await hs.proofs.wait(answer)
            place.note("proof", str(answer.proof))
        except HammerstoneError as error:
            place.note("error", f"{error.code}: {error.message}")


async def _asked_of_model(place: Place, model_path: str) -> None:
    settings = Settings(data_dir=Path(place.folder), embedder="off", starter_tools=False,
                        model="local", model_path=Path(model_path))  # type: ignore[call-arg]  # fmt: skip
    async with Hammerstone.open(settings) as hs:
        place.note("open", "")
        try:
            options = AskOptions(run_id=_RUN, keep=False)
            answer = await hs.ask(REQUEST, session="s", options=options)
            place.note("answered", str(answer.result))
        except HammerstoneError as error:
            place.note("error", f"{error.code}: {error.message}")


def _below(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have started."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                said = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:
                continue
            if int(said[1]) == pid:
                found += [int(folder.name), *_below(int(folder.name))]
    return found


def _servers_of(place: Place) -> list[int]:
    """Model processes that belong to this data folder."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                command = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if "hammerstone.models.local.server" in command and place.folder in command:
                found.append(int(folder.name))
    return found


def _until(place: Place, kind: str, within_s: float = _WITHIN_S) -> bool:
    until = time.monotonic() + within_s
    while not notes_of(place, kind) and time.monotonic() < until:
        time.sleep(0.05)
    return bool(notes_of(place, kind))


def sandbox_killed(place: Place, chance: random.Random) -> dict[str, Any]:
    """All processes of the sandbox are killed several times while a run and its proof go on."""
    asking = fork(lambda: _asked_of_fake(place))
    _until(place, "paid")
    killed = 0
    for _ in range(_KILLS):
        time.sleep(chance.uniform(0.05, 1.0))
        for pid in _below(asking):
            try:
                os.kill(pid, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                continue
    code = ended(asking, _WITHIN_S)
    return _came(place, code, killed)


def model_killed(place: Place, model_path: str) -> dict[str, Any]:
    """The embedded model's process is killed once it writes."""
    asking = fork(lambda: _asked_of_model(place, model_path))
    until, killed = time.monotonic() + _WITHIN_S, 0
    while not killed and time.monotonic() < until:
        servers = _servers_of(place)
        used = [_seconds_used(pid) for pid in servers]
        if servers and max(used) > 8.0:  # it has loaded, and reads or writes
            for pid in servers:
                os.kill(pid, signal.SIGKILL)
                killed += 1
        time.sleep(0.1)
    code = ended(asking, _WITHIN_S)
    came = _came(place, code, killed)
    for pid in _servers_of(place):
        os.kill(pid, signal.SIGTERM)
    return came


def _seconds_used(pid: int) -> float:
    try:
        said = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(said[11]) + int(said[12])) / os.sysconf("SC_CLK_TCK")


def _came(place: Place, code: int, killed: int) -> dict[str, Any]:
    told = Path(place.folder, "told")
    assert ended(fork(lambda: state(place, [_RUN]), told)) == 0
    found = json.loads(told.read_text("utf-8"))
    run = found["runs"].get(_RUN, {})
    return {
        "killed": killed,
        "exit": code,
        "status": run.get("status"),
        "result": run.get("result"),
        "messages": run.get("messages"),
        "proof": [note[1] for note in notes_of(place, "proof")],
        "errors": [note[1] for note in notes_of(place, "error")],
        "left": found["left"],
        "paid": len(notes_of(place, "paid")),
    }


def servers(rounds: int, model_path: str = "") -> dict[str, Any]:
    """So many rounds of kills of the sandbox, and one of the model where there is one."""
    for name in LOADED:
        importlib.import_module(name)
    base, chance = Path(tempfile.mkdtemp(prefix="crash-")), random.Random(7)
    try:
        (base / "empty").mkdir()
        (base / "empty" / "sandbox.json").write_text("{}")
        found: dict[str, Any] = {"sandbox": []}
        for number in range(rounds):
            place = Place(str(shutil.copytree(base / "empty", base / f"r{number}")))
            found["sandbox"].append(sandbox_killed(place, chance))
        if model_path:
            place = Place(str(shutil.copytree(base / "empty", base / "model")))
            found["model"] = model_killed(place, model_path)
        return found
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(json.dumps(servers(times, os.environ.get("HAMMERSTONE_MODEL_PATH", "")), indent=1))
