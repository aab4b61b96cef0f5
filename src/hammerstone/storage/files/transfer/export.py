"""A database written out as files, as it was at one moment."""

from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.storage.database import Database
from hammerstone.storage.files.transfer.archive import (
    Manifest,
    TableFile,
    TransferReport,
    describe,
    folder_for_writing,
    line_of,
)
from hammerstone.storage.migrate import HEAD
from hammerstone.storage.raw_rows import BrokenRow, rows_of
from hammerstone.storage.schema import metadata


async def export_to(database: Database, target: Path) -> TransferReport:
    """Write every table to `target`, a folder or a .tar.gz that must not exist yet.

    Rows that cannot be read, or whose content contradicts itself, are left out and listed.
    """
    report = TransferReport()
    tables: dict[str, TableFile] = {}
    with folder_for_writing(target) as folder:
        async with database.access.snapshot() as connection:
            for table in metadata.sorted_tables:
                path = folder / f"{table.name}.jsonl"
                count = await _write_table(connection, table, path, report)
                report.rows[table.name] = count
                tables[table.name] = describe(path, count)
        now = database.access.clock.now().isoformat()
        Manifest(HEAD, database.dialect_name, now, tables).save(folder)
    return report


async def _write_table(
    connection: AsyncConnection, table: Table, path: Path, report: TransferReport
) -> int:
    count = 0
    with path.open("w", encoding="ascii") as file:
        async for row in rows_of(connection, table):
            if isinstance(row, BrokenRow):
                report.broken.append(row)
                continue
            file.write(line_of(table, row) + "\n")
            count += 1
    return count
