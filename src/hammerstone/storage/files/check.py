"""Is everything in the database what it should be?"""

from dataclasses import dataclass

from sqlalchemy import Table, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.storage.database import Database
from hammerstone.storage.migrate import HEAD, revision_of
from hammerstone.storage.raw_rows import BrokenRow, rows_of
from hammerstone.storage.schema import (
    assessments,
    metadata,
    pointer_moves,
    pointers,
    vectors,
    versions,
)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at, and what is wrong; nothing is changed."""

    revision: str | None
    rows: dict[str, int]
    problems: list[str]
    damaged: bool = False  # the file itself, so that more may be missing than is listed

    @property
    def ok(self) -> bool:
        return not self.problems


async def check(database: Database) -> CheckReport:
    """Look at files, schema, every row, version hashes and pointers."""
    rows: dict[str, int] = {}
    async with database.access.snapshot() as connection:
        revision = await revision_of(connection, database.dialect)
        if revision != HEAD:
            text = f"the schema is {revision or 'missing'}, this version uses {HEAD}"
            return CheckReport(revision, rows, [text])
        problems = await database.dialect.damage(connection)
        damaged = bool(problems)
        problems += await database.dialect.dangling(connection)
        for table in metadata.sorted_tables:
            rows[table.name] = await _read_all(connection, table, problems)
        try:
            problems += await _contradictions(connection)
        except DBAPIError as error:
            problems.append(f"pointers and versions cannot be compared: {error.orig}")
    return CheckReport(revision, rows, problems, damaged)


@dataclass(frozen=True, slots=True)
class VersionCheck:
    """Versions of tools whose hash was compared, and how many are not what it says."""

    checked: int = 0
    damaged: int = 0


async def check_versions(database: Database) -> VersionCheck:
    """Compare every stored version with its hash."""
    damaged: list[bool] = []
    async with database.access.snapshot() as connection:
        async for row in rows_of(connection, versions):
            damaged.append(isinstance(row, BrokenRow))
    return VersionCheck(len(damaged), sum(damaged))


async def _read_all(connection: AsyncConnection, table: Table, problems: list[str]) -> int:
    """How many rows of a table can be read; what is wrong with the others is noted."""
    count, lengths = 0, dict[str, set[int]]()
    async for row in rows_of(connection, table):
        if isinstance(row, BrokenRow):
            problems.append(str(row))
            continue
        count += 1
        if table is vectors:
            lengths.setdefault(row["space"], set()).add(len(row["vector"]))
    for space, sizes in sorted(lengths.items()):
        if len(sizes) > 1:
            problems.append(f"vectors: space {space} mixes vectors of different lengths")
    return count


async def _contradictions(connection: AsyncConnection) -> list[str]:
    problems: list[str] = []
    known = select(assessments.c.version_id)
    bare = select(versions.c.tool, versions.c.number).where(versions.c.id.not_in(known))
    for row in await connection.execute(bare):
        problems.append(f"versions: {row.tool} {row.number} was never assessed")
    dangling = select(pointers.c.tool).where(pointers.c.version_id.not_in(select(versions.c.id)))
    for tool in (await connection.execute(dangling)).scalars():
        problems.append(f"pointers: {tool} points at a version that does not exist")
    foreign = (
        select(pointers.c.tool, versions.c.tool.label("owner"))
        .join(versions, versions.c.id == pointers.c.version_id)
        .where(versions.c.tool != pointers.c.tool)
    )
    for row in await connection.execute(foreign):
        problems.append(f"pointers: {row.tool} points at a version of {row.owner}")
    return problems + await _pointers_without_decision(connection)


async def _pointers_without_decision(connection: AsyncConnection) -> list[str]:
    """Pointers that are not where the last recorded decision put them."""
    last = select(func.max(pointer_moves.c.id)).group_by(pointer_moves.c.tool)
    moves = select(pointer_moves.c.tool, pointer_moves.c.to_version).where(
        pointer_moves.c.id.in_(last)
    )
    decided = {row.tool: row.to_version for row in await connection.execute(moves)}
    actual = {
        row.tool: row.version_id
        for row in await connection.execute(select(pointers.c.tool, pointers.c.version_id))
    }
    return [
        f"pointers: {tool} is not where the last decision put it"
        for tool in sorted(decided.keys() | actual.keys())
        if decided.get(tool) != actual.get(tool)
    ]
