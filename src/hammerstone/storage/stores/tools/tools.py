"""Tools, their immutable versions, what is known about each, and which one is active."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import NotFound, ToolDamaged
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Status, Tool, Version
from hammerstone.storage.access import Access, bump, revision
from hammerstone.storage.rows import PointerMove
from hammerstone.storage.schema import (
    assessments,
    earned_trust,
    pointer_moves,
    pointers,
    tool_uses,
    tools,
    versions,
)
from hammerstone.storage.stores.tools.versions import (
    UNREADABLE,
    assessment_of,
    damaged_tool,
    sound_version,
    version_of,
    version_row,
)
from hammerstone.tracing.warn import warn

REVISION = "tools"

_VERSION = select(versions).where(versions.c.id == bindparam("which"))
_VERSIONS = (
    select(versions).where(versions.c.tool == bindparam("which")).order_by(versions.c.number)
)
_ASSESSMENTS = (
    select(assessments)
    .where(assessments.c.version_id == bindparam("which"))
    .order_by(assessments.c.id)
)
_POINTER = select(pointers.c.version_id).where(pointers.c.tool == bindparam("which"))
_MOVES = (
    select(pointer_moves)
    .where(pointer_moves.c.tool == bindparam("which"))
    .order_by(pointer_moves.c.id)
)


def _active_tools() -> Select[Any]:
    """Active versions with their latest assessment and use."""
    each = assessments.alias()
    latest = select(func.max(each.c.id)).where(each.c.version_id == versions.c.id).scalar_subquery()
    return (
        select(
            versions,
            assessments.c.status,
            assessments.c.confidence,
            earned_trust.c.chance.label("earned"),
            func.coalesce(tool_uses.c.uses, 0).label("uses"),
            func.coalesce(tool_uses.c.successes, 0).label("successes"),
        )
        .select_from(pointers)
        .join(versions, versions.c.id == pointers.c.version_id)
        .join(assessments, assessments.c.id == latest)
        .outerjoin(tool_uses, tool_uses.c.tool == versions.c.tool)
        .outerjoin(earned_trust, earned_trust.c.version_id == versions.c.id)
    )


def _latest_of_pointer() -> Any:
    each = assessments.alias()
    return (
        select(func.max(each.c.id)).where(each.c.version_id == pointers.c.version_id)
    ).scalar_subquery()


def _standings() -> Select[Any, Any, Any, Any]:
    return (
        select(
            pointers.c.tool,
            assessments.c.status,
            func.coalesce(tool_uses.c.uses, 0).label("uses"),
            func.coalesce(tool_uses.c.successes, 0).label("successes"),
        )
        .select_from(pointers)
        .join(assessments, assessments.c.id == _latest_of_pointer())
        .outerjoin(tool_uses, tool_uses.c.tool == pointers.c.tool)
        .where(pointers.c.tool.in_(bindparam("names", expanding=True)))
    )


def _assessed() -> Select[Any, Any, Any]:
    each = assessments.alias()
    newest = (
        select(func.max(each.c.id))
        .where(each.c.version_id.in_(bindparam("which", expanding=True)))
        .group_by(each.c.version_id)
    )
    return select(assessments.c.version_id, assessments.c.status, assessments.c.confidence).where(
        assessments.c.id.in_(newest)
    )


_STANDINGS = _standings()
_ASSESSED = _assessed()
_STATUSES = (
    select(pointers.c.tool, assessments.c.status)
    .select_from(pointers)
    .join(assessments, assessments.c.id == _latest_of_pointer())
    .order_by(pointers.c.tool)
)
_EMPTY = (
    select(tools.c.name)
    .where(~select(versions.c.id).where(versions.c.tool == tools.c.name).exists())
    .order_by(tools.c.name)
)
_ACTIVE = _active_tools().where(pointers.c.tool == bindparam("which"))
_ALL = _active_tools().order_by(versions.c.tool)


class Tools:
    def __init__(self, access: Access) -> None:
        self._access = access
        upsert = access.dialect.insert
        number = (
            select(func.coalesce(func.max(versions.c.number), 0) + 1)
            .where(versions.c.tool == bindparam("owner"))
            .scalar_subquery()
        )
        self._add_tool = upsert(tools).on_conflict_do_nothing()
        self._add_version = (
            upsert(versions)
            .values(number=number)
            .on_conflict_do_nothing(index_elements=[versions.c.id])
            .returning(versions.c.number)
        )
        point = upsert(pointers)
        self._point = point.on_conflict_do_update(
            index_elements=[pointers.c.tool], set_={"version_id": point.excluded.version_id}
        )

    async def lock(self) -> None:
        """First in a transaction: whoever else changes tools waits until it ends."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)

    async def add_version(self, version: Version, assessment: Assessment) -> Version:
        """The stored version with the number it was given.

        When the same version is already there it is returned as it is, and neither the number
        nor what is known about it changes.
        """
        row = version_row(version)
        async with self._access.writing() as connection:
            found = (await connection.execute(_VERSION, {"which": version.id})).mappings().first()
            if found:
                return version_of(found)
            await bump(connection, REVISION)
            await connection.execute(
                self._add_tool, {"name": version.tool, "created_at": version.created_at}
            )
            number = (
                await connection.execute(self._add_version, row | {"owner": version.tool})
            ).scalar_one_or_none()
            if number is None:  # another process was first
                again = await connection.execute(_VERSION, {"which": version.id})
                return version_of(again.mappings().one())
            await self._assess(connection, replace(assessment, version_id=version.id))
        return replace(version, number=number)

    async def add_first(
        self, added: Sequence[tuple[Version, Assessment]], decision: JsonObject, at: datetime
    ) -> list[Version]:
        """The first versions of tools whose names are free, each active at once.

        A handful of statements, however many there are. A name that is taken raises.
        """
        first = [replace(version, number=1) for version, _ in added]
        if not first:
            return []
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            names = [{"name": one.tool, "created_at": one.created_at} for one in first]
            await connection.execute(insert(tools), names)
            await connection.execute(
                insert(versions), [version_row(one) | {"number": 1} for one in first]
            )
            rows = [self._assessment_row(assessment) for _, assessment in added]
            await connection.execute(insert(assessments), rows)
            points = [{"tool": one.tool, "version_id": one.id} for one in first]
            await connection.execute(insert(pointers), points)
            moves = [_move(one.tool, None, one.id, decision, at) for one in first]
            await connection.execute(insert(pointer_moves), moves)
        return first

    async def get_version(self, id: str) -> Version:
        """Raises `NotFound`, and `ToolDamaged` for one that is not what was stored."""
        row = await self._one(_VERSION, id)
        if row is None:
            raise NotFound(f"there is no version {id}", version=id)
        return sound_version(row)

    async def versions(self, name: str) -> list[Version]:
        """All versions of a tool, oldest first."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_VERSIONS, {"which": name})).mappings().all()
        return [version_of(row) for row in rows]

    async def assess(self, assessment: Assessment) -> None:
        """Append what is known now; raises `NotFound` when there is no such version."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            await self._must_exist(connection, assessment.version_id)
            await self._assess(connection, assessment)

    async def assessments(self, version_id: str) -> list[Assessment]:
        """Everything that was ever known about a version, oldest first."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_ASSESSMENTS, {"which": version_id})).mappings().all()
        return [assessment_of(row) for row in rows]

    async def active(self, name: str) -> Tool | None:
        """Raises `ToolDamaged` for a version that is not what was stored: nothing runs it."""
        row = await self._one(_ACTIVE, name)
        return _tool(row, sound_version(row)) if row else None

    async def find_sound(self, name: str) -> Tool | None:
        """As `active`, and None for a tool that is damaged."""
        try:
            return await self.active(name)
        except ToolDamaged as error:
            warn("a tool is left out", tool=name, error=error.message)
            return None

    async def _one(self, statement: Select[Any], which: str) -> Mapping[Any, Any] | None:
        try:
            async with self._access.reading() as connection:
                return (await connection.execute(statement, {"which": which})).mappings().first()
        except UNREADABLE as error:
            raise damaged_tool(which, f"cannot be read ({type(error).__name__})") from None

    async def names(self) -> set[str]:
        """Every name that was ever given to a tool; much cheaper than the tools themselves."""
        async with self._access.reading() as connection:
            return set((await connection.execute(select(tools.c.name))).scalars())

    async def standings(self, names: Sequence[str]) -> dict[str, tuple[Status, int, int]]:
        """Status, uses and successes of those tools that are active, without their versions."""
        if not names:
            return {}
        async with self._access.reading() as connection:
            rows = await connection.execute(_STANDINGS, {"names": list(names)})
            return {row.tool: (Status(row.status), row.uses, row.successes) for row in rows}

    async def statuses(self) -> dict[str, Status]:
        """Every active tool's status, without its version."""
        async with self._access.reading() as connection:
            rows = await connection.execute(_STATUSES)
            return {row.tool: Status(row.status) for row in rows}

    async def assessed(self, versions: Sequence[str]) -> dict[str, tuple[Status, float | None]]:
        """Status and confidence of those versions that were ever stored, active or not."""
        if not versions:
            return {}
        async with self._access.reading() as connection:
            rows = await connection.execute(_ASSESSED, {"which": list(versions)})
            return {row.version_id: (Status(row.status), row.confidence) for row in rows}

    async def empty_names(self) -> list[str]:
        """Names that were taken and have no version behind them."""
        async with self._access.reading() as connection:
            return list((await connection.execute(_EMPTY)).scalars())

    async def drop_empty_names(self) -> int:
        """Free the names that have no version behind them; how many that were."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            gone = await connection.execute(delete(tools).where(tools.c.name.in_(_EMPTY)))
            return gone.rowcount

    async def move_active(
        self, name: str, version_id: str | None, decision: JsonObject, at: datetime
    ) -> None:
        """Make a version the active one, or none; the decision is kept with the move."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            before = (await connection.execute(_POINTER, {"which": name})).scalar_one_or_none()
            if version_id is None:
                if before is None:
                    raise NotFound(f"there is no active tool {name}", tool=name)
                await connection.execute(pointers.delete().where(pointers.c.tool == name))
            else:
                await self._must_exist(connection, version_id, name)
                await connection.execute(self._point, {"tool": name, "version_id": version_id})
            move = _move(name, before, version_id, decision, at)
            await connection.execute(insert(pointer_moves), move)

    async def pointer(self, name: str) -> str | None:
        """The id of a tool's active version."""
        async with self._access.reading() as connection:
            return (await connection.execute(_POINTER, {"which": name})).scalar_one_or_none()

    async def pointer_history(self, name: str) -> list[PointerMove]:
        """Every move of a tool's active pointer, oldest first."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_MOVES, {"which": name})).all()
        return [
            PointerMove(row.tool, row.from_version, row.to_version, row.decision, row.at)
            for row in rows
        ]

    async def revision(self) -> int:
        """A number that grows with every change of tools, pointers or assessments."""
        async with self._access.reading() as connection:
            return await revision(connection, REVISION)

    async def _assess(self, connection: AsyncConnection, assessment: Assessment) -> None:
        await connection.execute(insert(assessments), self._assessment_row(assessment))

    def _assessment_row(self, assessment: Assessment) -> dict[str, Any]:
        return {
            "version_id": assessment.version_id,
            "status": str(assessment.status),
            "confidence": assessment.confidence,
            "evidence": dict(assessment.evidence),
            "at": assessment.at or self._access.clock.now(),
        }

    async def _must_exist(
        self, connection: AsyncConnection, version_id: str, tool: str | None = None
    ) -> None:
        found = await connection.execute(select(versions.c.tool).where(versions.c.id == version_id))
        owner = found.scalar_one_or_none()
        if owner is None or (tool is not None and owner != tool):
            of_tool = f" of {tool}" if tool else ""
            raise NotFound(f"there is no version {version_id}{of_tool}", version=version_id)

    async def list(self, *, include_retired: bool = False) -> list[Tool]:
        """Every tool with an active version that can be read, by name."""
        statement = _ALL
        if not include_retired:
            statement = _ALL.where(assessments.c.status != str(Status.RETIRED))
        try:
            async with self._access.reading() as connection:
                rows = (await connection.execute(statement)).mappings().all()
            return [_tool(row, version_of(row)) for row in rows]
        except UNREADABLE:
            return await self._readable(statement)

    async def _readable(self, statement: Select[Any]) -> "list[Tool]":
        """The same one by one, so that a broken row costs only itself."""
        found: list[Tool] = []
        one = statement.where(pointers.c.tool == bindparam("which"))
        for name in sorted(await self.names()):
            try:
                row = await self._one(one, name)
                found += [_tool(row, sound_version(row))] if row else []
            except ToolDamaged as error:
                warn("a tool is left out", tool=name, error=error.message)
        return found


def _move(
    name: str, before: str | None, after: str | None, decision: JsonObject, at: datetime
) -> dict[str, Any]:
    return {
        "tool": name,
        "from_version": before,
        "to_version": after,
        "decision": decision,
        "at": at,
    }


def _tool(row: Mapping[Any, Any], version: Version) -> Tool:
    return Tool(
        name=row["tool"],
        version=version,
        status=Status(row["status"]),
        confidence=row["confidence"],
        uses=row["uses"],
        successes=row["successes"],
        earned=row["earned"],
    )
