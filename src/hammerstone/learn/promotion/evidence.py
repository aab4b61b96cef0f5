"""What speaks for a change, and whether it is more than chance."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from hammerstone.core.json_types import Json, JsonObject

SAME = 1e-9  # scores nearer than this are equal


@dataclass(frozen=True, slots=True)
class ScorePair:
    """One case, scored with the old and with the new: 1 is right, 0 is wrong."""

    case: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class MeasuredEffect:
    """What an experiment with people's sessions found: the gain is between `low` and `high`.

    `p` bounds the chance of such a result if the change does nothing, however often one looked.
    """

    metric: str
    gain: float
    low: float
    high: float
    p: float
    units: int  # sessions
    least: float = 0.0  # the gain from which on it is worth having


@dataclass(frozen=True, slots=True)
class ProposalEvidence:
    """The measurements behind a proposal.

    `search` was used to find the change and proves nothing. `held_out` was not. `passes` are
    the cases with positive evidence (frozen, or confirmed by a person): none may turn from right
    to wrong. `confidence` is a calibrated probability that the change is right, from a
    cross-examination with independent witnesses. `equivalent` claims the same results for less:
    `saved_calls` and `saved_s` a use. `rule` is what a policy says about the numbers in
    `grounds`, in words; `against` is what speaks against a change that a person decided.
    `measured` is what an experiment found, in which each session had one of the two.
    """

    search: tuple[ScorePair, ...] = ()
    held_out: tuple[ScorePair, ...] = ()
    passes: tuple[ScorePair, ...] = ()
    confidence: float | None = None
    equivalent: bool = False
    saved_calls: float = 0.0
    saved_s: float = 0.0
    looks: int = 1  # how often the held-out evidence was looked at while it grew
    changed: tuple[JsonObject, ...] = ()  # other earlier results that become different
    sources: int = 0  # traces behind it
    rule: str = ""
    grounds: JsonObject = field(default_factory=dict[str, Json])
    against: tuple[str, ...] = ()
    measured: MeasuredEffect | None = None

    def to_json(self) -> JsonObject:
        return {
            "search": _pairs(self.search),
            "held_out": _pairs(self.held_out),
            "passes": _pairs(self.passes),
            "confidence": self.confidence,
            "equivalent": self.equivalent,
            "saved_calls": self.saved_calls,
            "saved_s": self.saved_s,
            "looks": self.looks,
            "changed": list(self.changed),
            "sources": self.sources,
            "rule": self.rule,
            "grounds": self.grounds,
            "against": list(self.against),
            "measured": asdict(self.measured) if self.measured else None,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "ProposalEvidence":
        pairs = {
            name: tuple(ScorePair(str(c), float(b), float(a)) for c, b, a in data.get(name, []))
            for name in ("search", "held_out", "passes")
        }
        return ProposalEvidence(
            **pairs,
            confidence=data.get("confidence"),
            equivalent=bool(data.get("equivalent", False)),
            saved_calls=float(data.get("saved_calls", 0.0)),
            saved_s=float(data.get("saved_s", 0.0)),
            looks=int(data.get("looks", 1)),
            changed=tuple(data.get("changed", ())),
            sources=int(data.get("sources", 0)),
            rule=str(data.get("rule", "")),
            grounds=dict(data.get("grounds", {})),
            against=tuple(map(str, data.get("against", ()))),
            measured=MeasuredEffect(**data["measured"]) if data.get("measured") else None,
        )


def _pairs(pairs: Sequence[ScorePair]) -> list[Json]:
    return [[pair.case, pair.before, pair.after] for pair in pairs]


class EvidenceFinding(StrEnum):
    BETTER = "better"
    NO_OP = "no-op"  # nothing is different
    NOISE = "noise"  # different, but chance explains it
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Comparison:
    finding: EvidenceFinding
    wins: int
    losses: int
    ties: int
    p: float  # probability of such a result, or a better one, if the change did nothing


def compare(pairs: Sequence[ScorePair], alpha: float, looks: int = 1) -> Comparison:
    """Old against new on the same cases.

    Looked at once, the exact sign test. Looked at again and again while it grew, a test that
    stays valid whenever one stops: the chance of ever calling a change that does nothing
    better is at most `alpha`.
    """
    wins = sum(pair.after > pair.before + SAME for pair in pairs)
    losses = sum(pair.before > pair.after + SAME for pair in pairs)
    ties = len(pairs) - wins - losses
    if wins + losses == 0:
        return Comparison(EvidenceFinding.NO_OP, 0, 0, ties, 1.0)
    test = sign_test if looks <= 1 else anytime_p
    p = test(wins, losses)
    gain = sum(pair.after - pair.before for pair in pairs)
    if p <= alpha and gain > SAME:
        finding = EvidenceFinding.BETTER
    elif test(losses, wins) <= alpha and gain < SAME:
        finding = EvidenceFinding.WORSE
    else:
        finding = EvidenceFinding.NOISE
    return Comparison(finding, wins, losses, ties, p)


def wilson(share: float, count: float, z: float) -> tuple[float, float]:
    """Wilson's interval of a share among so many cases, which has to be more than none; `z` is how
    many standard errors it reaches to either side. Three of three is less sure than thirty."""
    whole = 1 + z * z / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - spread) / whole, (middle + spread) / whole


def sign_test(wins: int, losses: int) -> float:
    """Probability of at least so many wins among the cases that differ, by tossing a coin."""
    total = wins + losses
    return sum(math.comb(total, k) for k in range(wins, total + 1)) / 2**total


def anytime_p(wins: int, losses: int) -> float:
    """Like `sign_test`, but valid however often and whenever one looks.

    One bet against the coin for each rate above one half, averaged (a mixture martingale):
    by Ville's inequality the wealth exceeds 1/p with probability at most p.
    """
    total = wins + losses
    rates = [0.5 + 0.5 * (k + 0.5) / 20 for k in range(20)]
    logs = [
        wins * math.log(rate) + losses * math.log(1 - rate) + total * math.log(2) for rate in rates
    ]
    top = max(logs)
    wealth = top + math.log(sum(math.exp(log - top) for log in logs) / len(logs))
    return math.exp(-max(0.0, wealth))
