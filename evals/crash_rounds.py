"""Rounds of kills for `evals.crash`: a process asks and is killed, another one continues.

    python -m evals.crash_rounds sqlite 100     so many kills on one database, with all numbers

A process is forked from one that has done a whole round itself: all it needs is loaded, so a round
costs what the work costs. What a start adds in real life is `python -m evals.start_up`.
"""

import asyncio
import gc
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
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from evals.crash_child import SANDBOX, Place, ask, record, state, wake, work

LOADED = ("hammerstone.app.hammerstone", "hammerstone.models.fakes", "tests.integration.engine",
           "sqlalchemy.dialects.sqlite.aiosqlite", "psycopg", "alembic.command",
           "hammerstone.sandbox.bubblewrap.opening")  # fmt: skip
_THINK_S = 0.01  # a model's time, so that kills find it at work
_WITHIN_S = 240.0
_TAKEN_OVER_S = 40.0  # that the other worker gets: a lease, and some more
_NOTES = "notes"
PLACES = ("sqlite", "postgresql", "postgresql, two workers")


def fork(work: Callable[[], Awaitable[Any]], told: Path | None = None) -> int:
    """A process that does this in a loop of its own and ends; its result is written as JSON."""
    return fork_doing(lambda: asyncio.run(work()), told)  # type: ignore[arg-type]


def fork_doing(work: Callable[[], Any], told: Path | None = None) -> int:
    """The same for work that needs no loop."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # warnings of what is killed on purpose
        came = work()
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


def notes_of(place: Place, kind: str) -> list[Any]:
    path = Path(place.folder, _NOTES)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [note for note in map(json.loads, lines) if note[0] == kind]


@dataclass(frozen=True, slots=True)
class Whole:
    """A round without a kill: what it passes, pays for and says, and how long it takes."""

    boundaries: list[str]
    took_s: float
    paid: int
    events: Counter[str]
    tokens: int


class Rounds:
    """Kills on one database, one round after the other. With two workers the other one lives all
    the time, and takes over what the killed one held."""

    def __init__(self, folder: Path, url: str, workers: int) -> None:
        self._folder = folder
        self._url = url
        self._many = 2 if url else 1
        self._number = 0
        self._worker: int | None = None
        self._shared = self._make("shared") if url else None
        self.base = self._whole()
        if workers == 2:
            assert self._shared is not None
            shared = self._shared
            self._worker = fork(lambda: work(shared, _THINK_S))

    def close(self) -> None:
        if self._worker is not None:
            os.kill(self._worker, signal.SIGKILL)
            ended(self._worker)

    def at_boundary(self, number: int) -> dict[str, Any]:
        place, ids = self._begin()
        pid = fork(lambda: ask(place, ids, number, _THINK_S))
        return self._after(place, ids, pid, ended(pid))

    def at_moment(self, share: float) -> dict[str, Any]:
        place, ids = self._begin()
        pid = fork(lambda: ask(place, ids, 0, _THINK_S))
        time.sleep(share * self.base.took_s)
        os.kill(pid, signal.SIGKILL)
        return self._after(place, ids, pid, ended(pid))

    def _make(self, name: str) -> Place:
        folder = self._folder / name
        folder.mkdir()
        shutil.copy(self._folder / SANDBOX, folder / SANDBOX)
        return Place(str(folder), self._url)

    def _begin(self) -> tuple[Place, list[str]]:
        """Where a round is done, and its runs: SQLite's database is a fresh copy, PostgreSQL's is
        used again, and its notes begin anew."""
        self._number += 1
        name = f"r{self._number}{secrets.token_hex(3)}"
        ids = [f"{name}x{number}" for number in range(self._many)]
        if self._shared is not None:
            Path(self._shared.folder, _NOTES).unlink(missing_ok=True)
            return self._shared, ids
        place, empty = self._make(name), self._folder / "empty.db"
        if empty.exists():
            shutil.copy(empty, Path(place.folder, "hammerstone.db"))
        return place, ids

    def _whole(self) -> Whole:
        place, ids = self._begin()
        assert ended(fork(lambda: state(place, []))) == 0  # makes the tables
        if self._shared is None:
            shutil.copy(Path(place.folder, "hammerstone.db"), self._folder / "empty.db")
        told = Path(place.folder, "told")
        began_s = time.monotonic()
        assert ended(fork(lambda: ask(place, ids, 0, _THINK_S), told)) == 0
        took_s = time.monotonic() - began_s
        run = self._state(place, ids)["runs"][ids[0]]
        events = Counter(kind for kind, _ in run["events"])
        boundaries = json.loads(told.read_text("utf-8"))
        return Whole(
            boundaries, took_s, len(notes_of(place, "paid")), events, run["cost"]["tokens"]
        )

    def _state(self, place: Place, ids: list[str]) -> dict[str, Any]:
        told = Path(place.folder, "state")
        assert ended(fork(lambda: state(place, ids), told)) == 0
        return json.loads(told.read_text("utf-8"))

    def _after(self, place: Place, ids: list[str], pid: int, code: int) -> dict[str, Any]:
        """Another process continues, and the database is looked at."""
        killed_s = time.time()
        own = Counter(note[0] for kind in ("paid", "kept") for note in notes_of(place, kind)
                      if note[3] == pid)  # fmt: skip
        flying = own["paid"] - own["kept"]
        woken = 0
        if self._worker is not None:
            found = self._taken_over(place, ids)
        else:
            woken = ended(fork(lambda: wake(place, _THINK_S)))
            found = self._state(place, ids)
        continued = [note[2] for note in notes_of(place, "continued")]
        runs, whole = found["runs"].values(), self.base
        paid = len(notes_of(place, "paid")) - whole.paid * (len(runs) / self._many)
        extra = [Counter(kind for kind, _ in run["events"]) - whole.events for run in runs]
        wrong = [run for run in runs if run["status"] != "done" or run["result"] != 42]
        again = [run for run in runs if run["messages"] != 2]
        totals = [run["cost"]["tokens"] - whole.tokens for run in runs if run["cost"]]
        if self._shared is None:
            shutil.rmtree(place.folder, ignore_errors=True)
        return {
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

    def _taken_over(self, place: Place, ids: list[str]) -> dict[str, Any]:
        """What the database says once the other worker has ended all that was begun."""
        until = time.monotonic() + _TAKEN_OVER_S
        while True:
            found = self._state(place, ids)
            ends = all(run["status"] != "running" for run in found["runs"].values())
            if (ends and not found["left"]) or time.monotonic() > until:
                return found
            time.sleep(0.1)


def load() -> Path:
    """Have all that a round needs in this process; the folder where the sandbox's outcomes are."""
    for name in LOADED:
        importlib.import_module(name)
    base = Path(tempfile.mkdtemp(prefix="crash-"))
    first = base / "recorded"
    first.mkdir()
    assert ended(fork(lambda: record(Place(str(first)))), 300) == 0, "nothing was recorded"
    shutil.copy(first / SANDBOX, base / SANDBOX)
    warm = base / "warm"
    warm.mkdir()
    shutil.copy(first / SANDBOX, warm / SANDBOX)
    asyncio.run(_whole_round(Place(str(warm))))
    gc.collect()
    gc.freeze()
    return base


async def _whole_round(place: Place) -> None:
    await ask(place, ["warm"], -1, 0.0)
    await wake(place, 0.0)
    await state(place, ["warm"])


@contextmanager
def rounds_on(kind: str, base: Path) -> Iterator[Rounds]:
    """Rounds on a database of their own."""
    folder = Path(tempfile.mkdtemp(prefix="lane-", dir=base))
    shutil.copy(base / SANDBOX, folder / SANDBOX)
    if kind == "sqlite":
        yield Rounds(folder, "", 1)
        return
    from tests.storage.postgres_server import shared_server

    with shared_server(f"crash{secrets.token_hex(3)}", options="") as server:
        rounds = Rounds(folder, server.url(), 2 if "two" in kind else 1)
        try:
            yield rounds
        finally:
            rounds.close()


def kills(kind: str, moments: int, seed: int = 0, boundaries: int = 0) -> dict[str, Any]:
    """So many random kills, and one at each of the first `boundaries` boundaries (-1: all)."""
    chance = random.Random(seed)
    base = load()
    try:
        with rounds_on(kind, base) as rounds:
            names = rounds.base.boundaries
            chosen = range(1, len(names) + 1)[: boundaries if boundaries >= 0 else None]
            found = [rounds.at_boundary(number) for number in chosen]
            found += [rounds.at_moment(chance.uniform(0.1, 1.1)) for _ in range(moments)]
            return {"boundaries": len(chosen), "names": sorted(set(names)), **sums(found)}
    finally:
        shutil.rmtree(base, ignore_errors=True)


def sums(found: list[dict[str, Any]]) -> dict[str, Any]:
    """What rounds came to together; those that went wrong are shown."""
    took = sorted(one["took_s"] for one in found if one["took_s"] is not None)
    counted = ("killed", "begun", "lost", "repeated", "in_flight", "events", "totals_off",
               "continued")  # fmt: skip
    return {
        **{name: sum(one[name] for one in found) for name in counted},
        "kills": sum(one["killed"] for one in found),
        "most_repeated": max((one["repeated"] for one in found), default=0),
        "beyond": sum(max(0, one["repeated"] - one["in_flight"]) for one in found),
        "took_s": median(took) if took else None,
        "took_worst_s": took[-1] if took else None,
        "bad": [one for one in found if is_bad(one)][:5],
    }


def is_bad(one: dict[str, Any]) -> bool:
    return bool(one["lost"] or one["events"] or one["repeated"] > one["in_flight"])


if __name__ == "__main__":
    kind, number, *rest = sys.argv[1:]
    print(json.dumps(kills(kind, int(number), boundaries=int(rest[0]) if rest else -1), indent=1))
