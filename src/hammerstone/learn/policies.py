"""The numbers that decide what is learned, and when a change is kept."""

from dataclasses import dataclass
from typing import ClassVar

from hammerstone.core.feedback import FeedbackKind


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """When a change is better, and which kinds wait for a person whatever the level."""

    name: ClassVar[str] = "gate"
    alpha: float = 0.01  # chance of promoting a change that does nothing
    confidence: float = 0.9  # a cross-examined change needs this probability of being right
    min_equal: int = 2  # held-out cases on which an equivalent change must give the same
    ask_for_prompts: bool = False
    ask_for_policies: bool = False
    ask_for_retirement: bool = False


@dataclass(frozen=True, slots=True)
class MiningPolicy:
    """What counts as a pattern, and when one becomes a tool."""

    name: ClassVar[str] = "mining"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "longest": (2, 100),
        "longest_whole": (2, 100),
        "per_session": (1, 1e6),
        "frequency": (1, 1e6),
        "sessions": (1, 1e6),
        "examples": (1, 1e4),
    }
    enabled: bool = True
    longest: int = 5  # steps of a sub-sequence
    longest_whole: int = 10  # steps of a whole run that is kept as one
    per_session: int = 2  # how often one session counts
    settle_s: float = 2.0  # runs that ended so recently are left for the next time
    frequency: int = 3
    success: float = 0.8
    confidence: float = 0.7
    sessions: int = 2  # one session alone makes no habit
    per_round: int = 100  # ripe patterns that one round tries, the most frequent first
    examples: int = 24  # recorded runs a composite is learned and proved from
    min_saved_s: float = 0.0  # of a use, below which a composite is not worth having
    retire_after_days: float = 30.0  # a lesson that has not paid by then is proposed for retirement


@dataclass(frozen=True)
class FixSearchPolicy:
    """How hard a fix is looked for."""

    edits: int = 2500  # edited programs that are tried
    survivors: int = 200  # edits that meet every case and are compared further
    probes: int = 80  # inputs made up to tell candidates apart
    samples: int = 4  # fixes by a model that sees the faulty program
    rewrites: int = 4  # programs by a model that sees only the description
    temperature: float = 0.8
    unseconded: float = 0.75  # the most that is believed of a sample that nobody agrees with


@dataclass(frozen=True)
class FixStandards:
    """When a fix is good enough, and how it is watched."""

    promote: float = 0.92  # sure enough to replace the version in use
    sessions: int = 2  # in which the failure must have been seen; before: for that call only
    slower: float = 100.0  # a fix that takes this many times longer is refused
    attempts: int = 2  # failed repairs after which the tool is left alone
    replays: int = 50  # recorded calls that a fix has to stand
    probation_uses: int = 20  # calls during which a new version is watched


@dataclass(frozen=True)
class RepairSpending:
    """What one repair may spend."""

    tokens: int = 30_000  # what one repair may spend
    model_calls: int = 40
    usd: float = 0.50


@dataclass(frozen=True)
class RepairPolicy(RepairSpending, FixStandards, FixSearchPolicy):
    """How hard a fix is looked for, when one is good enough, and how it is watched."""

    name: ClassVar[str] = "repair"
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class SignalChances:
    """The chance that each signal points the right way; 0.5 says nothing.

    `agreed` and `outvoted` are measured on real solutions, the others with a simple model of how
    people react (`evals/labels.py`).
    """

    person: float = 0.98  # a label that a person gave to a decision
    corrected: float = 0.98
    refused: float = 0.85
    confirmed: float = 0.73
    chosen: float = 0.9
    wrong_tool: float = 0.9
    undone: float = 0.8
    passed_over: float = 0.95
    agreed: float = 0.72
    outvoted: float = 0.6
    built_on: float = 0.75
    repeated: float = 0.67
    asked_again: float = 0.91
    unopposed: float = 0.67
    abandoned: float = 0.87
    failed: float = 0.6  # a failed call speaks so far against having chosen the tool

    def chance(self, kind: FeedbackKind) -> float:
        """The chance that a signal of this kind points the right way."""
        return float(getattr(self, kind.replace(" ", "_"), 0.5))


@dataclass(frozen=True, slots=True)
class LabelPolicy(SignalChances):
    """The chance that each signal points the right way, and when a label is believed."""

    name: ClassVar[str] = "labels"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        **dict.fromkeys(SignalChances.__slots__, (0.5, 0.999)),
        "counts": (0.5, 0.999),
        "most": (0.5, 0.999),
        "beside": (0.0, 1.0),
        "trust_after": (0.1, 1000.0),
        "same_after": (1, 1000),
        "queue_length": (1, 1000),
    }
    beside: float = 0.5  # share that signals count beside the strongest one of their side
    counts: float = 0.6  # a label that is less certain is not used
    most: float = 0.99  # no label is more certain, whatever agrees
    trust_after: float = (
        5.0  # people who are right as usual, for each one whose word may mean anything
    )
    same_after: int = 10  # words of a person who says the same about nearly every answer
    same_share: float = 0.8  # of the answers that the person got
    queue_length: int = 20


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


@dataclass(frozen=True, slots=True)
class ExperimentPolicy:
    """How certain an experiment has to be, and what counts in it."""

    name: ClassVar[str] = "experiments"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "alpha": (1e-6, 0.5),
        "guard_alpha": (1e-6, 0.5),
        "person_share": (0.01, 1.0),
        "min_units": (2, 1e6),
        "most_variants": (2, 20),
    }
    alpha: float = 0.05  # chance of ever calling variants different that are not
    guard_alpha: float = 0.05
    min_units: int = 30  # sessions of each variant before anything is concluded
    session_hours: float = 24.0  # after which a session counts, with what it did until then
    person_share: float = 0.2  # of all sessions that may be one person's
    sharpest_units: int = 500  # sessions at which intervals are narrowest
    max_days: int = 28  # where an experiment does not say how long it may take
    most_variants: int = 6


@dataclass(frozen=True, slots=True)
class PromptTrackPolicy:
    """When a prompt is rewritten plainly, when it is searched for, and how long.

    A trial is one text on one case.
    """

    name: ClassVar[str] = "prompt_track"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "search_from": (2, 1000),
        "rewrites": (1, 50),
        "side_by_side": (1, 50),
        "minibatch": (1, 100),
        "most_chars": (200, 100_000),
        "most_examples": (0, 50),
        "most_example_chars": (0, 100_000),
        "most_rules": (1, 50),
        "warmth": (0.0, 2.0),
        "most_form_loss": (0.0, 1.0),
    }
    search_from: int = 10  # cases; below, a plain rewrite
    rewrites: int = 3  # texts that a plain rewrite chooses from
    trials: int = 400
    seconds: float = 1800.0
    side_by_side: int = 4  # texts that are made in one round of the search
    minibatch: int = 6  # cases that a new text has to do better on before all are tried
    idle_rounds: int = 5  # rounds without a new text after which a search ends
    most_chars: int = 4000  # of instructions
    most_examples: int = 6  # worked examples in a prompt; each is read again with every request
    most_example_chars: int = 6000  # of all examples together
    most_rules: int = 6  # rules at the end of instructions; the oldest one goes
    warmth: float = 0.9  # temperature of the author
    most_form_loss: float = 0.05  # share of replies that may lose the form an example must have


@dataclass(frozen=True, slots=True)
class HarnessPolicy:
    """What an experiment may take, and when its change is kept."""

    name: ClassVar[str] = "harness"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "experiment_s": (1.0, 300.0),
        "experiments": (1, 200),
        "least_gain": (0.0, 1.0),
        "most_edit_chars": (100, 1e6),
    }
    experiment_s: float = 300.0
    experiments: int = 10
    least_gain: float = 0.0  # in the mean score; a change has to gain more than that
    most_edit_chars: int = 20_000


@dataclass(frozen=True, slots=True)
class FineTuningPolicy:
    """What is trained on, what a trainer may use, and what its product may lose."""

    name: ClassVar[str] = "fine_tuning"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "least_score": (0.0, 1.0),
        "held_out_share": (0.01, 0.5),
        "most_general_loss": (0.0, 1.0),
        "least_examples": (1, 1e9),
        "least_general": (1, 1e6),
    }
    least_score: float = 0.8  # of a run that is trained on
    least_examples: int = 500
    held_out_share: float = 0.1
    trainer_s: float = 6 * 3600.0
    trainer_bytes: int = 8 << 30  # that a trainer may write
    spare_bytes: int = 1 << 30  # that stay free on the disk
    most_general_loss: float = 0.05  # on the general suite
    least_general: int = 12  # its cases; on fewer a loss would not be seen


@dataclass(frozen=True, slots=True)
class SkillTrackPolicy:
    """How much one attempt of the skill track does."""

    name: ClassVar[str] = "skill_track"
    repairs: int = 3  # tools that it tries to mend
    builds: int = 3  # requests that it has tools made for
