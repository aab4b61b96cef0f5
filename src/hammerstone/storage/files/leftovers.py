"""Takes hold of an SQLite database, after a look at what a crash or a copy left beside it.

A `-wal` that stays behind after a crash is replayed by SQLite whoever it belongs to: it is tied
to its database by nothing but its name. Beside a database that was put back from a backup, or
copied while it was in use, replaying it destroys what was whole. So the first process to come
looks at such a database read-only, with its `-wal` and without, and refuses it when it would be
made worse.
"""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from hammerstone.core.database_files import wal_file
from hammerstone.core.errors import DatabaseDamaged
from hammerstone.storage.dialects.translate import damaged
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.location import Location, make_file, make_folder, unusable

READ_ONLY = "mode=ro"
_LARGE_BYTES = 512 << 20  # the quick check leaves out whether indexes match, a seventh of the time
WITHOUT_WAL = "immutable=1"  # no locks, no side files: the file as it lies there


def wal_bytes(file: Path) -> int:
    try:
        return wal_file(file).stat().st_size
    except FileNotFoundError:
        return 0


def refuse_what_would_get_worse(hold: Hold) -> None:
    """Look, if there is a reason to and nobody else is there; raises `DatabaseDamaged`."""
    file = hold.file
    if not hold.alone:
        return
    waiting = wal_bytes(file)
    if not file.stat().st_size:
        if waiting:
            raise lonely_wal(file)
        return
    if not waiting and hold.knows_the_file():
        return
    # Without a -wal, reading it as one that nobody changes leaves no side files behind.
    problem = first_problem(file, READ_ONLY if waiting else WITHOUT_WAL)
    if problem and waiting and not first_problem(file, WITHOUT_WAL):
        raise foreign_wal(file, problem)
    if problem:
        raise damaged(problem, str(file))
    hold.remember_the_file()


def first_problem(file: Path, how: str) -> str:
    """What SQLite says is wrong with the file, read as `how` says; empty when it is whole."""
    try:
        with closing(read_only(file, how)) as connection:
            look = "integrity_check" if file.stat().st_size < _LARGE_BYTES else "quick_check"
            found = connection.execute(f"PRAGMA {look}(1)").fetchone()[0]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return str(error)
        return ""  # no right to read, no space for the index of the -wal: opening will say it
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else str(found).strip().replace("\n", "; ")


def read_only(file: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(file))}?{how}", uri=True)


def foreign_wal(file: Path, problem: str) -> DatabaseDamaged:
    return DatabaseDamaged(
        f"{wal_file(file).name} does not belong to {file.name}: the database is whole without it, "
        f"and with it {problem}",
        hint="`hammerstone db recover` makes a whole database from what is there; nothing was "
        "changed",
        reason="foreign_wal",
        path=str(file),
    )


def lonely_wal(file: Path) -> DatabaseDamaged:
    """For a `-wal` with rows in it and no database: SQLite would delete it without a word."""
    return DatabaseDamaged(
        f"{wal_file(file).name} is there and has rows, but {file.name} is empty or missing",
        hint=f"put {file.name} back beside it; to begin anew, move {wal_file(file).name} away",
        reason="lonely_wal",
        path=str(file),
    )


async def take_hold(location: Location, *, make: bool = True) -> Hold | None:
    """The hold of this process, shared; the file made if it is missing and `make` says so.

    None on PostgreSQL. Raises `DatabaseDamaged` for a file that SQLite would make worse by
    opening it, and `DataDirectoryError` for a folder that cannot be used.
    """
    if location.file is None:
        return None
    # The file behind a symbolic link: two names of one database have one hold.
    file = location.file.resolve()
    if make:
        make_folder(file)
    try:
        hold = await Hold.take(file)
    except OSError as error:
        raise unusable(file.parent, error) from None
    try:
        if hold.alone and not file.exists() and wal_bytes(file):
            raise lonely_wal(file)
        if make and make_file(file):
            hold.remember_the_file()
        await asyncio.to_thread(refuse_what_would_get_worse, hold)
        await hold.share()
    except BaseException:
        hold.release()
        raise
    return hold
