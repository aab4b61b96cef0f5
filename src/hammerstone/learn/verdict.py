"""Whether a change may be promoted, from its evidence alone."""

from dataclasses import dataclass
from enum import StrEnum

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.evidence import SAME, Evidence, Finding, Pair, compare
from hammerstone.learn.gate_policy import GatePolicy


class Outcome(StrEnum):
    PROMOTE = "promote"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Ruling:
    """`finding` names what the evidence shows; `reason` says it to a person."""

    outcome: Outcome
    finding: str
    reason: str
    numbers: JsonObject

    @property
    def promotes(self) -> bool:
        return self.outcome is Outcome.PROMOTE


def rule(evidence: Evidence, policy: GatePolicy) -> Ruling:
    """The gate's rule, for every kind of change.

    No case with positive evidence may turn from right to wrong. Beyond that a change is
    promoted when it is better on held-out cases by more than chance, or gives the same on
    held-out cases for less, or was proved right by independent witnesses and no held-out case
    says otherwise.
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
    told = f"{found.wins} better, {found.losses} worse, {found.ties} the same on held-out cases"
    if found.finding is Finding.WORSE:
        return Ruling(Outcome.REFUSE, "worse", told, numbers)
    if evidence.equivalent:
        return _equivalent(evidence, policy, found.losses, numbers)
    if evidence.confidence is not None:
        return _proved(evidence, policy, found.losses, numbers)
    if found.finding is Finding.BETTER:
        return Ruling(Outcome.PROMOTE, "better", f"{told} (p = {found.p:.3g})", numbers)
    if not evidence.held_out:
        return _refuse("no evidence", "there is no evidence that was not used to find it")
    if found.finding is Finding.NO_OP:
        return Ruling(Outcome.REFUSE, "no-op", "nothing is different on held-out cases", numbers)
    return Ruling(Outcome.REFUSE, "noise", f"{told}: chance explains it", numbers)


def _falls(pair: Pair) -> bool:
    return pair.before >= 1 - SAME and pair.after < 1 - SAME


def _equivalent(evidence: Evidence, policy: GatePolicy, losses: int, numbers: JsonObject) -> Ruling:
    equal = sum(pair.after >= 1 - SAME for pair in evidence.held_out)
    wrong = len(evidence.held_out) - equal
    if wrong or losses:
        return Ruling(Outcome.REFUSE, "different", f"{wrong} held-out cases differ", numbers)
    if equal < policy.min_equal:
        text = f"only {equal} held-out cases, {policy.min_equal} are needed"
        return Ruling(Outcome.REFUSE, "no evidence", text, numbers)
    if evidence.saved_calls <= 0 and evidence.saved_s <= 0:
        return Ruling(Outcome.REFUSE, "no-op", "the same results and nothing saved", numbers)
    text = f"the same on {equal} held-out cases, {evidence.saved_calls:g} calls saved a use"
    return Ruling(Outcome.PROMOTE, "cheaper", text, numbers)


def _proved(evidence: Evidence, policy: GatePolicy, losses: int, numbers: JsonObject) -> Ruling:
    sure = evidence.confidence or 0.0
    numbers = {**numbers, "confidence": sure}
    if losses:
        return Ruling(Outcome.REFUSE, "worse", f"{losses} held-out cases get worse", numbers)
    if not any(pair.after > pair.before + SAME for pair in (*evidence.search, *evidence.held_out)):
        return Ruling(Outcome.REFUSE, "no-op", "it mends nothing", numbers)
    if sure < policy.confidence:
        text = f"{sure:.0%} sure, {policy.confidence:.0%} is needed"
        return Ruling(Outcome.REFUSE, "unsure", text, numbers)
    return Ruling(Outcome.PROMOTE, "proved", f"{sure:.0%} sure after cross-examination", numbers)


def _refuse(finding: str, reason: str) -> Ruling:
    return Ruling(Outcome.REFUSE, finding, reason, {})
