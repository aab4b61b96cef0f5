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


class GateFinding(StrEnum):
    """What the evidence for a change shows, or what else decided about it."""

    BREAKS = "breaks"  # a case with positive evidence would turn wrong
    WORSE = "worse"
    DIFFERENT = "different"  # it claims the same results, and gives others
    NO_EVIDENCE = "no evidence"
    NO_OP = "no-op"
    NOISE = "noise"
    UNSURE = "unsure"
    BETTER = "better"
    CHEAPER = "cheaper"
    PROVED = "proved"
    BY_USE = "by use"
    ASKED = "asked"  # nothing is measured: a person decides
    REFUSED = "refused"  # by a person
    UNWANTED = "unwanted"  # a person has decided otherwise about its target


_PROMOTING = (GateFinding.BETTER, GateFinding.CHEAPER, GateFinding.PROVED, GateFinding.BY_USE)


@dataclass(frozen=True, slots=True)
class GateRuling:
    """`finding` names what the evidence shows; `reason` says it to a person."""

    finding: GateFinding
    reason: str
    numbers: JsonObject

    @property
    def promotes(self) -> bool:
        return self.finding in _PROMOTING


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
        return GateRuling(
            GateFinding.BREAKS, f"{broken[0].case} was right and would be wrong{more}", {}
        )
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
        return GateRuling(GateFinding.WORSE, told, numbers)
    if evidence.equivalent:
        return _equivalent(evidence, policy, found.losses, numbers)
    if evidence.measured is not None:
        return _measured(evidence.measured, policy)
    if evidence.rule:
        return GateRuling(GateFinding.BY_USE, evidence.rule, evidence.grounds)
    if evidence.confidence is not None:
        return _proved(evidence, policy, found.losses, numbers)
    if found.finding is EvidenceFinding.BETTER:
        return GateRuling(GateFinding.BETTER, f"{told} (p = {found.p:.3g})", numbers)
    if not evidence.held_out:
        return GateRuling(
            GateFinding.NO_EVIDENCE,
            "there is nothing to test it on that was not used to find it",
            {},
        )
    if found.finding is EvidenceFinding.NO_OP:
        return GateRuling(
            GateFinding.NO_OP,
            "it changes no result",
            numbers,
        )
    return GateRuling(GateFinding.NOISE, f"{told}: chance explains it", numbers)


def _falls(pair: ScorePair) -> bool:
    return pair.before >= 1 - SAME and pair.after < 1 - SAME


def _equivalent(
    evidence: ProposalEvidence, policy: GatePolicy, losses: int, numbers: JsonObject
) -> GateRuling:
    equal = sum(pair.after >= 1 - SAME for pair in evidence.held_out)
    wrong = len(evidence.held_out) - equal
    if wrong or losses:
        return GateRuling(
            GateFinding.DIFFERENT, f"{wrong} recorded calls give another result", numbers
        )
    if equal < policy.min_equal:
        text = f"only {equal} recorded calls to compare, {policy.min_equal} are needed"
        return GateRuling(GateFinding.NO_EVIDENCE, text, numbers)
    if evidence.saved_calls <= 0 and evidence.saved_s <= 0:
        return GateRuling(
            GateFinding.NO_OP,
            "the results are the same, and nothing gets faster",
            numbers,
        )
    text = f"the same on {equal} recorded calls, calls saved by each use: {evidence.saved_calls:g}"
    return GateRuling(GateFinding.CHEAPER, text, numbers)


def _proved(
    evidence: ProposalEvidence, policy: GatePolicy, losses: int, numbers: JsonObject
) -> GateRuling:
    sure = evidence.confidence or 0.0
    numbers = {**numbers, "confidence": sure}
    if losses:
        return GateRuling(GateFinding.WORSE, f"{losses} recorded calls get worse", numbers)
    if not any(pair.after > pair.before + SAME for pair in (*evidence.search, *evidence.held_out)):
        return GateRuling(GateFinding.NO_OP, "it repairs nothing", numbers)
    if sure < policy.confidence:
        text = f"{sure:.0%} sure, {policy.confidence:.0%} is needed"
        return GateRuling(GateFinding.UNSURE, text, numbers)
    return GateRuling(GateFinding.PROVED, f"{sure:.0%} sure after cross-examination", numbers)


def _measured(effect: MeasuredEffect, policy: GatePolicy) -> GateRuling:
    numbers: JsonObject = asdict(effect)
    between = f"between {effect.low:+.3g} and {effect.high:+.3g}"
    told = f"{effect.metric} by {effect.gain:+.3g}, {between}, over {effect.units} sessions"
    if effect.high < 0:
        return GateRuling(GateFinding.WORSE, told, numbers)
    if effect.high < effect.least or (effect.low > 0 and effect.gain < effect.least):
        text = f"{told}: less than the {effect.least:g} that would be worth it"
        return GateRuling(GateFinding.NO_OP, text, numbers)
    if effect.low <= 0 or effect.p > policy.alpha:
        return GateRuling(GateFinding.NOISE, f"{told}: chance explains it", numbers)
    return GateRuling(GateFinding.BETTER, f"{told} (p = {effect.p:.3g})", numbers)
