"""The numbers that decide how policies are tuned, and what an outcome is worth."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class OutcomeWorth:
    """What right and wrong decisions count, in answers: a right answer at once is 1."""

    harm: float = 1.1  # what an answer by the wrong tool costs
    beside_right: float = 0.7  # a tool that fits beside a solution: confirmed, and slower
    beside_wrong: float = 0.1  # one that does not: the solution stands alone and contradicted
    alone: float = 0.4  # a new solution, where the tool is left out
    stale: float = 5.0  # what an outdated result out of the cache costs
    solution_cost: float = 0.03  # of an answer's worth, for each solution that is written
    idle_composite: float = 1.0  # what a composite costs that nobody uses


@dataclass(frozen=True, slots=True)
class TuningPolicy(OutcomeWorth):
    """How much is needed, how long is searched, and what right and wrong decisions count.

    With the numbers as shipped, and
    probabilities that are what they say, the shipped bands (0.8 and 0.5) are the best ones.
    """

    name: ClassVar[str] = "tuning"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "earlier_share": (0.1, 0.9),
        "fewest": (10, 1_000_000),
        "fewest_sessions": (2, 100_000),
        "alpha": (0.0001, 0.5),
        "least_gain": (0.0, 1.0),
        "trials": (1, 1000),
        "resamples": (100, 100_000),
        "person_share": (0.05, 1.0),
        "harm": (0.0, 100.0),
        "beside_right": (-1.0, 1.0),
        "beside_wrong": (-1.0, 1.0),
        "alone": (-1.0, 1.0),
        "stale": (0.0, 100.0),
        "solution_cost": (0.0, 1.0),
        "idle_composite": (0.0, 100.0),
    }
    enabled: bool = True
    earlier_share: float = 0.6  # of the decisions, by time: searched on; the later ones judge
    fewest: int = 60  # labelled decisions
    fewest_sessions: int = 10  # among the later ones
    most: int = 20_000  # decisions that are read
    trials: int = 60  # values that are tried for one knob
    alpha: float = 0.05  # chance that the interval of a gain leaves the true one out
    least_gain: float = 0.002  # a smaller gain, even if sure, changes nothing
    resamples: int = 2000
    person_share: float = 0.5  # of all weight that one person's decisions may have
