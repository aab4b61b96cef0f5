"""What is in force of a tool: its active version and how the versions concerned stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Status
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
