"""The numbers that evolution decides by, in small parts; presets are sets of these numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hammerstone.core.json_types import JsonObject

_SHARE = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class JudgePolicy:
    """How runs are scored, and when a model is asked and believed."""

    name: ClassVar[str] = "judges"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "failed_below": _SHARE,
        "ask_above": _SHARE,
        "ask_below": _SHARE,
        "confirmed": (0.5, 0.99),
        "least_skill": _SHARE,
        "unknown": (0.05, 0.95),
    }
    failed_below: float = 0.70
    unknown: float = 0.5  # the score of an answer about which nothing is known
    confirmed: float = 0.85  # how far an independent confirmation of the value is believed
    use_model: bool = True
    ask_above: float = 0.15  # the model is asked only where the evidence leaves the score between
    ask_below: float = 0.90
    # Right answers called right less wrong ones called right: below this a judge does not count.
    least_skill: float = 0.10
    control_cases: int = 8  # with known truth, needed before a model judge counts at all
    traces_share: float = 0.10  # of the successes, whose whole traces are judged beside failures
    every_hours: float = 24.0  # between two turns in which requests are judged by themselves
    feedback_hours: float = 1.0  # that a request's feedback may take to come
    back_days: float = 7.0  # requests that ended longer ago are not judged by themselves
    most_at_once: int = 200  # requests that are judged in one turn


@dataclass(frozen=True, slots=True)
class SignalPolicy:
    """From which numbers on a signal speaks, and what is needed for the dearest track."""

    name: ClassVar[str] = "signals"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "persisting": _SHARE,
        "right_tool": _SHARE,
        "knowledge_gap": _SHARE,
        "one_domain": _SHARE,
        "harness": _SHARE,
        "enough_average": _SHARE,
        "worth": _SHARE,
    }
    persisting: float = 0.40  # failures after `prompt_rounds` prompt rounds
    prompt_rounds: int = 3
    right_tool: float = 0.30  # failures with the right tool
    knowledge_gap: float = 0.40
    one_domain: float = 0.50
    harness: float = 0.30
    examples: int = 500  # scored well enough, for fine-tuning
    enough_average: float = 0.85  # at this average nothing is done
    worth: float = 0.15  # share of the failures that a track has to address to be tried


@dataclass(frozen=True, slots=True)
class EvolutionPolicy:
    """What evolution may do and spend: which tracks, how many rounds, who is asked."""

    name: ClassVar[str] = "evolution"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "rounds": (1, 20),
        "least_cases": (6, 10_000),
        "train_share": (0.1, 0.8),
        "validation_share": (0.1, 0.8),
    }
    prompt: bool = True
    skill: bool = True
    harness: bool = False
    knowledge: bool = True
    fine_tuning: bool = False
    rounds: int = 3  # after one that kept something the next one follows
    review: bool = True  # what wins waits for a person
    tokens: int = 200_000
    seconds: float = 3_600.0
    usd: float = 1.0
    least_cases: int = 12  # below which nothing can be proved
    train_share: float = 0.4
    validation_share: float = 0.2
    sample: int = 5  # runs shown to a person after each round
    least_agreement: float = 0.8  # of people with the judge; below it nothing is kept by itself


@dataclass(frozen=True, slots=True)
class MonitorPolicy:
    """How what is in force is watched."""

    name: ClassVar[str] = "monitor"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "evolve_below": _SHARE,
        "low_errors": (0.0, 5.0),
        "alarm": (0.0001, 0.2),
        "outage_share": _SHARE,
        "least_change": _SHARE,
        "short_days": (1, 30),
        "long_days": (2, 90),
    }
    enabled: bool = True
    continuous: bool = False  # starts evolving by itself; otherwise it tells a person
    every_hours: float = 24.0
    evolve_below: float = 0.70
    low_errors: float = 1.0  # standard errors below the mark, so that chance starts nothing
    short_days: int = 3  # the window that is compared
    long_days: int = 14  # with the one before it
    alarm: float = 0.01  # chance of a false alarm at one look
    least_change: float = 0.2  # of a case between two windows, to count as better or worse
    outage_share: float = 0.5  # of the cases without an answer: then nothing is concluded
    pause_hours: float = 72.0  # between two attempts at the same suite


EVOLUTION_POLICIES = (JudgePolicy, SignalPolicy, EvolutionPolicy, MonitorPolicy)

PRESETS: Mapping[str, Mapping[str, JsonObject]] = {
    "innovate": {
        "evolution": {
            "prompt": True,
            "skill": True,
            "harness": True,
            "knowledge": True,
            "fine_tuning": True,
            "rounds": 5,
            "tokens": 400_000,
            "seconds": 7_200.0,
        },
        "signals": {"enough_average": 0.90, "worth": 0.05},
        "monitor": {"evolve_below": 0.80, "pause_hours": 24.0},
    },
    "harden": {
        "evolution": {
            "prompt": True,
            "skill": True,
            "harness": False,
            "knowledge": True,
            "fine_tuning": False,
            "rounds": 3,
            "tokens": 200_000,
            "seconds": 3_600.0,
        },
        "signals": {"enough_average": 0.85, "worth": 0.15},
        "monitor": {"evolve_below": 0.70, "pause_hours": 72.0},
    },
    "repair-only": {
        "evolution": {
            "prompt": False,
            "skill": True,
            "harness": False,
            "knowledge": False,
            "fine_tuning": False,
            "rounds": 1,
            "tokens": 100_000,
            "seconds": 1_800.0,
        },
        "signals": {"enough_average": 0.85, "worth": 0.15},
        "monitor": {"evolve_below": 0.60, "pause_hours": 72.0},
    },
}
"""What each preset sets; the default is `harden`. Review and continuous mode are set apart."""
