"""A database with something in it, and ways to damage it. The file is closed meanwhile."""

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from hammerstone.core.database_files import side_files
from hammerstone.storage import Database

PAGE = 4096
SESSIONS = 60
MESSAGES = 6


async def fill(file: Path, sessions: int = SESSIONS) -> None:
    database = await Database.open_url(f"sqlite:///{file}")
    for number in range(sessions):
        async with database.transaction() as stores:
            await stores.sessions.create("ada", f"s{number}")
            for each in range(MESSAGES):
                text = f"{number}.{each} " + "x" * (37 * number % 6000)
                await stores.messages.append(f"s{number}", "user", text)
    for number in range(50):
        await database.index.upsert(f"key{number}", "mini", None, f"word{number} percent")
    await database.policies.put("p", 1, "ada", "kept")
    await database.close()


def pages(file: Path) -> int:
    return file.stat().st_size // PAGE


def destroy(file: Path, number: int, content: bytes | None = None) -> None:
    """Overwrite one page with noise."""
    with file.open("r+b") as opened:
        opened.seek((number - 1) * PAGE)
        opened.write(content or os.urandom(PAGE))


def rows(file: Path) -> dict[str, dict[int, tuple[object, ...]]]:
    """Every row of every table of ours, by rowid."""
    with closing(sqlite3.connect(file)) as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type='table'")
            if not name.startswith(("sqlite_", "entry_words", "hammerstone_version"))
        ]
        return {
            name: {row[0]: row[1:] for row in connection.execute(f"SELECT rowid, * FROM {name}")}
            for name in names
        }


def root_of(file: Path, name: str) -> int:
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return connection.execute(query, (name,)).fetchone()[0]


def fingerprint(file: Path) -> dict[str, str]:
    """Of the file and its `-wal`: what a look must leave as it was."""
    kept = [path for path in (file, *side_files(file)[:1]) if path.exists()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}
