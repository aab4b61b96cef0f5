"""What the ledger says about a change of a tool: what was in force of it before, and what is after.

In force are its active version, and how the versions concerned stand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from hammerstone.core.changes import AUTOMATIC, ProposalKind
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Assessment, Status
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.library.tools.sharing import numbers_of
from hammerstone.storage import Stores

Standing: TypeAlias = tuple[Status, float | None]


@dataclass(frozen=True, slots=True)
class ToolState:
    """`standings` are those of the versions that a change concerns; None for one that is not
    there."""

    version: str | None
    standings: Mapping[str, Standing | None]

    def to_json(self) -> JsonObject:
        standings: dict[str, Json] = {
            id: None if known is None else [str(known[0]), known[1]]
            for id, known in self.standings.items()
        }
        return {"version": self.version, "standings": standings}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "ToolState":
        standings = {
            str(id): None if known is None else (Status(known[0]), known[1])
            for id, known in data["standings"].items()
        }
        return ToolState(data["version"], standings)

    @property
    def status(self) -> Status | None:
        """How the active version stands."""
        known = self.standings.get(self.version) if self.version else None
        return known[0] if known else None


@dataclass(frozen=True, slots=True)
class ToolMove:
    """A tool before and after a change."""

    tool: str
    before: ToolState
    after: ToolState

    @property
    def nothing(self) -> bool:
        known = self.before.standings
        same = all(known.get(id) == standing for id, standing in self.after.standings.items())
        return same and self.before.version == self.after.version

    def to_json(self) -> JsonObject:
        return {
            "tool": self.tool,
            "before": self.before.version,
            "after": self.after.version,
            "states": [self.before.to_json(), self.after.to_json()],
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "ToolMove | None":
        """The move that was stored; None for one from before states were kept."""
        if "states" not in data:
            return None
        before, after = data["states"]
        return ToolMove(data["tool"], ToolState.from_json(before), ToolState.from_json(after))


async def state_of(stores: Stores, name: str, versions: Sequence[str]) -> ToolState:
    """A tool as it is now, with the standing of these versions and of the active one."""
    version = await stores.tools.pointer(name)
    ids = list(versions)
    if version is not None and version not in ids:
        ids.append(version)
    known = await stores.tools.assessed(ids)
    return ToolState(version, {id: known.get(id) for id in ids})


_KINDS = {
    "registered": ProposalKind.BUILD,
    "re-examined": ProposalKind.EXAMINATION,
    "merged": ProposalKind.MERGE,
}


@dataclass(frozen=True, slots=True)
class ToolCause:
    """Why a tool changes. `grounds` may hold `proposal`: the entry that the gate has made."""

    kind: ProposalKind
    who: str
    reason: str
    grounds: JsonObject = field(default_factory=dict[str, Json])
    run: str = ""  # the run that it was built for
    tokens: Json = None  # what it cost


def kind_of_registration(kind: str) -> ProposalKind:
    return _KINDS.get(kind, ProposalKind.EDIT)


async def note_move(
    stores: Stores, name: str, before: ToolState, cause: ToolCause, at: datetime
) -> None:
    """Write down what has become of a tool in this transaction; nothing when nothing has."""
    move = ToolMove(name, before, await state_of(stores, name, list(before.standings)))
    if move.nothing:
        return
    run = await stores.runs.find(cause.run) if cause.run else None
    note = ChangeNote(
        kind=cause.kind,
        target=name,
        title=await _title(stores, move),
        who=cause.who or "hammerstone",
        reason=cause.reason,
        reverse=move.to_json(),
        change={"before": before.version, "after": move.after.version},
        grounds=numbers_of(cause.grounds),
        against=tuple(await _against(stores, move, cause)),
        value={} if cause.tokens is None else {"cost_tokens": cause.tokens},
        sessions={run.session_id: run.id} if run else {},
        proposal=str(cause.grounds.get("proposal") or ""),
    )
    await keep_note(stores, note, at)


async def _title(stores: Stores, move: ToolMove) -> str:
    name, before, after = move.tool, move.before, move.after
    if before.version is None:
        return f"{name}: a new tool, {after.status}"
    if after.version is not None and after.version != before.version:
        new = (await stores.tools.get_version(after.version)).number
        old = (await stores.tools.get_version(before.version)).number
        return f"{name}: version {new} in place of {old}, {after.status}"
    if before.status is after.status:
        return f"{name}: {after.status} as before, on other evidence"
    return f"{name}: {after.status}, was {before.status}"


async def _against(stores: Stores, move: ToolMove, cause: ToolCause) -> list[str]:
    """What speaks against a person's decision."""
    if cause.kind is not ProposalKind.RETIREMENT or cause.who in AUTOMATIC:
        return []
    version, after = move.after.version, move.after.status
    if version is None:
        return []
    use = await stores.executions.of_version(version)
    if after in (Status.RETIRED, Status.DEPRECATED) and use.good:
        return [f"{use.good} of {use.uses} uses went well"]
    if after not in (Status.RETIRED, Status.DEPRECATED):
        known = await stores.tools.assessments(version)
        reason = known[-2].evidence.get("reason") if len(known) > 1 else ""
        return [f"it was {move.before.status}: {reason}"] if reason else []
    return []


def retired_by_hand(known: list[Assessment]) -> bool:
    """Whether a person took a version out of use, by its assessments."""
    if not known or known[-1].status is not Status.RETIRED:
        return False
    who = known[-1].evidence.get("who")
    return bool(who) and who not in AUTOMATIC


def standing_cause(kind: ProposalKind, assessment: Assessment) -> ToolCause:
    told = assessment.evidence
    who, reason = told.get("who"), told.get("reason")
    return ToolCause(kind, str(who or "synthesis"), str(reason or ""), dict(told))
