"""A backup written while others go on working, and verified when it is written."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from hammerstone.core.errors import BadRequest, StorageError
from hammerstone.core.settings import Settings
from hammerstone.core.version import VERSION
from hammerstone.storage.database import Database
from hammerstone.storage.files.backup import backup
from hammerstone.storage.files.backups.contents import (
    DATABASE,
    FILES,
    TABLES,
    BackupManifest,
    copy_files,
    hashes,
    verify,
)
from hammerstone.storage.files.leftovers import WITHOUT_WAL, read_only
from hammerstone.storage.files.location import locate, must_exist
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
