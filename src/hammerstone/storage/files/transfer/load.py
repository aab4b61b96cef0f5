"""An export read into an empty database; what an earlier version wrote is migrated first."""

import tempfile
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, Text, exists, insert, select
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import BadRequest, StorageError
from hammerstone.storage.database import Database
from hammerstone.storage.dialects.types import AnyText
from hammerstone.storage.files.location import locate_url, make_file
from hammerstone.storage.files.transfer.archive import (
    Manifest,
    TransferReport,
    folder_for_reading,
    hash_of,
    row_of,
)
from hammerstone.storage.files.transfer.export import export_to
from hammerstone.storage.migrate import HEAD, REVISIONS, VERSION_TABLE, migrate
from hammerstone.storage.raw_rows import BATCH, BrokenRow
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


@asynccontextmanager
async def as_of_now(
    folder: Path, schema: str, report: TransferReport
) -> AsyncGenerator[Path, None]:
    """A folder with the export in the schema of this version, for as long as the block lasts.

    What an earlier version wrote goes into a database of the schema that it comes from, which is
    then migrated as any other: what a migration makes of rows is said in one place. Rows that
    cannot be taken along are added to those that the report lists.
    """
    if schema == HEAD:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="hammerstone-earlier-") as scratch:
        file, migrated = Path(scratch) / "earlier.db", Path(scratch) / "migrated"
        make_file(file)
        database = Database.unopened(locate_url(f"sqlite:///{file}"))
        try:
            await migrate(database.engine, database.dialect, str(file), schema)
            found = TransferReport(broken=report.broken)
            async with database.access.writing() as connection:
                tables = await connection.run_sync(tables_there)
                await load_tables(connection, tables, folder, found)
            await migrate(database.engine, database.dialect, str(file))
            report.broken.extend((await export_to(database, migrated)).broken)
        finally:
            await database.close()
        yield migrated


def tables_there(connection: Connection) -> list[Table]:
    """The tables that are there. A column that this version has as well is written as its own."""
    there = MetaData()
    there.reflect(connection)
    for table in there.tables.values():
        known = metadata.tables.get(table.name)
        for column in table.columns:
            if known is not None and column.name in known.columns:
                column.type = known.columns[column.name].type
            elif isinstance(column.type, Text):
                column.type = AnyText()
    return [table for table in there.sorted_tables if table.name != VERSION_TABLE]


async def load_tables(
    connection: AsyncConnection, tables: Iterable[Table], folder: Path, report: TransferReport
) -> None:
    """Store what the export has of these tables; rows that cannot be stored are noted."""
    for table in tables:
        path = folder / f"{table.name}.jsonl"
        if path.exists():
            report.rows[table.name] = await _load(connection, table, path, report)


async def _load(
    connection: AsyncConnection, table: Table, path: Path, report: TransferReport
) -> int:
    if table.name == revisions.name:
        return await _load_revisions(connection, path, report)
    count = 0
    batch: list[tuple[int, dict[str, Any]]] = []
    for number, row in _rows(table, path, report):
        batch.append((number, row))
        if len(batch) == BATCH:
            count += await _store(connection, table, batch, report)
            batch = []
    return count + await _store(connection, table, batch, report)


def _rows(table: Table, path: Path, report: TransferReport) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                yield number, row_of(table, line)
            except (ValueError, TypeError) as error:
                report.broken.append(BrokenRow(table.name, f"line {number}", str(error)))


async def _store(
    connection: AsyncConnection,
    table: Table,
    batch: list[tuple[int, dict[str, Any]]],
    report: TransferReport,
) -> int:
    """Insert a batch at once; if the database objects, one by one to find who is to blame."""
    if not batch:
        return 0
    try:
        async with connection.begin_nested():
            await connection.execute(insert(table), [row for _, row in batch])
        return len(batch)
    except (DBAPIError, StatementError) as error:
        if isinstance(error, DBAPIError) and error.connection_invalidated:
            raise
        if len(batch) == 1:
            report.broken.append(BrokenRow(table.name, f"line {batch[0][0]}", _reason(error)))
            return 0
        middle = len(batch) // 2
        first = await _store(connection, table, batch[:middle], report)
        return first + await _store(connection, table, batch[middle:], report)


def _reason(error: StatementError) -> str:
    return str(error.orig or error).strip().splitlines()[0]


async def _load_revisions(connection: AsyncConnection, path: Path, report: TransferReport) -> int:
    """Counters go on from the higher side, so that nothing remembered elsewhere looks fresh."""
    present = (await connection.execute(select(revisions.c.name, revisions.c.number))).all()
    numbers = {row.name: row.number for row in present}
    count = 0
    for _, row in _rows(revisions, path, report):
        number = max(numbers.get(row["name"], 0), row["number"] + 1)
        statement = revisions.update().where(revisions.c.name == row["name"])
        count += (await connection.execute(statement.values(number=number))).rowcount
    return count
