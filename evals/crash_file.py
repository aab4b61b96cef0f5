"""Kills in pieces: finished rounds are kept in a file, the next call goes on, and prints the sum.

    python -m evals.crash_file FILE [--kills 1000] [--minutes 8]

Each kind of database gets a kill at every named boundary, then kills at random moments, until the
file holds so many kills. A line of the file is one round, with the revision of the code.
"""

import argparse
import json
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from evals.crash_rounds import PLACES, Rounds, rounds_on

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


def one_round(rounds: Rounds, kind: str, at: str, number: int) -> Row:
    if at == "boundary":
        return rounds.at_boundary(number)
    return rounds.at_moment(random.Random(f"{kind} {number}").uniform(0.2, 1.1))


def go_on(path: Path, kills: int, until_s: float) -> None:
    """Rounds on the kind that is furthest behind, until the time is over or all are done."""
    revision = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    behind = sorted(PLACES, key=lambda kind: _killed(read_rows(path), kind) / _SHARES[kind])
    for kind in behind:
        wanted = round(kills * _SHARES[kind])
        if _killed(read_rows(path), kind) >= wanted or time.monotonic() > until_s:
            continue
        with rounds_on(kind) as rounds:
            for at, number in _todo(path, kind, wanted, len(rounds.base["boundaries"])):
                if time.monotonic() > until_s:
                    break
                came = one_round(rounds, kind, at, number)
                row = {"kind": kind, "at": at, "number": number, "revision": revision, **came}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")


def _todo(path: Path, kind: str, wanted: int, boundaries: int) -> Iterator[tuple[str, int]]:
    known = {(r["at"], r["number"]) for r in read_rows(path) if r["kind"] == kind}
    places = [("boundary", number) for number in range(1, boundaries + 1)]
    places += [("moment", number) for number in range(1, 4 * wanted)]
    for place in places:
        if _killed(read_rows(path), kind) >= wanted:
            return
        if place not in known:
            yield place


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
    wrong = [r for r in rows if r["lost"] or r["events"] or r["repeated"] > r["in_flight"]]
    names = sorted({row["revision"] for row in rows})
    return {"sums": sums, "revisions": names, "wrong": wrong[:10], "rounds wrong": len(wrong)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=8.0)
    given = parser.parse_args()
    go_on(given.file, given.kills, time.monotonic() + given.minutes * 60)
    print(json.dumps(summary(read_rows(given.file)), indent=1))
