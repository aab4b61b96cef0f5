"""Kills in pieces: finished rounds are kept in a file, the next call goes on, and prints the sum.

    python -m evals.crash_file FILE [--kills 1000] [--minutes 8] [--lanes 2]

Each kind of database gets a kill at every named boundary and its share of so many kills at random
moments. A line of the file is one round, with the revision of the code.
"""

import argparse
import json
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

from evals.crash_rounds import PLACES, Rounds, ended, fork_doing, is_bad, load, rounds_on

_SHARES = {"sqlite": 0.4, "postgresql": 0.35, "postgresql, two workers": 0.25}
Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """The finished rounds; a last line that was broken off is left out."""
    rows: list[Row] = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def go_on(path: Path, kills: int, until_s: float, lanes: int) -> None:
    """Rounds on one kind after the other, in several lanes, until the time is over or all are
    done. Each lane is a process with databases of its own."""
    base = load()
    try:
        for pid in [_lane(path, kills, until_s, (base, lane, lanes)) for lane in range(lanes)]:
            ended(pid, within_s=1e9)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _lane(path: Path, kills: int, until_s: float, which: tuple[Path, int, int]) -> int:
    base, lane, lanes = which

    def work() -> None:
        for kind in PLACES:
            wanted = round(kills * _SHARES[kind])
            if _missing(path, kind, wanted) and time.monotonic() < until_s:
                with rounds_on(kind, base) as rounds:
                    count = len(rounds.base.boundaries)
                    for at, number in _todo(path, kind, wanted, count):
                        if time.monotonic() > until_s:
                            break
                        if number % lanes == lane:
                            _keep(path, kind, at, number, rounds)

    return fork_doing(work)


def _keep(path: Path, kind: str, at: str, number: int, rounds: Rounds) -> None:
    """Do a round, and keep what came of it as a line."""
    if at == "boundary":
        came = rounds.at_boundary(number)
    else:
        came = rounds.at_moment(random.Random(f"{kind} {number}").uniform(0.1, 1.05))
    row = {"kind": kind, "at": at, "number": number, "revision": revision(), **came}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


@lru_cache(maxsize=1)
def revision() -> str:
    """The code that is measured: its commit, and whether it was changed since."""
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return said.stdout.strip()


def _todo(path: Path, kind: str, wanted: int, boundaries: int) -> Iterator[tuple[str, int]]:
    known = {(r["at"], r["number"]) for r in read_rows(path) if r["kind"] == kind}
    places = [("boundary", number) for number in range(1, boundaries + 1)]
    for place in places:
        if place not in known:
            yield place
    for number in range(1, 4 * wanted):
        if not _missing(path, kind, wanted):
            return
        if ("moment", number) not in known:
            yield ("moment", number)


def _missing(path: Path, kind: str, wanted: int) -> bool:
    """Whether a kind has too few kills at random moments."""
    rows = [row for row in read_rows(path) if row["at"] == "moment"]
    return _killed(rows, kind) < wanted


def _killed(rows: list[Row], kind: str) -> int:
    return sum(row["killed"] for row in rows if row["kind"] == kind)


def summary(rows: list[Row]) -> dict[str, Any]:
    """The sums of all rounds by kind of database, and the rounds that went wrong."""
    sums: dict[str, Any] = {}
    for kind in PLACES:
        mine = [row for row in rows if row["kind"] == kind]
        took = sorted(row["took_s"] for row in mine if row["took_s"] is not None)
        sums[kind] = {
            "kills": _killed(mine, kind),
            "at boundaries": sum(row["killed"] for row in mine if row["at"] == "boundary"),
            "runs begun": sum(row["begun"] for row in mine),
            "lost": sum(row["lost"] for row in mine),
            "paid steps repeated": sum(row["repeated"] for row in mine),
            "in flight when killed": sum(row["in_flight"] for row in mine),
            "repeated beyond those": sum(max(0, r["repeated"] - r["in_flight"]) for r in mine),
            "events too many": sum(row["events"] for row in mine),
            "totals that are off": sum(row["totals_off"] for row in mine),
            "s to continue, median": round(median(took), 2) if took else None,
            "s to continue, worst": round(took[-1], 2) if took else None,
        }
    wrong = [row for row in rows if is_bad(row)]
    names = sorted({row["revision"] for row in rows})
    return {"sums": sums, "revisions": names, "wrong": wrong[:10], "rounds wrong": len(wrong)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--lanes", type=int, default=2)
    given = parser.parse_args()
    go_on(given.file, given.kills, time.monotonic() + given.minutes * 60, given.lanes)
    print(json.dumps(summary(read_rows(given.file)), indent=1))
