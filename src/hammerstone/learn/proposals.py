"""Proposals: the one form in which anything that learns asks for a change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.evidence import ProposalEvidence


class ProposalKind(StrEnum):
    REPAIR = "repair"
    COMPOSITE = "composite"
    MERGE = "merge"
    POLICY = "policy"
    PROMPT = "prompt"
    SKILL = "skill"
    RETIREMENT = "retirement"


class ProposalState(StrEnum):
    """Where a proposal is. In force are probation and promoted."""

    PROPOSED = "proposed"
    WAITING = "waiting"  # for a person
    PROMOTING = "promoting"  # being done right now
    PROBATION = "probation"  # in force and watched
    PROMOTED = "promoted"
    REFUSED = "refused"
    UNDONE = "undone"
    ROLLED_BACK = "rolled back"  # taken back because it did worse
    QUARANTINED = "quarantined"  # tried too often without success


IN_FORCE = (ProposalState.PROBATION, ProposalState.PROMOTED)
OPEN = (ProposalState.PROPOSED, ProposalState.WAITING)


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


class Applier(Protocol):
    """Does a kind of change, and takes it back."""

    async def preview(self, target: str, change: JsonObject) -> str:
        """What would be different, for a person."""
        ...

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        """Do it; what comes back is all that `reverse` needs. Doing it twice is doing it once."""
        ...

    async def reverse(self, target: str, how: JsonObject, why: str) -> str:
        """Take it back; what was done, in words."""
        ...
