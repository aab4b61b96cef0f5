"""The tools: immutable versions, assessments on top, and one active pointer each."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Protocol

from hammerstone.core.changes import ProposalKind
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Assessment, Status, Tool, Version
from hammerstone.core.trust import EarnedTrust
from hammerstone.guard.stop import stop_of_all, stopped_by
from hammerstone.library.tools.new_versions import ActivationReason, NewVersion
from hammerstone.library.tools.promises import same_promise
from hammerstone.library.tools.tool_notes import (
    ToolCause,
    ToolMove,
    kind_of_registration,
    note_move,
    retired_by_hand,
    standing_cause,
    state_of,
)
from hammerstone.storage import Database, PointerMove, Stores
from hammerstone.storage.stores.tools.tools import PAGE, ToolPage

# A version that stands lower never pushes out one that stands higher.
_RANK = {Status.RETIRED: 0, Status.DEPRECATED: 1, Status.EXPERIMENTAL: 2}
HIDDEN = frozenset({Status.RETIRED, Status.DEPRECATED})
"""What search does not find; a deprecated tool can still be called by its name."""


class ToolIndex(Protocol):
    """Where tools are found; told of every change of an active version."""

    async def index(self, tool: Tool) -> None: ...

    async def index_all(self, tools: Sequence[Tool]) -> None:
        """As `index` for many at once, without waiting for an embedder."""
        ...

    async def remove(self, name: str) -> None: ...


class Registry:
    """No active pointer moves while everything is stopped: the flag is read in the transaction
    that would move it. Taking a tool out of use is always possible. Every change of a tool
    stands in the ledger from the transaction on that makes it."""

    def __init__(self, db: Database, index: ToolIndex, clock: Clock) -> None:
        self._db = db
        self._index = index
        self._clock = clock

    async def register(
        self, new: NewVersion, decision: ActivationReason, *, as_new_tool: bool = False
    ) -> Tool:
        """Add a version and make it the active one; it is found at once.

        It is a version of the tool that has its name: a repair, an edit. With `as_new_tool` it
        is a tool of its own: when its name belongs to a tool that promises something else, it
        gets a free one (`name_2`), and when that tool promises the same (somebody was quicker),
        it becomes a version there, active only if it stands higher; where a person has retired
        that tool, nothing is added and it is returned as it is. The tool that is active in
        the end is returned. All of it is one transaction: whoever registers at the same time
        comes before or after, never in between.
        """
        async with self._moving() as stores:
            name, standing = await self._place(stores, new) if as_new_tool else (None, None)
            added = new.renamed(name or new.spec.name)
            name = added.spec.name
            before = await state_of(stores, name, [added.id])
            known = await stores.tools.assessments(before.version or "")
            if not (standing and retired_by_hand(known)):
                now = self._clock.now()
                await self._add(stores, added)
                if standing is None or _rank(added.status) > _rank(standing):
                    await stores.tools.move_active(name, added.id, decision.to_json(), now)
                await note_move(stores, name, before, _cause(added, decision), now)
        return await self._found_as(name)

    async def register_shipped(
        self, news: Sequence[NewVersion], decision: ActivationReason
    ) -> "list[Tool]":
        """Add versions that come with the package, in one transaction; those that were added.

        A free name is taken, and a tool of the same origin gets its newer version. A name that
        belongs to another tool stays with it, what is out of use stays so, and a version that
        was ever there is not added again: whoever left it had a reason.
        """
        now, told = self._clock.now(), decision.to_json()
        async with self._db.transaction() as stores:
            await stores.tools.lock()
            begun = not await stores.tools.is_empty()
            taken = await stores.tools.taken([new.spec.name for new in news])
            known = await stores.tools.assessed([new.id for new in news])
            news = [new for new in news if new.id not in known]
            first = [new for new in news if new.spec.name not in taken]
            newer = [new for new in news if new.spec.name in taken and await _outdated(stores, new)]
            if first or newer:
                await _refuse_if_stopped(stores)
            rows = [self._rows(new) for new in first]
            noted = [*(first if begun else ()), *newer]  # what a library begins with is no change
            before = {new.id: await state_of(stores, new.spec.name, [new.id]) for new in noted}
            stored = await stores.tools.add_first(rows, told, now)
            for new in newer:
                stored.append(await self._add(stores, new))
                await stores.tools.move_active(new.spec.name, new.id, told, now)
            for new in noted:
                cause = _cause(new, decision)
                await note_move(stores, new.spec.name, before[new.id], cause, now)
        added = [
            Tool(version.tool, version, new.status, new.confidence)
            for version, new in zip(stored, first + newer, strict=True)
        ]
        await self._index.index_all(added)
        return added

    @asynccontextmanager
    async def _moving(self) -> AsyncGenerator[Stores]:
        """A transaction that may move an active pointer; raises `Stopped`."""
        async with self._db.transaction() as stores:
            await stores.tools.lock()
            await _refuse_if_stopped(stores)
            yield stores

    async def _place(self, stores: Stores, new: NewVersion) -> tuple[str, Status | None]:
        """The name for a new tool, and the standing of the tool it joins there, if any."""
        name, number, promise = new.spec.name, 1, replace(new.spec, name="")
        while await stores.tools.taken([name]):
            there = await stores.tools.find_sound(name)
            if there is not None and same_promise(replace(there.version.spec, name=""), promise):
                return name, there.status
            number += 1
            name = f"{new.spec.name}_{number}"
        return name, None

    async def _add(self, stores: Stores, new: NewVersion) -> Version:
        version, assessment = self._rows(new)
        known = await stores.tools.assessments(version.id)
        stored = await stores.tools.add_version(version, assessment)
        if known and known[-1].status in HIDDEN:
            # It was taken out of use for a reason; new evidence brings it back, on probation.
            status = min(new.status, Status.EXPERIMENTAL, key=_rank)
            await stores.tools.assess(replace(assessment, status=status))
        elif known and _rank(new.status) > _rank(known[-1].status):
            await stores.tools.assess(assessment)
        return stored

    def _rows(self, new: NewVersion) -> tuple[Version, Assessment]:
        now = self._clock.now()
        version = Version(
            id=new.id,
            tool=new.spec.name,
            number=0,
            code=new.code,
            spec=new.spec,
            suite=new.suite,
            rejected=new.rejected,
            provenance=new.provenance,
            created_at=now,
        )
        return version, Assessment(version.id, new.status, new.confidence, new.evidence, now)

    async def assess(
        self,
        name: str,
        assessment: Assessment,
        kind: ProposalKind | None = ProposalKind.EXAMINATION,
    ) -> Tool:
        """Append what is known now about a version; search follows at once.

        `kind` is what the ledger calls it; None for what was shipped and is only filled in.
        """
        now = self._clock.now()
        async with self._db.transaction() as stores:
            await stores.tools.lock()
            before = await state_of(stores, name, [assessment.version_id])
            await stores.tools.assess(replace(assessment, at=assessment.at or now))
            if kind is not None:
                await note_move(stores, name, before, standing_cause(kind, assessment), now)
        return await self._found_as(name)

    async def restore(self, name: str, number: int, *, who: str) -> Tool:
        """Make an earlier version the active one again; a retired one comes back with it."""
        version = await self.version(name, number)
        decision = ActivationReason("restored", who, f"restored by {who}")
        now = self._clock.now()
        async with self._moving() as stores:
            before = await state_of(stores, name, [version.id])
            await self._revive(stores, version, who)
            await stores.tools.move_active(name, version.id, decision.to_json(), now)
            cause = ToolCause(ProposalKind.EDIT, who, decision.reason)
            await note_move(stores, name, before, cause, now)
        return await self._found_as(name)

    async def retire(self, name: str, *, who: str, reason: str, **evidence: Json) -> Tool:
        """Take a tool out of use: neither found nor called, and still there to look at."""
        return await self._stand(name, Status.RETIRED, who, reason, evidence)

    async def deprecate(
        self,
        name: str,
        better: str,
        *,
        who: str,
        reason: str,
        kind: ProposalKind = ProposalKind.RETIREMENT,
    ) -> Tool:
        """Point at a better tool; this one can still be called by its name."""
        if better == name or await self.find(better) is None:
            raise BadRequest(f"{better!r} is not another tool", hint="hammerstone tools list")
        return await self._stand(name, Status.DEPRECATED, who, reason, {"better": better}, kind)

    async def unretire(self, name: str, *, who: str) -> Tool:
        """Bring a retired or deprecated tool back to the standing it had before."""
        tool = await self.get(name)
        if tool.status not in HIDDEN:
            raise BadRequest(f"{name} is {tool.status}, there is nothing to bring back")
        async with self._db.transaction() as stores:
            await stores.tools.lock()
            before = await state_of(stores, name, [tool.version.id])
            await self._revive(stores, tool.version, who)
            cause = ToolCause(ProposalKind.RETIREMENT, who, f"back from {tool.status}")
            await note_move(stores, name, before, cause, self._clock.now())
        return await self._found_as(name)

    async def put_back(self, move: ToolMove, *, who: str, reason: str) -> bool:
        """Take a change back: the active version and the standings are what they were before.

        A tool that was new is retired. False when the tool has another version by now, which
        stays. Its entry in the ledger is the change's own.
        """
        name, now = move.tool, self._clock.now()
        async with self._db.transaction() as stores:
            await stores.tools.lock()
            here = await stores.tools.pointer(name)
            if here not in (move.before.version, move.after.version):
                return False
            back = move.before.version
            if back is not None and back != here:
                await _refuse_if_stopped(stores)
                decision = ActivationReason("undone", who, reason).to_json()
                await stores.tools.move_active(name, back, decision, now)
            present = await stores.tools.assessed(list(move.before.standings))
            for id, standing in move.before.standings.items():
                if standing is None and back is None:
                    standing = (Status.RETIRED, present[id][1])
                if standing is not None and present[id] != standing:
                    told: JsonObject = {"who": who, "reason": reason, "undone": True}
                    await stores.tools.assess(Assessment(id, *standing, told, now))
        await self._found_as(name)
        return True

    async def _stand(
        self,
        name: str,
        status: Status,
        who: str,
        reason: str,
        evidence: Mapping[str, Json],
        kind: ProposalKind = ProposalKind.RETIREMENT,
    ) -> Tool:
        tool = await self.get(name)
        told: JsonObject = {"who": who, "reason": reason, **evidence}
        assessment = Assessment(tool.version.id, status, tool.confidence, told)
        return await self.assess(name, assessment, kind)

    async def _revive(self, stores: Stores, version: Version, who: str) -> None:
        known = await stores.tools.assessments(version.id)
        if not known or known[-1].status not in HIDDEN:
            return
        before = [one for one in known if one.status not in HIDDEN]
        status = before[-1].status if before else Status.EXPERIMENTAL
        confidence = before[-1].confidence if before else None
        told: JsonObject = {"who": who, "reason": f"back from {known[-1].status}"}
        now = self._clock.now()
        await stores.tools.assess(Assessment(version.id, status, confidence, told, now))

    async def _found_as(self, name: str) -> Tool:
        """The tool as it is now, with search told of it."""
        tool = await self.get(name)
        if tool.status in HIDDEN:
            await self._index.remove(name)
        else:
            await self._index.index(tool)
        return tool

    async def find(self, name: str) -> Tool | None:
        """The tool, if there is one that is what was stored; whoever needs it asks `get`."""
        return await self._db.tools.find_sound(name)

    async def get(self, name: str) -> Tool:
        """Raises `NotFound`, and `ToolDamaged` for one that is not what was stored."""
        tool = await self._db.tools.active(name)
        if tool is None:
            raise NotFound(f"there is no tool {name!r}", hint="hammerstone tools list")
        return tool

    async def list(self, *, include_retired: bool = False) -> "list[Tool]":
        return await self._db.tools.list(include_retired=include_retired)

    async def revision(self) -> int:
        """A number that grows with every change of what is active."""
        return await self._db.tools.revision()

    async def versions(self, name: str) -> "list[Version]":
        return await self._db.tools.versions(name)

    async def version(self, name: str, number: int) -> Version:
        for version in await self.versions(name):
            if version.number == number:
                return version
        raise NotFound(f"{name} has no version {number}", hint=f"hammerstone tools show {name}")

    async def assessments(self, version: str) -> "list[Assessment]":
        """Everything that was ever known about a version, oldest first."""
        return await self._db.tools.assessments(version)

    async def trust(self, version: str) -> EarnedTrust | None:
        """What use has made of a version's proof; None before any use was judged."""
        return await self._db.trust.find(version)

    async def page(self, after: str = "", most: int = PAGE) -> ToolPage:
        """The next tools by name, at most so many; a million are never in memory together."""
        return await self._db.tools.page(after, most=most)

    async def walk(self, after: str = "", *, include_retired: bool = False) -> AsyncGenerator[Tool]:
        """The tools by name, read page by page: for whoever may stop early."""
        last = False
        while not last:
            page = await self._db.tools.page(after, include_retired=include_retired)
            for tool in page.tools:
                yield tool
            after, last = page.next, not page.next

    async def named(self, names: Sequence[str]) -> "list[Tool]":
        """Those of these tools that are active and can be read, by name."""
        return await self._db.tools.named(names)

    async def taken(self, names: Collection[str]) -> set[str]:
        """Those of the names that were ever given to a tool."""
        return await self._db.tools.taken(names)

    async def assessed(self, versions: Sequence[str]) -> dict[str, tuple[Status, float | None]]:
        """Status and confidence of those versions that were ever stored, active or not."""
        return await self._db.tools.assessed(versions)

    async def history(self, name: str) -> "list[PointerMove]":
        """Every change of a tool's active version with the decision behind it, oldest first."""
        return await self._db.tools.pointer_history(name)


async def _refuse_if_stopped(stores: Stores) -> None:
    found = stop_of_all(await stores.stops.list())
    if found is not None:
        raise stopped_by(found)


async def _outdated(stores: Stores, new: NewVersion) -> bool:
    """Whether the tool in use under this name is an earlier version of the same origin."""
    there = await stores.tools.find_sound(new.spec.name)
    if there is None or there.status in HIDDEN:
        return False
    return there.version.provenance.get("origin") == new.provenance.get("origin")


def _cause(new: NewVersion, decision: ActivationReason) -> ToolCause:
    """Why a version is added, for the ledger."""
    return ToolCause(
        kind_of_registration(decision.kind),
        decision.who,
        decision.reason,
        {**new.evidence, "confidence": new.confidence, **decision.evidence},
        str(new.provenance.get("run") or ""),
        new.provenance.get("cost_tokens"),
    )


def _rank(status: Status) -> int:
    return _RANK.get(status, 3)
