"""Trials on a suite, whose cases are parted for search, choice and proof.

Training and validation cases are shown, hidden ones only as pairs; cases that cannot be used are
named. Who runs the cases is handed in from above, where suites are known.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.hashing import canonical, digest
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.judges.trace_judging import StepAgain
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    ScoreInterval,
    TrackCase,
    Trial,
)
from hammerstone.learn.promotion.evidence import ScorePair, wilson
from hammerstone.storage import SpanRow, TraceRow


@dataclass(frozen=True, slots=True)
class SuiteSplit:
    """`hidden` cases are never handed to a track. `problems` are sentences for a person; with
    `refusal` nothing can be proved on this suite, and its cases can only be judged."""

    train: tuple[TrackCase, ...] = ()
    validation: tuple[TrackCase, ...] = ()
    hidden: tuple[TrackCase, ...] = ()
    problems: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def shown(self) -> tuple[TrackCase, ...]:
        return (*self.train, *self.validation)


def split_suite(cases: Sequence[TrackCase], policy: EvolutionPolicy, seed: int = 22) -> SuiteSplit:
    """Cases that ask the same stand on the same side; which side, their words and a seed say."""
    usable, problems = without_contradictions(cases)
    groups: dict[str, list[TrackCase]] = {}
    for case in usable:
        groups.setdefault(asked_by(case), []).append(case)
    if len(groups) < policy.least_cases:
        refusal = (
            f"{len(groups)} different cases are too few to prove anything: "
            f"{policy.least_cases} are needed"
        )
        return SuiteSplit(train=tuple(usable), problems=tuple(problems), refusal=refusal)
    order = sorted(groups, key=lambda key: digest(str(seed), key))
    first = max(1, round(len(order) * policy.train_share))
    second = first + max(1, round(len(order) * policy.validation_share))
    parts = (order[:first], order[first:second], order[second:])
    train, validation, hidden = (
        tuple(case for key in part for case in groups[key]) for part in parts
    )
    if not hidden:
        return SuiteSplit(problems=tuple(problems), refusal="no case is left to prove anything on")
    return SuiteSplit(train, validation, hidden, tuple(problems))


def asked_by(case: TrackCase) -> str:
    """The same for two cases that ask the same, whatever they want."""
    words = " ".join(case.request.casefold().split())
    arguments = dict(case.arguments) if case.arguments is not None else None
    return digest(words, canonical(arguments), *(str(file) for file in case.files))


def without_contradictions(
    cases: Sequence[TrackCase],
) -> tuple[list[TrackCase], list[str]]:
    """The cases without those that ask the same and want something else; of these a sentence."""
    wanted: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        wanted.setdefault(asked_by(case), {}).setdefault(canonical(case.expect), []).append(case.id)
    bad: set[str] = set()
    problems: list[str] = []
    for answers in wanted.values():
        if len(answers) > 1:
            ids = [id for each in answers.values() for id in each]
            bad.update(ids)
            problems.append(f"{', '.join(ids)} ask the same and want different answers: left out")
    return [case for case in cases if case.id not in bad], problems


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A case that was run: its score, the facts of the run behind it, and its trace.

    `again` is what came of making its calls again, where it failed.
    """

    score: CaseScore
    facts: RunFacts
    trace: TraceRow | None = None
    spans: tuple[SpanRow, ...] = ()
    again: tuple[StepAgain, ...] = ()


OnRun = Callable[[CaseRun], None]


def ignored(_run: CaseRun) -> None:
    """For whoever waits for all runs."""


class BenchSuite(Protocol):
    """One suite, open. Expected values never leave it but as a case's own `expect`."""

    @property
    def name(self) -> str: ...

    @property
    def cases(self) -> tuple[TrackCase, ...]: ...

    async def run(
        self, cases: Sequence[TrackCase], trial: Trial, purse: TrackPurse, seen: OnRun = ignored
    ) -> list[CaseRun]:
        """The cases in order with a change that is not in force, in a copy of the product.

        `seen` hears of each as soon as it was run. Raises `BudgetExceeded` before the case that
        would be too much, and in the middle of one when the time is up; and `ModelError`.
        """
        ...


class SuiteBench(Protocol):
    def open(self, suite: str) -> AbstractAsyncContextManager[BenchSuite]:
        """Opens a suite by its name. Raises `NotFound` and `BadRequest`."""
        ...

    def names(self) -> list[str]:
        """The suites of this machine."""
        ...


AS_IT_IS = Trial()
FROZEN = "frozen"  # a tag: such a case may never turn from right to wrong


class GuardedTrials:
    """Fulfils `SuiteTrials`: what was scored before is known, and hidden cases stay hidden."""

    def __init__(self, suite: BenchSuite, split: SuiteSplit, purse: TrackPurse) -> None:
        self._suite = suite
        self._split = split
        self._purse = purse
        self._known: dict[tuple[str, str], CaseRun] = {}
        self.looks = 0
        self.tested: Sequence[CaseRun] = ()  # the hidden cases, with what was tested last

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        shown = {case.id: case for case in self._split.shown}
        for id in cases:
            if id not in shown:
                raise NotFound(f"there is no case {id!r} for a track to look at")
        return tuple(run.score for run in await self._runs([shown[id] for id in cases], trial))

    async def test(self, trial: Trial) -> HiddenResult:
        if trial.empty:
            raise BadRequest("a trial that changes nothing cannot be tested")
        self.looks += 1
        before = await self._runs(self._split.hidden, AS_IT_IS)
        after = self.tested = await self._runs(self._split.hidden, trial)
        pairs: list[ScorePair] = []
        frozen: list[ScorePair] = []
        for number, case in enumerate(self._split.hidden):
            old, new = before[number].score, after[number].score
            if old.counts and new.counts:
                pairs.append(ScorePair(f"hidden {number}", old.score, new.score))
                if FROZEN in case.tags:
                    frozen.append(pairs[-1])
        return HiddenResult(
            tuple(pairs),
            tuple(frozen),
            interval([pair.before for pair in pairs]),
            interval([pair.after for pair in pairs]),
            self.looks,
        )

    async def everything(self) -> list[CaseRun]:
        """Every case with the product as it is: what the judges look at."""
        return await self._runs([*self._split.shown, *self._split.hidden], AS_IT_IS)

    def known(self) -> list[CaseRun]:
        """The cases that were run with the product as it is, so far."""
        key = _key(AS_IT_IS)
        return [run for (trial, _), run in self._known.items() if trial == key]

    async def _runs(self, cases: Sequence[TrackCase], trial: Trial) -> list[CaseRun]:
        key = _key(trial)
        missing = [case for case in cases if (key, case.id) not in self._known]

        def seen(run: CaseRun) -> None:
            self._known[key, run.score.case] = run

        if missing:
            await self._suite.run(missing, trial, self._purse, seen)
        return [self._known[key, case.id] for case in cases]


def _key(trial: Trial) -> str:
    return digest(
        canonical(dict(trial.prompts)),
        canonical({name: dict(value) for name, value in trial.policies.items()}),
        canonical(dict(trial.settings)),
        *(str(path) for path in trial.documents),
    )


def interval(scores: Sequence[float]) -> ScoreInterval:
    """The mean with its interval at 95 % (Wilson's, for scores between 0 and 1)."""
    count = len(scores)
    if not count:
        return ScoreInterval(0.0, 0.0, 1.0, 0)
    mean = sum(scores) / count
    low, high = wilson(mean, count, 1.96)
    return ScoreInterval(round(mean, 4), round(max(0.0, low), 4), round(min(1.0, high), 4), count)
