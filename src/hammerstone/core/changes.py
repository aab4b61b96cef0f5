"""The kinds of change that can be made to what is owned, and where a proposal for one stands."""

from enum import StrEnum


class ProposalKind(StrEnum):
    BUILD = "build"  # a new tool
    REPAIR = "repair"
    COMPOSITE = "composite"
    MERGE = "merge"
    EDIT = "edit"  # by a person: a folder, an import, an earlier version
    EXAMINATION = "examination"  # what a proof says about a version
    TRUST = "trust"  # what use says about a version
    RETIREMENT = "retirement"  # out of use, or back in it
    POLICY = "policy"
    PROMPT = "prompt"
    SKILL = "skill"
    DOCUMENTS = "documents"  # a folder of documents, added because it helps
    LESSON = "lesson"  # what search learned from requests
    ADAPTER = "adapter"  # what is put on the embedded model
    HARNESS = "harness"  # a change of the product's own steps, which a person makes


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

TOOL_KINDS = (
    ProposalKind.BUILD,
    ProposalKind.REPAIR,
    ProposalKind.COMPOSITE,
    ProposalKind.MERGE,
    ProposalKind.EDIT,
    ProposalKind.EXAMINATION,
    ProposalKind.TRUST,
    ProposalKind.RETIREMENT,
)
"""Kinds whose target is a tool: of the same tool, each stands on those before it."""

AUTOMATIC = frozenset(
    {"upkeep", "learning", "probation", "gate", "search", "synthesis", "hammerstone", "evolution"}
)
"""Who decides without a person."""


def kinds_beside(kind: str) -> tuple[ProposalKind, ...]:
    """The kinds that change the same sort of thing, this one included."""
    own = ProposalKind(kind)
    return TOOL_KINDS if own in TOOL_KINDS else (own,)
