"""Rounds of kills for `evals.crash`: a process asks and is killed, another one continues.

python -m evals.crash_rounds sqlite 100     so many kills on one database, with all numbers
"""

import asyncio
import importlib
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from evals.crash_child import SANDBOX, Place, ask, record, state, wake, work

LOADED = ("hammerstone.app.hammerstone", "hammerstone.models.fakes", "tests.integration.engine",
           "sqlalchemy.dialects.sqlite.aiosqlite", "psycopg", "alembic.command",
           "hammerstone.sandbox.bubblewrap.opening")  # fmt: skip
_THINK_S = 0.01  # a model's time, so that kills find it at work
_WITHIN_S = 240.0
_BATCH = 25
PLACES = ("sqlite", "postgresql", "postgresql, two workers")


def fork(work: Callable[[], Awaitable[Any]], told: Path | None = None) -> int:
    """A process that does this and ends; what it comes to is written as JSON."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # warnings of what is killed on purpose
        came = asyncio.run(work())  # type: ignore[arg-type]
        if told is not None:
            told.write_text(json.dumps(came), "utf-8")
        code = 0
    except BaseException as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n"[:500])
        sys.stderr.flush()
    os._exit(code)


def ended(pid: int, within_s: float = _WITHIN_S) -> int:
    """The exit code of a process, which is killed if it takes too long."""
    until = time.monotonic() + within_s
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


class Rounds:
    """Kills on one kind of database, one round after the other."""

    def __init__(self, folder: Path, server: Any, workers: int) -> None:
        self._folder = folder
        self._server = server
        self._workers = workers
        self._many = 2 if server else 1
        self._number = 0
        self.base = self._whole()

    def place(self) -> Place:
        """A new place with a fresh database: SQLite's is a copy, PostgreSQL's is shared."""
        self._number += 1
        folder = self._folder / f"r{self._number}"
        folder.mkdir()
        shutil.copy(self._folder / SANDBOX, folder / SANDBOX)
        if self._server is not None:
            return Place(str(folder), self._server.url())
        empty = self._folder / "empty"
        if empty.exists():
            shutil.copytree(empty, folder, dirs_exist_ok=True)
        return Place(str(folder))

    def _ids(self, place: Place) -> list[str]:
        name = Path(place.folder).name + secrets.token_hex(3)
        return [f"{name}x{number}" for number in range(self._many)]

    def _whole(self) -> dict[str, Any]:
        """What a round without a kill passes, pays for and says; how long it takes."""
        place = self.place()
        if self._server is None:
            ended(fork(lambda: state(place, [])))
            (self._folder / "empty").mkdir()
            shutil.copy(Path(place.folder) / "hammerstone.db", self._folder / "empty")
        ids, told = self._ids(place), Path(place.folder, "told")
        began_s = time.monotonic()
        assert ended(fork(lambda: ask(place, ids, 0, _THINK_S), told)) == 0
        took_s = time.monotonic() - began_s
        boundaries = json.loads(told.read_text("utf-8"))
        found = self._state(place, ids)
        return {
            "boundaries": boundaries,
            "took_s": took_s,
            "paid": len(notes_of(place, "paid")),
            "events": Counter(kind for kind, _ in found["runs"][ids[0]]["events"]),
            "cost": found["runs"][ids[0]]["cost"]["tokens"],
        }

    def _state(self, place: Place, ids: list[str]) -> dict[str, Any]:
        told = Path(place.folder, "state")
        assert ended(fork(lambda: state(place, ids), told)) == 0
        return json.loads(told.read_text("utf-8"))

    def at_boundary(self, number: int) -> dict[str, Any]:
        place = self.place()
        ids = self._ids(place)
        pid = fork(lambda: ask(place, ids, number, _THINK_S))
        return self._after(place, ids, ended(pid))

    def at_moment(self, share: float) -> dict[str, Any]:
        place = self.place()
        ids = self._ids(place)
        pid = fork(lambda: ask(place, ids, 0, _THINK_S))
        time.sleep(share * self.base["took_s"])
        os.kill(pid, signal.SIGKILL)
        return self._after(place, ids, ended(pid))

    def _after(self, place: Place, ids: list[str], code: int) -> dict[str, Any]:
        """Another process continues, and the database is looked at."""
        killed_s = time.time()
        flying = len(notes_of(place, "paid")) - len(notes_of(place, "kept"))
        if self._workers == 2:
            worker = fork(lambda: work(place, _THINK_S))
            self._until_ended(place, ids)
            os.kill(worker, signal.SIGKILL)
            ended(worker)
        # Also with two workers: proofs, and what the worker had not come to.
        woken = ended(fork(lambda: wake(place, _THINK_S)))
        found = self._state(place, ids)
        continued = [note[2] for note in notes_of(place, "continued")]
        runs = found["runs"].values()
        paid = len(notes_of(place, "paid")) - self.base["paid"] * (len(runs) / self._many)
        extra = [Counter(kind for kind, _ in run["events"]) - self.base["events"] for run in runs]
        wrong = [run for run in runs if run["status"] != "done" or run["result"] != 42]
        again = [run for run in runs if run["messages"] != 2]
        totals = [run["cost"]["tokens"] - self.base["cost"] for run in runs if run["cost"]]
        result = {
            "killed": code == -signal.SIGKILL,
            "begun": len(runs),
            "lost": len(wrong) + len(again) + len(found["left"]) + (woken != 0),
            "repeated": max(0, round(paid)) if len(runs) == self._many else 0,
            "in_flight": flying,
            "events": sum(sum(one.values()) for one in extra),
            "totals_off": sum(map(bool, totals)),
            "continued": len(continued),
            "took_s": min(continued) - killed_s if continued else None,
            "about": [str(wrong + again)[:300], str(extra)[:300], str(found["left"])],
        }
        shutil.rmtree(place.folder, ignore_errors=True)
        return result

    def _until_ended(self, place: Place, ids: list[str]) -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            found = self._state(place, ids)
            if all(run["status"] != "running" for run in found["runs"].values()):
                return
            time.sleep(0.2)


def notes_of(place: Place, kind: str) -> list[Any]:
    path = Path(place.folder, "notes")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [note for note in map(json.loads, lines) if note[0] == kind]


@contextmanager
def rounds_on(kind: str) -> Iterator[Rounds]:
    for name in LOADED:
        importlib.import_module(name)
    base = Path(tempfile.mkdtemp(prefix="crash-"))
    try:
        first = base / "recorded"
        first.mkdir()
        assert ended(fork(lambda: record(Place(str(first)))), 300) == 0, "nothing was recorded"
        shutil.copy(first / SANDBOX, base / SANDBOX)
        if kind == "sqlite":
            yield Rounds(base, None, 1)
            return
        from tests.storage.postgres_server import shared_server

        with shared_server(f"crash{secrets.token_hex(3)}", options="") as server:
            yield Rounds(base, server, 2 if "two" in kind else 1)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def kills(kind: str, moments: int, seed: int = 0, boundaries: int = 0) -> dict[str, Any]:
    """So many random kills, and one at each of the first `boundaries` boundaries (-1: all)."""
    chance = random.Random(seed)
    with rounds_on(kind) as rounds:
        names = rounds.base["boundaries"]
        chosen = range(1, len(names) + 1)[: boundaries if boundaries >= 0 else None]
        found = [rounds.at_boundary(number) for number in chosen]
        found += [rounds.at_moment(chance.uniform(0.2, 1.1)) for _ in range(moments)]
        took = sorted(one["took_s"] for one in found if one["took_s"] is not None)
        return {
            "boundaries": len(chosen),
            "names": sorted(set(names)),
            "kills": sum(one["killed"] for one in found),
            "begun": sum(one["begun"] for one in found),
            "lost": sum(one["lost"] for one in found),
            "most_repeated": max(one["repeated"] for one in found),
            "repeated": sum(one["repeated"] for one in found),
            "in_flight": sum(one["in_flight"] for one in found),
            "beyond": sum(max(0, one["repeated"] - one["in_flight"]) for one in found),
            "events": sum(one["events"] for one in found),
            "totals_off": sum(one["totals_off"] for one in found),
            "continued": sum(one["continued"] for one in found),
            "took_s": median(took) if took else None,
            "took_worst_s": took[-1] if took else None,
            "bad": [
                one
                for one in found
                if one["lost"] or one["events"] or one["repeated"] > one["in_flight"]
            ][:5],
        }


if __name__ == "__main__":
    kind, number, *rest = sys.argv[1:]
    print(json.dumps(kills(kind, int(number), boundaries=int(rest[0]) if rest else -1), indent=1))
