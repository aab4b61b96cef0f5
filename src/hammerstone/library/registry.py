"""The tools: immutable versions, assessments on top, and one active pointer each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hammerstone.core.clock import Clock
from hammerstone.core.documents import version_id
from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Assessment, Case, Spec, Status, Tool, Version
from hammerstone.storage import Database


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a tool's active version changes: nothing moves the pointer without one."""

    kind: str  # registered, restored, retired, repaired, ...
    who: str
    reason: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that is about to be added."""

    spec: Spec
    code: str
    suite: tuple[Case, ...]
    rejected: tuple[Case, ...]
    status: Status
    confidence: float | None
    evidence: Mapping[str, Json]
    provenance: Mapping[str, Json]


class ToolIndex(Protocol):
    """Where tools are found; told of every change of an active version."""

    async def index(self, tool: Tool) -> None: ...

    async def remove(self, name: str) -> None: ...


class Registry:
    def __init__(self, db: Database, index: ToolIndex, clock: Clock) -> None:
        self._db = db
        self._index = index
        self._clock = clock

    async def register(self, new: NewVersion, decision: Decision) -> Tool:
        """Add a version and make it the active one; it is found at once."""
        now = self._clock.now()
        version = Version(
            id=version_id(new.code, new.spec, new.suite),
            tool=new.spec.name,
            number=0,
            code=new.code,
            spec=new.spec,
            suite=new.suite,
            rejected=new.rejected,
            provenance=new.provenance,
            created_at=now,
        )
        assessment = Assessment(version.id, new.status, new.confidence, new.evidence, now)
        stored = await self._db.tools.add_version(version, assessment)
        return await self.activate(stored.tool, stored.id, decision)

    async def activate(self, name: str, version: str, decision: Decision) -> Tool:
        """Move a tool's active pointer. The only function that does."""
        await self._db.tools.move_active(
            name,
            version,
            {
                "kind": decision.kind,
                "who": decision.who,
                "reason": decision.reason,
                "evidence": dict(decision.evidence),
            },
            self._clock.now(),
        )
        tool = await self.get(name)
        if tool.status is Status.RETIRED:
            await self._index.remove(name)
        else:
            await self._index.index(tool)
        return tool

    async def restore(self, name: str, number: int, *, who: str) -> Tool:
        """Make an earlier version the active one again."""
        for version in await self.versions(name):
            if version.number == number:
                decision = Decision("restored", who, f"version {number} restored")
                return await self.activate(name, version.id, decision)
        raise NotFound(f"{name} has no version {number}", hint=f"hammerstone tools show {name}")

    async def find(self, name: str) -> Tool | None:
        return await self._db.tools.active(name)

    async def get(self, name: str) -> Tool:
        tool = await self._db.tools.active(name)
        if tool is None:
            raise NotFound(f"there is no tool {name!r}", hint="hammerstone tools list")
        return tool

    async def list(self) -> "list[Tool]":
        return await self._db.tools.list()

    async def revision(self) -> int:
        """A number that grows with every change of what is active."""
        return await self._db.tools.revision()

    async def versions(self, name: str) -> "list[Version]":
        return await self._db.tools.versions(name)

    async def free_name(self, wanted: str) -> str:
        """The wanted name, or with a number when another tool has it already."""
        taken = set(await self._db.tools.names())
        if wanted not in taken:
            return wanted
        return next(
            f"{wanted}_{n}" for n in range(2, len(taken) + 3) if f"{wanted}_{n}" not in taken
        )
