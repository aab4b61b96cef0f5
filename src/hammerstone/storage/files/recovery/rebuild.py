"""A new database from what is left of a damaged one."""

import json
import os
import sqlite3
import tempfile
from base64 import b64encode
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hammerstone.core.database_files import hold_file, side_files
from hammerstone.core.errors import BadRequest
from hammerstone.storage.database import Database
from hammerstone.storage.files.check import check
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.location import locate_url, make_file, make_folder
from hammerstone.storage.files.recovery.survey import Survey, survey
from hammerstone.storage.files.recovery.trees import Value
from hammerstone.storage.migrate import HEAD, REVISIONS, VERSION_TABLE, migrate
from hammerstone.storage.raw_rows import BrokenRow, rows_of
from hammerstone.storage.schema import metadata

_NOT_OURS = ("sqlite_", "entry_words")  # made anew with the rows they are about
_COUNTERS = "revisions"


@dataclass(slots=True)
class RecoveryReport:
    """What the new database has, and what is missing from it."""

    target: Path
    revision: str
    without_wal: bool
    bad_pages: int
    rows: dict[str, int] = field(default_factory=dict[str, int])
    missing: dict[str, str] = field(default_factory=dict[str, str])
    left_out: list[BrokenRow] = field(default_factory=list[BrokenRow])
    left_out_file: Path | None = None
    problems: list[str] = field(default_factory=list[str])

    @property
    def complete(self) -> bool:
        return not (self.missing or self.left_out or self.problems)


async def look(hold: Hold) -> Survey:
    """What is left in the file, without making anything of it."""
    return survey(hold, await schema_of(HEAD))


async def rebuild(hold: Hold, target: Path) -> RecoveryReport:
    """Make `target`, which must not exist, from what is left in the file of `hold`.

    That file is only read. The new one appears under its name when it is complete. Rows that
    can be read and not stored (their session is lost, their content is broken) go into a file
    beside it, one JSON object a line.
    """
    left_out = target.with_name(f"{target.name}.left-out.jsonl")
    for path in (target, left_out):
        if path.exists():
            raise BadRequest(f"{path} exists already", hint="name a new file with --to")
    make_folder(target)
    found = survey(hold, await schema_of(HEAD))
    revision = _revision(found)
    if revision != HEAD:
        found = survey(hold, await schema_of(revision))
    report = RecoveryReport(target, revision, found.without_wal, len(found.bad_pages))
    report.missing = found.missing
    with _under_another_name(target) as part:
        await _make(part, revision)
        refused = _fill(part, found, report)
        await _finish(part, report, refused)
        if refused:
            _write_left_out(left_out, refused)
            report.left_out_file = left_out
    return report


async def schema_of(revision: str) -> dict[str, str]:
    """The CREATE statement of each of our tables at a revision, from a database made for it."""
    with tempfile.TemporaryDirectory(prefix="hammerstone-schema-") as folder:
        file = Path(folder) / "schema.db"
        await _make(file, revision)
        with closing(sqlite3.connect(file)) as connection:
            rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
            return {name: sql for name, sql in rows if not name.startswith(_NOT_OURS)}


def _revision(found: Survey) -> str:
    rows = list(found.tables[VERSION_TABLE].rows.values())
    said = str(rows[0][0]) if rows else HEAD
    return said if said in REVISIONS else HEAD


async def _make(file: Path, revision: str) -> None:
    make_file(file)
    database = Database.unopened(locate_url(f"sqlite:///{file}"))
    try:
        await migrate(database.engine, database.dialect, str(file), revision)
    finally:
        await database.close()


@contextmanager
def _under_another_name(target: Path) -> Generator[Path, None, None]:
    """A path to make the new database at; it gets its name when the block has ended well."""
    part = target.with_name(f".{target.name}.part")
    _remove(part)
    try:
        yield part
        part.replace(target)
    finally:
        _remove(part)


def _remove(file: Path) -> None:
    for path in (file, *side_files(file), hold_file(file)):
        path.unlink(missing_ok=True)


def _fill(part: Path, found: Survey, report: RecoveryReport) -> dict[BrokenRow, dict[str, Value]]:
    """Store the rows that were found; those that the schema refuses, and why."""
    refused: dict[BrokenRow, dict[str, Value]] = {}
    with closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")  # looked at when every row is there
        connection.execute("BEGIN IMMEDIATE")
        for name, table in found.tables.items():
            if name == VERSION_TABLE:
                continue
            verb = "INSERT OR REPLACE" if name == _COUNTERS else "INSERT"
            marks = ", ".join("?" for _ in table.columns.names)
            columns = ", ".join(f'"{column}"' for column in table.columns.names)
            statement = f'{verb} INTO "{name}" ({columns}) VALUES ({marks})'
            for rowid, row in table.rows.items():
                try:
                    connection.execute(statement, row)
                except sqlite3.Error as error:
                    broken = BrokenRow(name, str(rowid), str(error))
                    refused[broken] = dict(zip(table.columns.names, row, strict=True))
        # Nothing that was remembered elsewhere under an old number may look current.
        connection.execute(f"UPDATE {_COUNTERS} SET number = number + 1")  # noqa: S608
        refused |= _take_out_dangling(connection)
        connection.execute("COMMIT")
    return refused


def _take_out_dangling(connection: sqlite3.Connection) -> dict[BrokenRow, dict[str, Value]]:
    """Rows that point at a row that is lost, and what points at those in turn."""
    taken: dict[BrokenRow, dict[str, Value]] = {}
    connection.row_factory = sqlite3.Row
    while found := connection.execute("PRAGMA foreign_key_check").fetchall():
        for table, rowid, parent, _ in found:
            where = f'FROM "{table}" WHERE rowid = ?'
            row = connection.execute(f"SELECT * {where}", (rowid,)).fetchone()
            if row is not None:
                reason = f"what it points at in {parent} is lost"
                taken[BrokenRow(table, str(rowid), reason)] = dict(row)
                connection.execute(f"DELETE {where}", (rowid,))
    return taken


async def _finish(
    part: Path, report: RecoveryReport, refused: dict[BrokenRow, dict[str, Value]]
) -> None:
    """Bring it to this version's schema, take out what makes no sense, and check it."""
    broken: list[BrokenRow] = []
    async with _opened(part) as database, database.access.snapshot() as connection:
        for table in metadata.sorted_tables:
            rows = rows_of(connection, table)
            broken += [row async for row in rows if isinstance(row, BrokenRow)]
    with closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("BEGIN IMMEDIATE")
        for row in broken:
            refused |= _take_out(connection, row)
        refused |= _take_out_dangling(connection)
        connection.execute("COMMIT")
    async with _opened(part) as database:
        found = await check(database)
    report.rows, report.problems = found.rows, found.problems
    report.left_out = list(refused)


@asynccontextmanager
async def _opened(part: Path) -> AsyncGenerator[Database, None]:
    database = await Database.open_url(f"sqlite:///{part}")
    try:
        yield database
    finally:
        await database.close()


def _take_out(
    connection: sqlite3.Connection, broken: BrokenRow
) -> dict[BrokenRow, dict[str, Value]]:
    connection.row_factory = sqlite3.Row
    names = metadata.tables[broken.table].primary_key.columns.keys()
    where = f'FROM "{broken.table}" WHERE ' + " AND ".join(f'"{name}" IS ?' for name in names)
    row = connection.execute(f"SELECT * {where}", broken.key).fetchone()
    connection.execute(f"DELETE {where}", broken.key)
    return {broken: dict(row) if row else {}}


def _write_left_out(path: Path, refused: dict[BrokenRow, dict[str, Value]]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        for broken, row in refused.items():
            shown = {
                name: b64encode(value).decode() if isinstance(value, bytes) else value
                for name, value in row.items()
            }
            line = {"table": broken.table, "reason": broken.reason, "row": shown}
            file.write(json.dumps(line) + "\n")
