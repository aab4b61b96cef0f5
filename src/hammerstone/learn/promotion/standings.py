"""What use says about tools, as proposals: trusted after enough good uses, retired when failing."""

from hammerstone.core.tools import Status, Tool
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import Proposal
from hammerstone.library.tools.registry import Registry
from hammerstone.library.tools.upkeep.lifecycle import WHO, Change


class StandingProposals:
    """The proposals that use makes to the gate; they fill the seam `StandingJudge`."""

    def __init__(self, gate: ChangeGate, registry: Registry) -> None:
        self._gate = gate
        self._registry = registry

    async def decide(self, change: Change) -> Tool | None:
        """The tool as it stands now, or None when it is left as it was: by the gate, or because
        somebody was faster."""
        tool = await self._registry.get(change.tool)
        if (tool.version.id, tool.status) != (change.version, change.before):
            return None
        decided = await self._gate.propose(proposal_of(change), who=WHO)
        return await self._registry.get(change.tool) if decided.in_force else None


def proposal_of(change: Change) -> Proposal:
    """A person's undo of trust holds for the version; new failures and new wrong results are a
    new reason to fall."""
    lowers = change.after is not Status.TRUSTED
    against = [change.evidence.get(name) for name in ("own_failures", "wrong")]
    return Proposal(
        kind=change.kind,
        target=change.tool,
        title=f"{change.tool}: {change.after}, was {change.before}",
        change={
            "version": change.version,
            "status": str(change.after),
            "lowers": lowers,
            "failures": sum(n for n in against if isinstance(n, int)) if lowers else None,
            "since": change.since,
        },
        evidence=ProposalEvidence(rule=change.reason, grounds=change.evidence),
    )
