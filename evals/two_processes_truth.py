"""Whether a database is whole, and whether it has every row that was acknowledged."""

import asyncio
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from evals.two_processes_acts import Place, fork

_QUESTIONS = {
    "policy": "SELECT why FROM {}policies",
    "session": "SELECT id FROM {}sessions",
    "title": "SELECT title FROM {}sessions",
}


def examine(place: Place) -> dict[str, Any]:
    """Asked in a process of its own, through the database, while others may go on."""
    answer = place.folder / "answer"
    answer.unlink(missing_ok=True)
    pid = fork(lambda: _answer(place, answer), place.folder / "log")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status or not answer.exists():
        tail = (place.folder / "log").read_text(errors="replace")[-300:]
        return {"whole": False, "problems": [tail], "acknowledged": 0, "lost": 0}
    return json.loads(answer.read_text())


def _answer(place: Place, answer: Path) -> int:
    notes = place.notes("acknowledged")
    expected = {kind: {n[kind] for n in notes if kind in n} for kind in _QUESTIONS}
    acknowledged = sum(map(len, expected.values()))
    try:
        found, problems = _postgres(place.url) if place.url else _sqlite(place)
        lost = sum(len(expected[kind] - found[kind]) for kind in expected)
    except sqlite3.Error as error:
        problems, lost = [str(error)], acknowledged
    report = {
        "whole": not problems,
        "problems": problems,
        "acknowledged": acknowledged,
        "lost": lost,
    }
    answer.write_text(json.dumps(report))
    return 0


def _sqlite(place: Place) -> tuple[dict[str, set[str]], list[str]]:
    file = place.data / "hammerstone.db"
    with closing(sqlite3.connect(file, timeout=30)) as connection:
        rows = connection.execute("PRAGMA integrity_check").fetchall()
        rows += connection.execute("PRAGMA foreign_key_check").fetchall()
        found = {
            kind: {row[0] for row in connection.execute(question.format(""))}
            for kind, question in _QUESTIONS.items()
        }
    return found, [str(row[0]) for row in rows if row[0] != "ok"]


def _postgres(url: str) -> tuple[dict[str, set[str]], list[str]]:
    import psycopg

    from hammerstone.storage import Database
    from hammerstone.storage.files.check import check

    async def problems() -> list[str]:
        database = await Database.open_url(url)
        try:
            return (await check(database)).problems
        finally:
            await database.close()

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        found = {
            kind: {row[0] for row in connection.execute(question.format("hammerstone."))}
            for kind, question in _QUESTIONS.items()
        }
    return found, asyncio.run(problems())
