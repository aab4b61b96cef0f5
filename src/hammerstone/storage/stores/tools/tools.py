"""Tools, their immutable versions, what is known about each, and which one is active."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import NotFound, ToolDamaged
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Status, Tool, Version
from hammerstone.storage.access import Access, Store, bump
from hammerstone.storage.rows import PointerMove
from hammerstone.storage.schema import (
    assessments,
    pointer_moves,
    pointers,
    tools,
    versions,
)
from hammerstone.storage.stores.tools.versions import (
    ACTIVE,
    ALL,
    ANY,
    ASSESSED,
    ASSESSMENTS,
    EMPTY,
    MADE_SINCE,
    MOVES,
    NAMES,
    NAMES_AFTER,
    POINTER,
    STANDINGS,
    STATUSES,
    TAKEN,
    THESE,
    UNREADABLE,
    VERSION,
    VERSIONS,
    assessment_of,
    damaged_tool,
    sound_version,
    version_of,
    version_row,
)
from hammerstone.tracing.warn import warn

REVISION = "tools"
PAGE = 500


@dataclass(frozen=True, slots=True)
class ToolPage:
    """Some tools by name. `next` is what the page behind them comes after; empty at the end."""

    tools: tuple[Tool, ...]
    next: str


class Tools(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
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
            found = (await connection.execute(VERSION, {"which": version.id})).mappings().first()
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
                again = await connection.execute(VERSION, {"which": version.id})
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
        row = await self._one(VERSION, id)
        if row is None:
            raise NotFound(f"there is no version {id}", version=id)
        return sound_version(row)

    async def versions(self, name: str) -> list[Version]:
        """All versions of a tool, oldest first."""
        rows = await self._mappings(VERSIONS, {"which": name})
        return [version_of(row) for row in rows]

    async def assess(self, assessment: Assessment) -> None:
        """Append what is known now; raises `NotFound` when there is no such version."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            await self._must_exist(connection, assessment.version_id)
            await self._assess(connection, assessment)

    async def assessments(self, version_id: str) -> list[Assessment]:
        """Everything that was ever known about a version, oldest first."""
        rows = await self._mappings(ASSESSMENTS, {"which": version_id})
        return [assessment_of(row) for row in rows]

    async def active(self, name: str) -> Tool | None:
        """Raises `ToolDamaged` for a version that is not what was stored: nothing runs it."""
        row = await self._one(ACTIVE, name)
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

    async def taken(self, names: Collection[str]) -> set[str]:
        """Those of the names that were ever given to a tool."""
        if not names:
            return set()
        return set(await self._values(TAKEN, {"names": list(names)}))

    async def built_since(self, since: datetime) -> set[str]:
        """The runs that a version was made for from then on."""
        async with self._access.reading() as connection:
            made = (await connection.execute(MADE_SINCE, {"since": since})).scalars()
            return {str(one["run"]) for one in made if one.get("run")}

    async def is_empty(self) -> bool:
        """Whether no name was ever given to a tool."""
        return not await self._value(ANY)

    async def standings(self, names: Sequence[str]) -> dict[str, tuple[Status, int, int]]:
        """Status, uses and successes of those tools that are active, without their versions."""
        if not names:
            return {}
        rows = await self._rows(STANDINGS, {"names": list(names)})
        return {row.tool: (Status(row.status), row.uses, row.successes) for row in rows}

    async def statuses(self) -> dict[str, Status]:
        """Every active tool's status, without its version."""
        rows = await self._rows(STATUSES)
        return {row.tool: Status(row.status) for row in rows}

    async def assessed(self, versions: Sequence[str]) -> dict[str, tuple[Status, float | None]]:
        """Status and confidence of those versions that were ever stored, active or not."""
        if not versions:
            return {}
        rows = await self._rows(ASSESSED, {"which": list(versions)})
        return {row.version_id: (Status(row.status), row.confidence) for row in rows}

    async def empty_names(self) -> list[str]:
        """Names that were taken and have no version behind them."""
        return list(await self._values(EMPTY))

    async def drop_empty_names(self) -> int:
        """Free the names that have no version behind them; how many that were."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            gone = await connection.execute(delete(tools).where(tools.c.name.in_(EMPTY)))
            return gone.rowcount

    async def move_active(
        self, name: str, version_id: str | None, decision: JsonObject, at: datetime
    ) -> None:
        """Make a version the active one, or none; the decision is kept with the move."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            before = (await connection.execute(POINTER, {"which": name})).scalar_one_or_none()
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
        return await self._value(POINTER, {"which": name})

    async def pointer_history(self, name: str) -> list[PointerMove]:
        """Every move of a tool's active pointer, oldest first."""
        rows = await self._rows(MOVES, {"which": name})
        return [
            PointerMove(row.tool, row.from_version, row.to_version, row.decision, row.at)
            for row in rows
        ]

    async def revision(self) -> int:
        """A number that grows with every change of tools, pointers or assessments."""
        return await self._revision(REVISION)

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

    async def list(self, *, include_retired: bool = False) -> "list[Tool]":
        """Every tool with an active version that can be read, by name."""
        try:
            rows = await self._mappings(ALL)
            found = [_tool(row, version_of(row)) for row in rows]
        except UNREADABLE:
            async with self._access.reading() as connection:
                names = (await connection.execute(NAMES)).scalars().all()
            found = await self._readable(names)
        return found if include_retired else _in_use(found)

    async def page(
        self, after: str = "", *, most: int = PAGE, include_retired: bool = False
    ) -> ToolPage:
        """The next tools by name, so many names at most; what is in memory does not grow with
        the library."""
        async with self._access.reading() as connection:
            chosen = await connection.execute(NAMES_AFTER, {"after": after, "most": most})
            names = chosen.scalars().all()
        found = await self._some(names)
        return ToolPage(
            tuple(found if include_retired else _in_use(found)),
            names[-1] if len(names) == most else "",
        )

    async def named(self, names: Sequence[str]) -> "list[Tool]":
        """Those of these tools that are active and can be read, by name."""
        found: list[Tool] = []
        names = sorted(names)
        for start in range(0, len(names), PAGE):  # a statement takes so many values and no more
            found += await self._some(names[start : start + PAGE])
        return found

    async def _some(self, names: Sequence[str]) -> "list[Tool]":
        try:
            rows = await self._mappings(THESE, {"names": list(names)})
            return [_tool(row, version_of(row)) for row in rows]
        except UNREADABLE:
            return await self._readable(names)

    async def more_than(self, count: int) -> bool:
        """Whether more tools than that are active; reads no more of them."""
        async with self._access.reading() as connection:
            beyond = await connection.execute(NAMES.offset(count).limit(1))
            return beyond.first() is not None

    async def _readable(self, names: Sequence[str]) -> "list[Tool]":
        """These tools one by one, so that a broken row costs only itself."""
        return [tool for name in names if (tool := await self.find_sound(name)) is not None]


def _in_use(found: Sequence[Tool]) -> list[Tool]:
    return [tool for tool in found if tool.status is not Status.RETIRED]


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
