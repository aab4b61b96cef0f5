"""How a track puts what it found before the gate, with a person asked first in review mode."""

from hammerstone.learn.promotion.gate import ChangeGate, GateDecision
from hammerstone.learn.promotion.gate_policy import GatePolicy
from hammerstone.learn.promotion.proposals import Proposal
from hammerstone.learn.promotion.verdict import rule


async def put_before_gate(
    gate: ChangeGate, proposal: Proposal, policy: GatePolicy, *, review: bool
) -> GateDecision:
    """The gate's decision; in review mode what the evidence allows waits for a person."""
    if review and rule(proposal.evidence, policy).promotes:
        return await gate.ask(proposal, why="in review mode what wins waits for a person")
    return await gate.propose(proposal, who="evolution")
