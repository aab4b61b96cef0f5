"""One attack and the judgement of what came of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from hammerstone.sandbox.conformance.probe_stage import Attack, ProbeStage


class ProbeKind(StrEnum):
    """Whether a backend may exist at all without containing the attack."""

    CONTAINMENT = "containment"  # every backend must; otherwise nothing may run in it
    QUOTA = "quota"  # a backend may name it as a gap; it still counts as not contained


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """Contained or not, and what stopped the attack or what it reached."""

    contained: bool
    detail: str


Judge = Callable[[ProbeStage], Awaitable[ProbeFinding]]


@dataclass(frozen=True, slots=True)
class Probe:
    """`run` attacks from inside, watches from outside, and says what happened."""

    name: str
    tries: str
    run: Judge
    kind: ProbeKind = ProbeKind.CONTAINMENT
    fast: bool = False


def probe(
    tries: str, *, kind: ProbeKind = ProbeKind.CONTAINMENT, fast: bool = False
) -> Callable[[Judge], Probe]:
    """Make a probe of an async function; its name is the theme's file and the function's name."""

    def make(judge: Judge) -> Probe:
        theme = judge.__module__.rpartition(".")[2]
        name = getattr(judge, "__name__", "probe")
        return Probe(f"{theme}.{name}", tries, judge, kind, fast)

    return make


def contained(detail: str) -> ProbeFinding:
    return ProbeFinding(True, detail)


def escaped(detail: str) -> ProbeFinding:
    return ProbeFinding(False, detail)


def judge(attack: Attack) -> ProbeFinding:
    """Contained when the attack ran and reached nothing, or was ended on the way."""
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    if attack.reached:
        return escaped("reached " + "; ".join(attack.reached[:4]))
    if not attack.told:
        return contained(f"ended by {attack.ended_by}")
    if not attack.stopped:
        return escaped("inconclusive, the attack tried nothing")
    return contained("; ".join(attack.stopped[:4]))
