"""A backup written while others go on working, and verified; a copy of an SQLite database alone."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from hammerstone.core.database_files import side_files
from hammerstone.core.errors import BadRequest, StorageError
from hammerstone.core.settings import Settings
from hammerstone.core.version import VERSION
from hammerstone.storage.database import Database
from hammerstone.storage.dialects.translate import translated
from hammerstone.storage.files.backups.contents import (
    DATABASE,
    FILES,
    TABLES,
    BackupManifest,
    copy_files,
    hashes,
    verify,
)
from hammerstone.storage.files.leftovers import READ_ONLY, WITHOUT_WAL, first_problem, read_only
from hammerstone.storage.files.location import locate, make_file, make_folder, must_exist, unusable
from hammerstone.storage.files.transfer.archive import folder_for_reading, folder_for_writing
from hammerstone.storage.files.transfer.export import export_to
from hammerstone.storage.migrate import HEAD, revision_of


async def write_backup(settings: Settings, target: Path) -> BackupManifest:
    """Write database and files to `target`, a new folder or .tar.gz outside the data folder.

    The database is as it was at one moment; files are copied after it, so that what its rows name
    is there. Raises `StorageError` where a row cannot be read: such a backup would not be whole.
    """
    _refuse_inside(settings.data_dir, target)
    location = locate(settings)
    must_exist(location)
    database = await Database.open_as_is(location)
    try:
        async with database.access.reading() as connection:
            schema = await revision_of(connection, database.dialect) or ""
        with folder_for_writing(target) as folder:
            rows = await _write_database(database, schema, folder)
            await asyncio.to_thread(copy_files, settings.data_dir, folder / FILES)
            files = await asyncio.to_thread(hashes, folder)
            now = database.access.clock.now().isoformat()
            name = database.dialect_name
            BackupManifest(VERSION, schema, name, now, rows, files).save(folder)
    finally:
        await database.close()
    return await asyncio.to_thread(_verified, target)


def _refuse_inside(data_dir: Path, target: Path) -> None:
    if target.expanduser().absolute().is_relative_to(data_dir.absolute()):
        raise BadRequest(
            f"{target} lies in the data folder, which may be lost as a whole",
            hint="give a place elsewhere, best on another disk",
        )


async def _write_database(database: Database, schema: str, folder: Path) -> dict[str, int]:
    """The rows of each table that were written."""
    if database.location.file is not None:
        await backup(database, folder / DATABASE)
        return await asyncio.to_thread(_counted, folder / DATABASE)
    if schema != HEAD:
        raise BadRequest(
            f"the database has schema {schema or 'none'}, this version writes {HEAD}",
            hint="back it up with the version that wrote it, or run `hammerstone db migrate` first",
        )
    report = await export_to(database, folder / TABLES)
    if report.broken:
        raise StorageError(
            f"{len(report.broken)} rows cannot be read, first {report.broken[0]}",
            hint="`hammerstone db check` names them; `hammerstone db export` writes all others",
        )
    return report.rows


def _counted(file: Path) -> dict[str, int]:
    """The rows of each table of an SQLite file that nobody else has open."""
    with closing(read_only(file, WITHOUT_WAL)) as connection:
        named = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        names = sorted(str(row[0]) for row in named)
        return {name: _count(connection, name) for name in names}


def _count(connection: sqlite3.Connection, table: str) -> int:
    return connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]  # noqa: S608


def _verified(target: Path) -> BackupManifest:
    """Read it again from where it lies; one that is not whole does not stay."""
    try:
        with folder_for_reading(target) as folder:
            return verify(folder)
    except BadRequest:
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
        raise


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
