"""An export read into an empty database."""

from pathlib import Path

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import BadRequest, StorageError
from hammerstone.storage.database import Database
from hammerstone.storage.files.transfer.archive import (
    Manifest,
    TransferReport,
    folder_for_reading,
    hash_of,
)
from hammerstone.storage.files.transfer.earlier_exports import as_of_now
from hammerstone.storage.files.transfer.table_loading import load_tables
from hammerstone.storage.migrate import REVISIONS
from hammerstone.storage.schema import metadata, revisions


async def import_from(
    database: Database, source: Path, *, accept_changes: bool = False
) -> TransferReport:
    """Read an export into an empty database, all in one transaction.

    Rows that cannot be stored (not readable, pointing at something that is not there) are left
    out and listed. Files that are not what the manifest promised are refused, unless changes
    to them are accepted. What an earlier version wrote is migrated first.
    """
    report = TransferReport()
    with folder_for_reading(source) as folder:
        manifest = Manifest.load(folder)
        if manifest.schema not in REVISIONS:
            raise BadRequest(
                f"the export has schema {manifest.schema}, "
                f"this version reads {REVISIONS[0]} to {REVISIONS[-1]}",
                hint="upgrade Hammerstone, or export it with the version that is here",
            )
        if not accept_changes:
            _verify(folder, manifest)
        async with database.access.writing() as connection:
            await _must_be_empty(connection)
            async with as_of_now(folder, manifest.schema, report) as current:
                await load_tables(connection, metadata.sorted_tables, current, report)
            for table in metadata.sorted_tables:
                if "id" in table.c and table.c.id.autoincrement is True:
                    await database.dialect.fix_numbering(connection, table)
    return report


def _verify(folder: Path, manifest: Manifest) -> None:
    for name, promised in manifest.tables.items():
        path = folder / promised.file
        if not path.exists() or hash_of(path) != promised.sha256:
            raise BadRequest(
                f"{promised.file} is not what the manifest says",
                hint="export again, or accept the change with --accept-changes",
                table=name,
            )


async def _must_be_empty(connection: AsyncConnection) -> None:
    for table in metadata.sorted_tables:
        if table is revisions:
            continue
        if (await connection.execute(select(exists().select_from(table)))).scalar_one():
            raise StorageError(
                f"the database to import into is not empty: it has {table.name}",
                hint="import into a new database or data directory",
                reason="not_empty",
            )
