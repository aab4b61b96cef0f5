"""A track: one way to get better. What it is given, what it may do, and what it hands back.

A track searches on the training cases, chooses on the validation cases, proves on the hidden
ones, and asks the gate (`learn/promotion/gate.py`) to keep what it found.
It never sees a hidden case: it hands a trial to `SuiteTrials.test` and gets pairs of scores back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.evolution.judges.causes import FailureFinding
from hammerstone.learn.evolution.tracks.purse import TrackCost, TrackPurse
from hammerstone.learn.promotion.evidence import ScorePair


class TrackName(StrEnum):
    """The tracks in rising cost."""

    PROMPT = "prompt"
    SKILL = "skill"
    HARNESS = "harness"
    KNOWLEDGE = "knowledge"
    FINE_TUNING = "fine_tuning"


class TrackOutcome(StrEnum):
    KEPT = "kept"  # the gate put it in force
    WAITING = "waiting"  # it won, and a person has to say yes
    REVERTED = "reverted"  # it was tried, and did not win
    NOTHING = "nothing"  # there was nothing to try
    REFUSED = "refused"  # it may not run: the account says why
    SPENT = "spent"  # the budget ended first; nothing was changed
    BROKEN = "broken"  # the track itself failed; nothing was changed


@dataclass(frozen=True, slots=True)
class TrackCase:
    """One case that a track may look at. `expect` is what is right; `files` lie on this machine."""

    id: str
    request: str
    expect: Json = None
    arguments: Mapping[str, Json] | None = None
    files: tuple[Path, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """A change that is not in force, in the form in which cases are run with it.

    Empty is the product as it is. `settings` are fields of `Settings` (a model, an adapter).
    `documents` are folders and files that are added first.
    """

    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    policies: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    settings: Mapping[str, Json] = field(default_factory=dict[str, Json])
    documents: tuple[Path, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.prompts or self.policies or self.settings or self.documents)


@dataclass(frozen=True, slots=True)
class ModelExchange:
    """What a model was sent in a run, message by message, and what it replied."""

    sent: tuple[str, ...]
    replies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseScore:
    """How one case went with a trial. One that does not count says nothing: its grader broke.

    `exchanges` are the calls of models in it, as they were recorded.
    """

    case: str
    score: float
    passed: bool = False
    counts: bool = True
    given: str = ""
    reason: str = ""
    trace_id: str = ""
    run_id: str = ""
    tokens: int = 0
    seconds: float = 0.0
    exchanges: tuple[ModelExchange, ...] = ()


def mean_score(scores: Sequence[CaseScore]) -> float:
    """Of the cases that count."""
    counted = [one.score for one in scores if one.counts]
    return sum(counted) / len(counted) if counted else 0.0


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """A mean score with its interval at 95 %."""

    mean: float
    low: float
    high: float
    cases: int

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class HiddenResult:
    """Old and new on the hidden cases: what the gate wants as evidence that was held out.

    `passes` are the cases that were right before and may not turn wrong. `looks` counts how
    often the hidden cases were looked at so far, this time included.
    """

    pairs: tuple[ScorePair, ...]
    passes: tuple[ScorePair, ...]
    before: ScoreInterval
    after: ScoreInterval
    looks: int = 1


class SuiteTrials(Protocol):
    """Runs the cases of a suite with a change that is not in force.

    Each call spends from the task's purse and raises `BudgetExceeded` when it is empty; cases
    that were scored before are known and cost nothing. A model that is down raises `ModelError`.
    """

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        """Training or validation cases by id, in order. A hidden id raises `NotFound`."""
        ...

    async def test(self, trial: Trial) -> HiddenResult:
        """The hidden cases with the trial and without it; nothing of the cases comes back."""
        ...


@dataclass(frozen=True, slots=True)
class TrackTask:
    """What a track works on. `failures` are those of training cases and of recorded runs.

    `hidden` says how many cases the proof will run. `documents` is a folder that may hold what is
    missing and `program` one with a `program.md`, as a person named them; `approved_by` is who
    allowed what needs a person, empty when nobody did.
    """

    id: str
    suite: str
    train: tuple[TrackCase, ...]
    validation: tuple[TrackCase, ...]
    failures: tuple[FailureFinding, ...]
    trials: SuiteTrials
    purse: TrackPurse
    hidden: int = 0
    review: bool = False  # what wins waits for a person, whatever the maturity level says
    seed: int = 22
    documents: Path | None = None
    program: Path | None = None
    approved_by: str = ""
    say: Callable[[str], None] = lambda _: None  # hears what a person wants to know meanwhile

    def result(
        self,
        track: TrackName,
        outcome: TrackOutcome,
        account: Sequence[str],
        proposal: str = "",
        *,
        hidden: tuple[ScoreInterval, ScoreInterval] | None = None,
        change: JsonObject | None = None,
    ) -> "TrackResult":
        """What came of it, with what the purse has paid; `hidden` are the scores of the hidden
        cases before and after."""
        before, after = hidden or (None, None)
        return TrackResult(
            track, outcome, tuple(account), proposal, before, after, self.purse.cost, change or {}
        )


@dataclass(frozen=True, slots=True)
class TrackResult:
    """What came of it. `account` are plain sentences for a person, in order.

    `proposal` is the gate's id, empty where none was made; `change` is what was before and after
    in a form that is shown.
    """

    track: TrackName
    outcome: TrackOutcome
    account: tuple[str, ...]
    proposal: str = ""
    before: ScoreInterval | None = None
    after: ScoreInterval | None = None
    cost: TrackCost = field(default_factory=TrackCost)
    change: JsonObject = field(default_factory=dict[str, Json])


class Track(Protocol):
    """One way to get better.

    Guarantees: nothing is in force afterwards but what the gate decided; whatever it tried is
    taken back before it returns, also when it is cancelled. An expected failure is a result.
    Raises `Stopped` and nothing else that a caller has to know; anything else counts as BROKEN.
    """

    @property
    def name(self) -> TrackName: ...

    async def try_change(self, task: TrackTask) -> TrackResult: ...
