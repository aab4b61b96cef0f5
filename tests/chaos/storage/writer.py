"""A process that writes to a database until it is told to stop, or is killed.

    python writer.py URL NAME COUNT [as-nobody | stop-in-migration]

Says `open`, then the number of each batch after it was stored. Each batch is one transaction
of a session, a message and ten events.
"""

import asyncio
import importlib
import os
import sys
import time
from datetime import UTC, datetime

from sqlalchemy import Connection

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.errors import HammerstoneError
from hammerstone.storage import Database, migrate

EVENTS = 10
NOBODY = 65534


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def write(url: str, name: str, count: int) -> None:
    database = await Database.open_url(url)
    say("open")
    for number in range(count):
        run = f"{name}-{number}"
        now = datetime.now(UTC)
        events = [
            Event(EventKind.EXECUTING, run, run, n, now, "x" * 500, {"n": n}) for n in range(EVENTS)
        ]
        async with database.transaction() as stores:
            await stores.sessions.create(name, run)
            await stores.events.append(events)
            await stores.messages.append(run, "user", run, None)
        say(number)
    await database.close()


def become_nobody() -> None:
    """Give up root's rights, once everything is loaded: the interpreter may lie in root's home."""
    for module in ("aiosqlite", "sqlalchemy.dialects.sqlite.aiosqlite", "alembic.command"):
        importlib.import_module(module)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def stop_in_migration() -> None:
    """Halt when every table has been made and nothing is committed."""
    upgrade = migrate._upgrade

    def halting(connection: Connection, target: str) -> None:
        upgrade(connection, target)
        say("migrating")
        time.sleep(300)

    migrate._upgrade = halting


def main(url: str, name: str, count: str, mode: str = "") -> int:
    if mode == "as-nobody":
        become_nobody()
    elif mode == "stop-in-migration":
        stop_in_migration()
    try:
        asyncio.run(write(url, name, int(count)))
    except HammerstoneError as error:
        say(f"{error.code}/{error.data.get('reason', '')}: {error.message}")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
