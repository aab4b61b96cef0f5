"""Whether a change may be promoted, from its evidence alone."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.evidence import (
    SAME,
    EvidenceFinding,
    MeasuredEffect,
    ProposalEvidence,
    ScorePair,
    compare,
)


class GateOutcome(StrEnum):
    PROMOTE = "promote"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class GateRuling:
    """`finding` names what the evidence shows; `reason` says it to a person."""

    outcome: GateOutcome
    finding: str
    reason: str
    numbers: JsonObject

    @property
    def promotes(self) -> bool:
        return self.outcome is GateOutcome.PROMOTE


def rule(evidence: ProposalEvidence, policy: GatePolicy) -> GateRuling:
    """The gate's rule, for every kind of change.

    No case with positive evidence may turn from right to wrong. Beyond that a change is
    promoted when it is better on held-out cases by more than chance, or gives the same on
    held-out cases for less, or was proved right by independent witnesses and no held-out case
    says otherwise, or follows from use by a policy's rule, or an experiment with people's sessions
    found a gain that is worth having and that chance does not explain.
    """
    broken = [pair for pair in evidence.passes if _falls(pair)]
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        return _refuse("breaks", f"{broken[0].case} was right and would be wrong{more}")
    found = compare(evidence.held_out, policy.alpha, evidence.looks)
    numbers: JsonObject = {
        "wins": found.wins,
        "losses": found.losses,
        "ties": found.ties,
        "p": found.p,
    }
    told = (
        f"of what was not used to find it {found.wins} better, {found.losses} worse, "
        f"{found.ties} the same"
    )
    if found.finding is EvidenceFinding.WORSE:
        return GateRuling(GateOutcome.REFUSE, "worse", told, numbers)
    if evidence.equivalent:
        return _equivalent(evidence, policy, found.losses, numbers)
    if evidence.measured is not None:
        return _measured(evidence.measured, policy)
    if evidence.rule:
        return GateRuling(GateOutcome.PROMOTE, "by use", evidence.rule, evidence.grounds)
    if evidence.confidence is not None:
        return _proved(evidence, policy, found.losses, numbers)
    if found.finding is EvidenceFinding.BETTER:
        return GateRuling(GateOutcome.PROMOTE, "better", f"{told} (p = {found.p:.3g})", numbers)
    if not evidence.held_out:
        return _refuse("no evidence", "there is nothing to test it on that was not used to find it")
    if found.finding is EvidenceFinding.NO_OP:
        return GateRuling(
            GateOutcome.REFUSE,
            "no-op",
            "it changes no result",
            numbers,
        )
    return GateRuling(GateOutcome.REFUSE, "noise", f"{told}: chance explains it", numbers)


def _falls(pair: ScorePair) -> bool:
    return pair.before >= 1 - SAME and pair.after < 1 - SAME


def _equivalent(
    evidence: ProposalEvidence, policy: GatePolicy, losses: int, numbers: JsonObject
) -> GateRuling:
    equal = sum(pair.after >= 1 - SAME for pair in evidence.held_out)
    wrong = len(evidence.held_out) - equal
    if wrong or losses:
        return GateRuling(
            GateOutcome.REFUSE, "different", f"{wrong} recorded calls give another result", numbers
        )
    if equal < policy.min_equal:
        text = f"only {equal} recorded calls to compare, {policy.min_equal} are needed"
        return GateRuling(GateOutcome.REFUSE, "no evidence", text, numbers)
    if evidence.saved_calls <= 0 and evidence.saved_s <= 0:
        return GateRuling(
            GateOutcome.REFUSE,
            "no-op",
            "the results are the same, and nothing gets faster",
            numbers,
        )
    text = f"the same on {equal} recorded calls, calls saved by each use: {evidence.saved_calls:g}"
    return GateRuling(GateOutcome.PROMOTE, "cheaper", text, numbers)


def _proved(
    evidence: ProposalEvidence, policy: GatePolicy, losses: int, numbers: JsonObject
) -> GateRuling:
    sure = evidence.confidence or 0.0
    numbers = {**numbers, "confidence": sure}
    if losses:
        return GateRuling(
            GateOutcome.REFUSE, "worse", f"{losses} recorded calls get worse", numbers
        )
    if not any(pair.after > pair.before + SAME for pair in (*evidence.search, *evidence.held_out)):
        return GateRuling(GateOutcome.REFUSE, "no-op", "it repairs nothing", numbers)
    if sure < policy.confidence:
        text = f"{sure:.0%} sure, {policy.confidence:.0%} is needed"
        return GateRuling(GateOutcome.REFUSE, "unsure", text, numbers)
    return GateRuling(
        GateOutcome.PROMOTE, "proved", f"{sure:.0%} sure after cross-examination", numbers
    )


def _measured(effect: MeasuredEffect, policy: GatePolicy) -> GateRuling:
    numbers: JsonObject = asdict(effect)
    between = f"between {effect.low:+.3g} and {effect.high:+.3g}"
    told = f"{effect.metric} by {effect.gain:+.3g}, {between}, over {effect.units} sessions"
    if effect.high < 0:
        return GateRuling(GateOutcome.REFUSE, "worse", told, numbers)
    if effect.high < effect.least or (effect.low > 0 and effect.gain < effect.least):
        text = f"{told}: less than the {effect.least:g} that would be worth it"
        return GateRuling(GateOutcome.REFUSE, "no-op", text, numbers)
    if effect.low <= 0 or effect.p > policy.alpha:
        return GateRuling(GateOutcome.REFUSE, "noise", f"{told}: chance explains it", numbers)
    return GateRuling(GateOutcome.PROMOTE, "better", f"{told} (p = {effect.p:.3g})", numbers)


def _refuse(finding: str, reason: str) -> GateRuling:
    return GateRuling(GateOutcome.REFUSE, finding, reason, {})
