"""New versions are watched: what does worse goes back by itself."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.policies import FixStandards
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import ProposalRow

TOLERATED = 1  # one failure may be anything


class ProbationOutcome(StrEnum):
    WATCHING = "watching"
    SETTLED = "settled"
    ROLLED_BACK = "rolled back"


@dataclass(frozen=True, slots=True)
class ProbationDecision:
    """What was decided about a change on probation."""

    proposal: str
    target: str
    outcome: ProbationOutcome
    reason: str

    def to_json(self) -> JsonObject:
        return {**asdict(self), "outcome": str(self.outcome)}


async def watch(
    db: Database, gate: ChangeGate, policy: FixStandards, *, dry_run: bool = False
) -> list[ProbationDecision]:
    """Look at every change on probation: settle it, take it back, or go on watching."""
    found: list[ProbationDecision] = []
    for row in await db.proposals.list(statuses=[ProposalState.PROBATION], limit=1000):
        watched = await _one(db, row, policy)
        if not dry_run and watched.outcome is ProbationOutcome.ROLLED_BACK:
            await gate.undo(
                row.id,
                who="probation",
                why=watched.reason,
                cascade=True,
                to=ProposalState.ROLLED_BACK,
            )
        elif not dry_run and watched.outcome is ProbationOutcome.SETTLED:
            await gate.settle(row.id, why=watched.reason)
        found.append(watched)
    return found


async def _one(db: Database, row: ProposalRow, policy: FixStandards) -> ProbationDecision:
    reverse = row.reverse or {}
    after, before = str(reverse.get("after", "")), reverse.get("before")
    new = await db.executions.of_version(after)
    failures = new.uses - new.good
    old_rate = 1.0
    if isinstance(before, str):
        old = await db.executions.of_version(before)
        old_rate = old.good / old.uses if old.uses else 1.0
    rate = new.good / new.uses if new.uses else 1.0
    told = f"{new.good} of {new.uses} calls went well, before {old_rate:.0%}"
    if not new.uses:
        told = "it was not called since the change"
    if failures > TOLERATED and rate < old_rate:
        return ProbationDecision(row.id, row.target, ProbationOutcome.ROLLED_BACK, told)
    if new.uses >= policy.probation_uses:
        return ProbationDecision(row.id, row.target, ProbationOutcome.SETTLED, told)
    return ProbationDecision(row.id, row.target, ProbationOutcome.WATCHING, told)
