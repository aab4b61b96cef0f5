"""Earned trust: the chance that a version's next answer is right, after its proof and its use.

The proof's number is where the chance begins, worth as many judged uses as a policy says. Every
judged use moves it by what the sign behind the verdict is worth. The result is the mean of a Beta
distribution, with the interval in which nine tenths of it lie.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from hammerstone.core.feedback import UseVerdict
from hammerstone.core.json_types import Json, JsonObject

_TAIL = 0.05  # left out of the interval at each end
_STEPS = 24  # halvings of the interval, for the four digits that are kept
_TINY = 1e-30
_FORETOLD = 2.0  # wrong answers that a proof's weight holds: fewer, and silence proves a tool


@dataclass(frozen=True, slots=True)
class UseSigns:
    """Judged uses of a version that one person had, with one verdict for one kind of reason.

    `worth` is what they weigh together, each from 0 (says nothing) to 1 (settles it).
    """

    user: str
    verdict: UseVerdict
    kind: str
    uses: int
    worth: float


@dataclass(frozen=True, slots=True)
class EarnedTrust:
    """The chance with its interval, and what it comes from.

    `proved` is the proof's number, worth `prior_uses`; `good` and `wrong` are what use weighs.
    """

    chance: float
    low: float
    high: float
    proved: float
    prior_uses: float
    good: float
    wrong: float
    uses: int
    people: int
    signs: dict[str, int] = field(default_factory=dict[str, int])  # how many of each kind

    def to_json(self) -> JsonObject:
        signs: dict[str, Json] = {**self.signs}
        return {
            "chance": self.chance,
            "low": self.low,
            "high": self.high,
            "proved": self.proved,
            "prior_uses": self.prior_uses,
            "good": self.good,
            "wrong": self.wrong,
            "uses": self.uses,
            "people": self.people,
            "signs": signs,
        }


def sign_worth(reliability: float) -> float:
    """What a sign weighs, in uses that were looked at closely: as much as it is believed.

    Counting a sign that is believed by half as nothing was measured and is worse: right tools
    lose the mark three times as often after a mistaken word (`python -m evals.trust`).
    """
    return max(0.0, min(1.0, reliability))


def earned_trust(
    proved: float, signs: Sequence[UseSigns], *, prior_uses: float, person_uses: float
) -> EarnedTrust:
    """The chance after these uses. What one person's uses weigh is bounded by `person_uses`, for
    and against; failures that a call itself showed have no person and are not.

    A proof is worth as many uses as hold two wrong answers by its own number, and `prior_uses`
    at most: one that was not sure gives way to what use shows.
    """
    prior_uses = min(prior_uses, _FORETOLD / max(_TINY, 1 - proved))
    good = weight_of(signs, UseVerdict.GOOD, person_uses)
    wrong = weight_of(signs, UseVerdict.WRONG, person_uses)
    a, b = proved * prior_uses + good, (1 - proved) * prior_uses + wrong
    told: dict[str, int] = {}
    for one in signs:
        told[one.kind] = told.get(one.kind, 0) + one.uses
    return EarnedTrust(
        chance=round(a / (a + b), 4),
        low=round(_quantile(_TAIL, a, b), 4),
        high=round(_quantile(1 - _TAIL, a, b), 4),
        proved=proved,
        prior_uses=prior_uses,
        good=round(good, 3),
        wrong=round(wrong, 3),
        uses=sum(one.uses for one in signs),
        people=len({one.user for one in signs if one.user}),
        signs=told,
    )


def weight_of(signs: Sequence[UseSigns], verdict: UseVerdict, most: float) -> float:
    """What use weighs for (or against) a version, each person's part bounded by `most`."""
    by_person: dict[str, float] = {}
    for one in signs:
        if one.verdict is verdict:
            by_person[one.user] = by_person.get(one.user, 0.0) + one.worth
    return sum(worth if not user else min(worth, most) for user, worth in by_person.items())


def _quantile(share: float, a: float, b: float) -> float:
    """Below which value a share of a Beta distribution lies."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _below(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below(x: float, a: float, b: float) -> float:
    """The share of a Beta distribution below `x`: the regularised incomplete beta function."""
    a, b = max(a, _TINY), max(b, _TINY)
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _fraction(1 - x, b, a) / b
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, evaluated from the front."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    value = d
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = value
        for part in (even, odd):
            d = 1 / (1 + part * d or _TINY)
            c = 1 + part / c or _TINY
            value *= d * c
        if abs(value - before) < 1e-12 * abs(value):
            break
    return value
