"""A copy of an SQLite database, made by SQLite while others go on writing."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from hammerstone.core.database_files import side_files
from hammerstone.core.errors import BadRequest, StorageError
from hammerstone.core.settings import Settings
from hammerstone.storage.database import Database
from hammerstone.storage.dialects.translate import translated
from hammerstone.storage.files.leftovers import READ_ONLY, first_problem, read_only
from hammerstone.storage.files.location import locate, make_file, make_folder, unusable

_PAGES = 1000  # a step; writers get their turn between two of them


async def backup(database: Database, target: Path) -> int:
    """Write the database as it is now to `target`, which must not exist; its size in bytes.

    The copy is whole and needs no side files. It appears under its name when it is complete.
    """
    source = database.location.file
    if source is None:
        raise BadRequest(
            "a PostgreSQL database is no file that could be copied",
            hint="`hammerstone backup` writes what is in it; pg_dump does, too",
        )
    return await asyncio.to_thread(_copy, source.resolve(), target)


async def copy_database(settings: Settings, target: Settings) -> bool:
    """Copies the database of `settings` to where `target` has its own; False for one that is no
    file, of which no copy is made."""
    source, place = locate(settings).file, locate(target).file
    if source is None or place is None:
        return False
    if source.exists():
        await asyncio.to_thread(_copy, source.resolve(), place)
    return True


def _copy(source: Path, target: Path) -> int:
    if target.exists():
        raise BadRequest(f"{target} already exists", hint="give a path that does not exist yet")
    make_folder(target)
    part = target.with_name(f".{target.name}.part")
    try:
        for path in (part, *side_files(part)):
            path.unlink(missing_ok=True)
        make_file(part)
        with closing(read_only(source, READ_ONLY)) as old, closing(sqlite3.connect(part)) as new:
            old.execute("PRAGMA busy_timeout=30000")
            old.backup(new, pages=_PAGES)
            new.execute("PRAGMA journal_mode=DELETE")  # one file; opened again it is WAL as before
        if problem := first_problem(part, READ_ONLY):
            raise StorageError(f"the copy is not whole: {problem}", reason="damaged")
        part.replace(target)
        return target.stat().st_size
    except sqlite3.Error as error:
        raise translated(error, str(source)) from error
    except OSError as error:
        raise unusable(target.parent, error) from None
    finally:
        for path in (part, *side_files(part)):
            path.unlink(missing_ok=True)
