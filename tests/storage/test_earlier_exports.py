"""An export of an earlier version is read, and becomes what its database would have become."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import Table, insert, select

from hammerstone.core.errors import BadRequest
from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from hammerstone.storage.files.location import locate_url
from hammerstone.storage.files.transfer import export_to, import_from
from hammerstone.storage.files.transfer.archive import Manifest, describe, line_of
from hammerstone.storage.files.transfer.load import tables_there
from hammerstone.storage.migrate import HEAD, REVISIONS, migrate
from hammerstone.storage.raw_rows import rows_of
from hammerstone.storage.schema import metadata
from tests.storage.test_transfer import content, fill, other, other_url

__all__ = ["other", "other_url"]


Rows = dict[str, list[dict[str, object]]]


@pytest.fixture(scope="module")
def rows_of_now(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return asyncio.run(_rows_of_now(tmp_path_factory.mktemp("filled")))


async def earlier(url: str, schema: str, folder: Path, rows: Rows) -> None:
    """A database of an earlier schema with something in each of its tables, and its export."""
    database = Database.unopened(locate_url(url))
    await migrate(database.engine, database.dialect, url, schema)
    async with database.access.writing() as connection:
        there = await connection.run_sync(tables_there)
        tables = [table for table in there if table.name in metadata.tables]  # none of FTS's own
        for table in tables:
            for row in rows.get(table.name, []):
                known = {each.name: row.get(each.name, "gone") for each in table.columns}
                await connection.execute(insert(table).values(known))
    out = folder / "export"
    out.mkdir()
    async with database.access.reading() as connection:
        files = {
            table.name: describe(path, count)
            for table in tables
            for path, count in [await _written(connection, table, out)]
        }
    Manifest(schema, "sqlite", "2026-01-01T00:00:00+00:00", files).save(out)
    await database.close()


async def _rows_of_now(folder: Path) -> Rows:
    """Rows for every table, as the stores of this version write them."""
    filled = await Database.open_url(f"sqlite:///{folder}/filled.db")
    await fill(filled)
    async with filled.access.snapshot() as connection:
        found = {
            table.name: [dict(row) async for row in rows_of(connection, table)]  # type: ignore[arg-type]
            for table in metadata.sorted_tables
            if table.name != "revisions"
        }
    await filled.close()
    return found


async def _written(connection, table: Table, folder: Path) -> tuple[Path, int]:
    path = folder / f"{table.name}.jsonl"
    rows = (await connection.execute(select(table))).mappings().all()
    path.write_text("".join(line_of(table, row) + "\n" for row in rows), "ascii")
    return path, len(rows)


@pytest.mark.parametrize("schema", ["0001", "0008", "0010", "0014", "0020", REVISIONS[-2]])
async def test_an_export_becomes_what_its_database_becomes(
    schema: str, other: Database, tmp_path: Path, rows_of_now: Rows
):
    url = f"sqlite:///{tmp_path}/earlier.db"
    await earlier(url, schema, tmp_path, rows_of_now)
    report = await import_from(other, tmp_path / "export")
    assert report.broken == []
    migrated = await Database.open_url(url)
    assert migrated.found_revision == schema
    expected = await content(migrated)
    assert len([name for name, rows in expected.items() if rows]) > 15
    assert await content(other) == expected
    assert report.rows == {name: len(rows) for name, rows in expected.items()} | {
        "revisions": report.rows["revisions"]
    }
    assert (await check(other)).problems == []
    await migrated.close()


async def test_broken_rows_of_an_earlier_export_are_listed_and_the_rest_is_read(
    tmp_path: Path, rows_of_now: Rows
):
    await earlier(f"sqlite:///{tmp_path}/earlier.db", "0010", tmp_path, rows_of_now)
    path = tmp_path / "export" / "executions.jsonl"
    path.write_text(path.read_text() + "{}\n")
    new = await Database.open_url(f"sqlite:///{tmp_path}/new.db")
    with pytest.raises(BadRequest, match="not what the manifest says"):
        await import_from(new, tmp_path / "export")
    report = await import_from(new, tmp_path / "export", accept_changes=True)
    assert [str(row) for row in report.broken] == ["executions line 2: column arguments is missing"]
    assert report.rows["executions"] == 1
    await new.close()


async def test_an_export_of_a_schema_that_nobody_knows_is_refused(db: Database, tmp_path: Path):
    await export_to(db, tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    path.write_text(path.read_text().replace(f'"schema": "{HEAD}"', '"schema": "9999"'))
    new = await Database.open_url(f"sqlite:///{tmp_path}/new.db")
    with pytest.raises(BadRequest, match="schema 9999"):
        await import_from(new, tmp_path / "out")
    await new.close()
