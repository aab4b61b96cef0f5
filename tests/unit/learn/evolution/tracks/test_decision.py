"""What the gate makes of a change that a track measured."""

from dataclasses import dataclass, field

import pytest

from hammerstone.core.changes import ProposalKind
from hammerstone.learn.evolution.tracks.decision import settle
from hammerstone.learn.evolution.tracks.track import TrackOutcome
from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.gate import GateDecision
from hammerstone.learn.promotion.proposals import Proposal, ProposalState
from hammerstone.learn.promotion.verdict import rule


def pairs(wins: int = 0, losses: int = 0, ties: int = 0) -> tuple[ScorePair, ...]:
    made = [ScorePair(f"w{n}", 0, 1) for n in range(wins)]
    made += [ScorePair(f"l{n}", 1, 0) for n in range(losses)]
    return (*made, *(ScorePair(f"t{n}", 1, 1) for n in range(ties)))


class NumbersAsShipped:
    def get(self, kind: type[GatePolicy]) -> GatePolicy:
        return kind()


@dataclass
class RuleGate:
    """A gate that follows the rule, at a level at which nobody is asked unless `asks`."""

    asks: bool = False
    asked: list[str] = field(default_factory=list)

    async def propose(self, proposal: Proposal, *, who: str) -> GateDecision:
        assert who == "evolution"
        ruling = rule(proposal.evidence, GatePolicy())
        state = ProposalState.REFUSED
        if ruling.promotes:
            state = ProposalState.WAITING if self.asks else ProposalState.PROMOTED
        return GateDecision("p1", state, ruling.reason)

    async def ask(self, proposal: Proposal, *, why: str) -> GateDecision:
        self.asked.append(why)
        return GateDecision("p1", ProposalState.WAITING, why)


KEPT, WAITING, REVERTED = TrackOutcome.KEPT, TrackOutcome.WAITING, TrackOutcome.REVERTED


@pytest.mark.parametrize(
    ("held_out", "review", "asks", "outcome", "said"),
    [
        (pairs(9), False, False, KEPT, "Kept: of what was not used to find it 9 better"),
        (pairs(9), False, True, WAITING, "It waits for a person: of what was not used to find it"),
        (pairs(9), True, False, WAITING, "a person looks first"),
        (
            pairs(0, 9),
            True,
            False,
            REVERTED,
            "Reverted: of what was not used to find it 0 better, 9 worse",
        ),
        (pairs(ties=9), True, False, REVERTED, "changes no result"),
        (pairs(2), False, False, WAITING, "2 hidden cases are too few to prove anything"),
        (pairs(1, 0, 3), False, False, WAITING, "4 hidden cases are too few"),
        (pairs(1, 1, 1), False, False, REVERTED, "chance explains it"),
        (pairs(1, 0, 8), False, False, REVERTED, "chance explains it"),
        (pairs(0, 0, 3), False, False, REVERTED, "changes no result"),
        ((), False, False, REVERTED, "nothing to test it on"),
    ],
)
async def test_what_becomes_of_a_measured_change(
    held_out: tuple[ScorePair, ...], review: bool, asks: bool, outcome: TrackOutcome, said: str
) -> None:
    gate = RuleGate(asks)
    evidence = ProposalEvidence(held_out=held_out)
    proposal = Proposal(ProposalKind.POLICY, "search", "search: other numbers", {}, evidence)
    settled = await settle(gate, NumbersAsShipped(), proposal, review)  # type: ignore[arg-type]
    assert (settled.outcome, settled.proposal) == (outcome, "p1")
    (told,) = settled.account
    assert said in told
    assert bool(gate.asked) is (outcome is WAITING and not asks)
