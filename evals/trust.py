"""Earned trust against known truth: right and wrong tools, used by people who err.

    python -m evals.trust [--set instant|quick|full] [--json]

Simulated libraries: a tool's proof says how likely it is right in general, and is calibrated (of
tools proved 97 % likely, 97 % are right). A right tool always answers right; a wrong one answers
right as often as a share drawn for it. After each answer comes a sign: people notice wrong answers
now and then, confirm right ones seldom, and err in both; sometimes an independent solution agrees,
which may share the mistake; mostly nobody objects.
Compared are the number after n uses and the proof's number alone (`baseline`): how far each is
from how often the next answer is right, and the squared error. Then: after how many uses a wrong
tool has lost the mark of 0.95, and how many right tools have lost it at any time. The prior's
weight and what a sign weighs were chosen on these simulations.
"""

import random
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from evals.measured import measured
from hammerstone.core.feedback import FOR, FeedbackKind, UseVerdict
from hammerstone.core.trust import UseSigns, sign_worth, weight_of
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, higher, lower, middle, share
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.library.tools.upkeep.trust import TrustPolicy
from hammerstone.synthesis.examine.verdict import ExaminePolicy

SEED = 23
USES = 100
LOOKS = (5, 20, 50, 100)
PEOPLE = 6
NOTICED = 0.35  # of wrong answers, by the person who got them
MISTAKEN = 0.005  # of right answers that a person calls wrong
CONFIRMED = 0.05  # of right answers that a person calls right
MISSED = 0.01  # of wrong answers that a person calls right
COMPARED = 0.15  # of answers for which an independent solution is there
SHARED = 0.2  # of wrong answers that such a solution has in common


@dataclass
class SimulatedTool:
    """A tool with its truth, what its proof said, and the signs that its uses left."""

    right: bool
    proved: float
    share: float  # of its answers that are right
    signs: dict[tuple[str, UseVerdict], float] = field(default_factory=dict)
    lost_at: int | None = None
    marked: bool = True

    def weights(self, policy: TrustPolicy) -> tuple[float, float]:
        """What its uses weigh for it and against it."""
        told = self.signs.items()
        signs = [UseSigns(user, verdict, "", 1, worth) for (user, verdict), worth in told]
        good = weight_of(signs, UseVerdict.GOOD, policy.person_uses)
        return good, weight_of(signs, UseVerdict.WRONG, policy.person_uses)

    def chance(self, policy: TrustPolicy) -> float:
        good, wrong = self.weights(policy)
        return (self.proved * policy.prior_uses + good) / (policy.prior_uses + good + wrong)

    def follow(self, policy: TrustPolicy, mark: float) -> None:
        """Lose the mark or get it back, as the product does."""
        good, wrong = self.weights(policy)
        chance = self.chance(policy)
        if policy.crosses(chance, mark, marked=self.marked, good=good, wrong=wrong):
            self.marked = not self.marked


def simulated(count: int, rng: random.Random) -> list[SimulatedTool]:
    tools: list[SimulatedTool] = []
    for _ in range(count):
        proved = rng.uniform(0.95, 0.99)
        right = rng.random() < proved
        tools.append(SimulatedTool(right, proved, 1.0 if right else rng.uniform(0.2, 0.9)))
    return tools


def use(tool: SimulatedTool, believed: FeedbackPolicy, rng: random.Random) -> None:
    """One answer and the sign it leaves."""
    user, well = f"person {rng.randrange(PEOPLE)}", rng.random() < tool.share
    kind = _sign(well, rng)
    verdict = UseVerdict.GOOD if kind in FOR else UseVerdict.WRONG
    worth = sign_worth(believed.worth(kind))
    tool.signs[user, verdict] = tool.signs.get((user, verdict), 0.0) + worth


def _sign(well: bool, rng: random.Random) -> FeedbackKind:
    """What a person says; else whether a solution agrees; else nobody objected."""
    drawn = rng.random()
    says_wrong, says_right = (MISTAKEN, CONFIRMED) if well else (NOTICED, MISSED)
    if drawn < says_wrong:
        return FeedbackKind.CORRECTED if rng.random() < 0.5 else FeedbackKind.REFUSED
    if drawn < says_wrong + says_right:
        return FeedbackKind.CONFIRMED
    agrees = rng.random() < COMPARED * (1.0 if well else SHARED)
    return FeedbackKind.AGREED if agrees else FeedbackKind.UNOPPOSED


@dataclass(frozen=True)
class TrustNumbers:
    """What a simulated library showed."""

    error: dict[int, float]  # by uses: |mean number - share of right next answers|
    squared: dict[int, float]
    lost_after: list[int]  # uses until wrong tools lost the mark
    wrong: int
    right: int
    right_lost: int  # right tools that lost the mark at any time
    right_marked: int  # right tools that have it at the end
    wrong_marked: int


def simulate(count: int, policy: TrustPolicy, mark: float, seed: int = SEED) -> TrustNumbers:
    rng, believed = random.Random(seed), FeedbackPolicy()
    tools = simulated(count, rng)
    ever: set[int] = set()
    error, squared = {0: _error(tools, policy)}, {0: _squared(tools, policy)}
    for number in range(1, USES + 1):
        for at, tool in enumerate(tools):
            use(tool, believed, rng)
            tool.follow(policy, mark)
            if not tool.marked:
                ever.add(at)
                tool.lost_at = tool.lost_at or number
        if number in LOOKS:
            error[number], squared[number] = _error(tools, policy), _squared(tools, policy)
    wrong = [one for one in tools if not one.right]
    right = [at for at, one in enumerate(tools) if one.right]
    return TrustNumbers(
        error,
        squared,
        [one.lost_at for one in wrong if one.lost_at],
        len(wrong),
        len(right),
        sum(at in ever for at in right),
        sum(tools[at].marked for at in right),
        sum(one.marked for one in wrong),
    )


def _error(tools: Sequence[SimulatedTool], policy: TrustPolicy | None) -> float:
    """Expected calibration error in ten equally large groups by the number."""
    pairs = sorted((one.chance(policy) if policy else one.proved, one.share) for one in tools)
    size = max(1, len(pairs) // 10)
    groups = [pairs[at : at + size] for at in range(0, len(pairs), size)]
    gaps = [len(g) * abs(_mean([p for p, _ in g]) - _mean([s for _, s in g])) for g in groups]
    return sum(gaps) / len(pairs)


def _squared(tools: Sequence[SimulatedTool], policy: TrustPolicy | None) -> float:
    """The mean squared error of the number about the next answer (Brier)."""
    pairs = [(one.chance(policy) if policy else one.proved, one.share) for one in tools]
    return _mean([s * (1 - p) ** 2 + (1 - s) * p**2 for p, s in pairs])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The numbers before and after n uses, beside the proof's number alone."""
    count = amount(context, instant=400, quick=1500, full=6000)
    policy, mark = (
        context.policies.get(TrustPolicy),
        context.policies.get(ExaminePolicy).verified_at,
    )
    found = simulate(count, policy, mark)
    alone = simulated(count, random.Random(SEED))
    error, squared = _error(alone, None), _squared(alone, None)
    name = "the proof alone"
    for uses in LOOKS:
        context.say(f"after {uses} uses")
        yield lower(
            f"calibration error after {uses} uses", found.error[uses], "share",
            baseline=error, baseline_name=name,
        )  # fmt: skip
        yield lower(
            f"squared error after {uses} uses", found.squared[uses], "score",
            baseline=squared, baseline_name=name,
        )  # fmt: skip
    lost = share(len(found.lost_after), found.wrong)
    yield higher(
        f"wrong tools that lose the mark in {USES} uses", lost, baseline=0.0, baseline_name=name
    )
    yield lower("uses until a wrong tool loses it, median", middle(found.lost_after), "count")
    kept = share(found.right_marked, found.right)
    yield higher(
        f"right tools with the mark after {USES} uses", kept, baseline=1.0, baseline_name=name
    )
    yield lower(
        "right tools that lost it at some time", share(found.right_lost, found.right), "share"
    )
    before = share(found.wrong, found.wrong + found.right)
    after = share(found.wrong_marked, found.wrong_marked + found.right_marked)
    yield lower(
        f"wrong among those with the mark after {USES} uses",
        after,
        "share",
        baseline=before,
        baseline_name=name,
    )


if __name__ == "__main__":
    measured("trust")
