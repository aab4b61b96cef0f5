"""Tables of an export, stored row by row."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Table, insert, select
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.storage.files.transfer.archive import TransferReport
from hammerstone.storage.files.transfer.lines import row_of
from hammerstone.storage.raw_rows import BATCH, BrokenRow
from hammerstone.storage.schema import revisions


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
