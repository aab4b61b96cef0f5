"""A track's last step, the same for all: what the gate makes of a change that was measured."""

from dataclasses import dataclass

from hammerstone.learn.evolution.tracks.track import TrackOutcome
from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import OPEN, Proposal
from hammerstone.learn.promotion.verdict import GateFinding, rule
from hammerstone.library.policies import Policies


@dataclass(frozen=True, slots=True)
class SettledChange:
    """What became of a proposal, and the sentences that say so."""

    outcome: TrackOutcome
    proposal: str
    account: tuple[str, ...]


async def settle(
    gate: ChangeGate, policies: Policies, proposal: Proposal, review: bool
) -> SettledChange:
    """Let the gate decide; in review mode what wins waits for a person.

    With so few hidden cases that even a win on each would be chance, a change that lost nowhere
    and won somewhere waits for a person too: nothing here can prove it.
    """
    alpha = policies.get(GatePolicy).alpha
    ruling = rule(proposal.evidence, policies.get(GatePolicy))
    pairs = proposal.evidence.held_out
    won = sum(pair.after > pair.before for pair in pairs)
    lost = sum(pair.after < pair.before for pair in pairs)
    by_chance = ruling.finding is GateFinding.NOISE
    too_few = by_chance and 0.5 ** len(pairs) > alpha and won > 0 and not lost
    if ruling.promotes and review:
        decision = await gate.ask(proposal, why=f"{ruling.reason}; a person looks first")
    elif too_few:
        why = f"{len(pairs)} hidden cases are too few to prove anything"
        decision = await gate.ask(proposal, why=why)
    else:
        decision = await gate.propose(proposal, who="evolution")
    if decision.in_force:
        return SettledChange(TrackOutcome.KEPT, decision.id, (f"Kept: {ruling.reason}.",))
    if decision.standing in OPEN:
        told = f"It waits for a person: {decision.reason}."
        return SettledChange(TrackOutcome.WAITING, decision.id, (told,))
    told = f"Reverted: {decision.reason or ruling.reason}."
    return SettledChange(TrackOutcome.REVERTED, decision.id, (told,))
