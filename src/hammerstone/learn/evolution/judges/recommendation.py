"""The third judge: which track is the cheapest that could help, how sure that is, and why."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.evolution.evolution_policy import SignalPolicy
from hammerstone.learn.evolution.judges.signals import FailureSignals
from hammerstone.learn.evolution.tracks.track import TrackName
from hammerstone.learn.promotion.evidence import wilson


class Amount(StrEnum):
    """How much effort or risk."""

    LOW = "low"
    MIDDLE = "middle"
    HIGH = "high"


_EFFORT = {
    TrackName.PROMPT: (Amount.LOW, Amount.LOW),
    TrackName.SKILL: (Amount.LOW, Amount.LOW),
    TrackName.HARNESS: (Amount.MIDDLE, Amount.MIDDLE),
    TrackName.KNOWLEDGE: (Amount.MIDDLE, Amount.LOW),
    TrackName.FINE_TUNING: (Amount.HIGH, Amount.HIGH),
}


@dataclass(frozen=True, slots=True)
class TrackAdvice:
    """One track and the share of the failures that it addresses."""

    track: TrackName
    share: float
    why: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, the cheapest first; nothing when `advice` is empty. `blocked` says what would
    have helped and may not be done, and why."""

    advice: tuple[TrackAdvice, ...]
    confidence: float
    rationale: str
    next_steps: tuple[str, ...]
    effort: Amount = Amount.LOW
    risk: Amount = Amount.LOW
    blocked: tuple[str, ...] = ()

    @property
    def tracks(self) -> tuple[TrackName, ...]:
        return tuple(one.track for one in self.advice)

    def to_json(self) -> JsonObject:
        tracks: list[Json] = [
            {"track": str(one.track), "share": one.share, "why": one.why} for one in self.advice
        ]
        return {
            "tracks": tracks,
            "confidence": self.confidence,
            "rationale": self.rationale,
            "next_steps": list(self.next_steps),
            "effort": str(self.effort),
            "risk": str(self.risk),
            "blocked": list(self.blocked),
        }


def recommend(
    signals: FailureSignals,
    policy: SignalPolicy,
    allowed: Collection[TrackName],
    asked: Collection[TrackName] = (),
) -> Recommendation:
    """The tracks worth trying, cheapest first. Those that a person asked for are among them,
    whatever the failures speak for; at a good average nothing is done all the same."""
    if signals.average >= policy.enough_average:
        text = f"the average score is {signals.average:.2f}, {policy.enough_average:.2f} is enough"
        return Recommendation((), 1.0, text, ("nothing is to be done",))
    if not signals.failures:
        return _nothing_failed(signals)
    wanted, blocked = _wanted(signals, policy)
    wanted = _with_asked(wanted, signals, asked)
    advice = tuple(one for one in wanted if one.track in allowed)
    blocked += [
        f"{one.track}: it would address {one.share:.0%} of the failures, and it is not allowed here"
        for one in wanted
        if one.track not in allowed
    ]
    if not advice:
        steps = tuple(f"look at what is blocked: {each}" for each in blocked)
        text = f"no track addresses {policy.worth:.0%} or more of {signals.failures} failures"
        return Recommendation(
            (), 0.5, text, steps or ("look at the failures",), blocked=(*blocked,)
        )
    effort, risk = (max(which, key=list(Amount).index) for which in _burdens(advice))
    return Recommendation(
        advice,
        _confidence(signals, advice),
        " ".join(f"{one.track}: {one.why}." for one in advice),
        _steps(advice),
        effort,
        risk,
        tuple(blocked),
    )


def _nothing_failed(signals: FailureSignals) -> Recommendation:
    if signals.outages:
        text = f"{signals.outages} runs failed because a model or a service was down"
        return Recommendation((), 0.9, text, ("wait until it is back",))
    return Recommendation((), 0.5, "no run failed clearly", ("add cases that fail",))


def _wanted(signals: FailureSignals, policy: SignalPolicy) -> tuple[list[TrackAdvice], list[str]]:
    wanted: list[TrackAdvice] = []
    blocked: list[str] = []
    exhausted = signals.persisting > policy.persisting
    if signals.prompt_gap >= policy.worth and not exhausted:
        why = f"{signals.prompt_gap:.0%} of the failures come from how the model was told"
        wanted.append(TrackAdvice(TrackName.PROMPT, signals.prompt_gap, why))
    if exhausted:
        blocked.append(
            f"prompt: {signals.persisting:.0%} of the failures have outlived "
            f"{policy.prompt_rounds} changes of the prompt"
        )
    if signals.skill_gap >= policy.worth:
        why = f"{signals.skill_gap:.0%} of the failures need a tool or a better one"
        wanted.append(TrackAdvice(TrackName.SKILL, signals.skill_gap, why))
    if signals.harness_gap >= policy.harness:
        why = f"{signals.harness_gap:.0%} of the failures happen in the product's own steps"
        wanted.append(TrackAdvice(TrackName.HARNESS, signals.harness_gap, why))
    _knowledge(signals, policy, wanted, blocked)
    _weights(signals, policy, exhausted, wanted, blocked)
    return wanted, blocked


def _with_asked(
    wanted: list[TrackAdvice], signals: FailureSignals, asked: Collection[TrackName]
) -> list[TrackAdvice]:
    known = {one.track for one in wanted}
    shares = {
        TrackName.PROMPT: signals.prompt_gap,
        TrackName.SKILL: signals.skill_gap,
        TrackName.HARNESS: signals.harness_gap,
        TrackName.KNOWLEDGE: signals.knowledge_gap,
        TrackName.FINE_TUNING: signals.right_tool,
    }
    more = [
        TrackAdvice(
            name,
            shares[name],
            f"you asked for it, and {shares[name]:.0%} of the failures speak for it",
        )
        for name in asked
        if name not in known
    ]
    return sorted([*wanted, *more], key=lambda one: list(TrackName).index(one.track))


def _knowledge(
    signals: FailureSignals, policy: SignalPolicy, wanted: list[TrackAdvice], blocked: list[str]
) -> None:
    if signals.knowledge_gap <= policy.knowledge_gap:
        return
    why = f"{signals.knowledge_gap:.0%} of the failures lack a fact, and documents are there"
    if signals.corpus:
        wanted.append(TrackAdvice(TrackName.KNOWLEDGE, signals.knowledge_gap, why))
    else:
        blocked.append(
            f"knowledge: {signals.knowledge_gap:.0%} of the failures lack a fact; name a folder "
            "with documents (--documents)"
        )


def _weights(
    signals: FailureSignals,
    policy: SignalPolicy,
    exhausted: bool,
    wanted: list[TrackAdvice],
    blocked: list[str],
) -> None:
    """Changing the model: only where neither words nor tools help, and in one domain."""
    gap = signals.right_tool > policy.right_tool
    if not (exhausted and gap and signals.one_domain > policy.one_domain):
        return
    if signals.examples < policy.examples:
        blocked.append(
            f"fine_tuning: there are {signals.examples} good examples, {policy.examples} are needed"
        )
        return
    why = (
        f"{signals.right_tool:.0%} of the failures happen with the right tool, after "
        f"{policy.prompt_rounds} prompts, most of them about {signals.domain}"
    )
    wanted.append(TrackAdvice(TrackName.FINE_TUNING, signals.right_tool, why))


def _burdens(advice: tuple[TrackAdvice, ...]) -> tuple[list[Amount], list[Amount]]:
    pairs = [_EFFORT[one.track] for one in advice]
    return [effort for effort, _ in pairs], [risk for _, risk in pairs]


def _confidence(signals: FailureSignals, advice: tuple[TrackAdvice, ...]) -> float:
    """How sure the causes are, times the least share that the cheapest track addresses.

    The lower end of Wilson's interval: of three failures nothing is sure.
    """
    low, _ = wilson(min(1.0, advice[0].share), signals.failures, 1.64)
    return round(signals.sureness * max(0.0, low), 3)


def _steps(advice: tuple[TrackAdvice, ...]) -> tuple[str, ...]:
    first = advice[0]
    steps = [f"try {first.track} on the training cases", "prove it on the hidden cases"]
    if len(advice) > 1:
        steps.append(f"if it does not help, try {advice[1].track}")
    return tuple(steps)
