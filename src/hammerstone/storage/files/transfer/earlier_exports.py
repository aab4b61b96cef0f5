"""Exports that earlier versions wrote, as this version would have written them.

Their rows go into a database of the schema that they come from, which is then migrated as any
other: what a migration makes of rows is said in one place.
"""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, MetaData, Table, Text

from hammerstone.storage.database import Database
from hammerstone.storage.dialects.types import AnyText
from hammerstone.storage.files.location import locate_url, make_file
from hammerstone.storage.files.transfer.archive import TransferReport
from hammerstone.storage.files.transfer.export import export_to
from hammerstone.storage.files.transfer.table_loading import load_tables
from hammerstone.storage.migrate import HEAD, VERSION_TABLE, migrate
from hammerstone.storage.schema import metadata


@asynccontextmanager
async def as_of_now(
    folder: Path, schema: str, report: TransferReport
) -> AsyncGenerator[Path, None]:
    """A folder with the export in the schema of this version, for as long as the block lasts.

    Rows that cannot be taken along are added to those that the report lists.
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
