"""Proposals: the one form in which anything that learns asks for a change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hammerstone.core.changes import IN_FORCE, OPEN, ProposalKind, ProposalState
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.promotion.evidence import ProposalEvidence


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change somebody wants. `change` is what the applier of its kind understands."""

    kind: ProposalKind
    target: str
    title: str
    change: JsonObject
    evidence: ProposalEvidence
    sessions: Mapping[str, str] = field(default_factory=dict[str, str])  # to one run of each
    rests_on: tuple[str, ...] = ()
    value: JsonObject = field(default_factory=dict[str, Json])
    probation: bool = False

    @property
    def id(self) -> str:
        """The same change has the same id, so that it is proposed once."""
        return digest(self.kind, self.target, canonical(self.change))[:12]


@dataclass(frozen=True, slots=True)
class UndoReason:
    """Who takes a change back, and why."""

    who: str
    why: str = ""

    @property
    def words(self) -> str:
        return self.why or "the change was undone"


class Applier(Protocol):
    """The doer of one kind of change, who also takes it back."""

    async def preview(self, target: str, change: JsonObject) -> str:
        """What would be different, for a person."""
        ...

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        """Do it; what comes back is all that `reverse` needs. Doing it twice is doing it once.

        Nothing comes back when a person's decision stands against it: it was not done.
        """
        ...

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        """Take it back; what was done, in words."""
        ...


__all__ = [
    "IN_FORCE",
    "OPEN",
    "Applier",
    "Proposal",
    "ProposalKind",
    "ProposalState",
    "UndoReason",
]
