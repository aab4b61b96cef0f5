"""The search for a prompt: a plain rewrite for few cases, GEPA with a Pareto front for many.

Our trials are GEPA's adapter, our rewriter is its author. GEPA is written for plain calls, so it
runs in a thread; trials and rewrites run in the event loop that started it.
"""

import asyncio
import importlib
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from hammerstone.core.errors import BudgetExceeded, SettingsError
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_trials import (
    Lesson,
    MeteredTrials,
    TrialCase,
    TrialJob,
    TrialScore,
)
from hammerstone.learn.prompting.rewriter import TextAuthor

_PART = "prompt"
T = TypeVar("T")


class SearchWay(StrEnum):
    REWRITE = "plain rewrite"
    GEPA = "GEPA"


@dataclass(frozen=True, slots=True)
class TriedText:
    """A text that was tried: its mean score, and what it was made from. Where it was left early,
    the cases that it was not tried on count as the start's."""

    text: str
    score: float
    parent: int | None


def _gepa(module: str) -> Any:
    """A part of the package, which is an extra and loaded when it is used."""
    try:
        return importlib.import_module(f"gepa.{module}")
    except ImportError:
        hint = "pip install 'hammerstone[learn]'"
        raise SettingsError("the search for prompts needs a package", hint=hint) from None


class GepaRun:
    """One search. It is the adapter that GEPA calls, and the end that it asks about."""

    propose_new_texts = None  # the author is given as a reflection strategy

    def __init__(
        self,
        trials: MeteredTrials,
        rewriter: TextAuthor,
        policy: PromptTrackPolicy,
        loop: asyncio.AbstractEventLoop,
        seed: int,
    ) -> None:
        self._trials = trials
        self._rewriter = rewriter
        self._policy = policy
        self._loop = loop
        self._seed = seed
        self._stopped = False
        self._error: BaseException | None = None
        self._idle = 0
        self.cut_short = False

    async def search(
        self, text: str, teaching: Sequence[TrialCase], choosing: Sequence[TrialCase]
    ) -> tuple[tuple[TriedText, ...], int]:
        """The texts that were tried on all validation cases, the start first, and how many of them
        are best on some case.

        Raises what trials or the model raise; `BudgetExceeded` only where nothing was tried.
        """
        work = asyncio.to_thread(self._optimise, text, list(teaching), list(choosing))
        try:
            return await work
        finally:
            self._stopped = True

    def _optimise(
        self, text: str, teaching: list[TrialCase], choosing: list[TrialCase]
    ) -> tuple[tuple[TriedText, ...], int]:
        found = _gepa("api").optimize(
            seed_candidate={_PART: text},
            trainset=teaching,
            valset=choosing,
            adapter=self,
            reflection_strategy=_Reflection(self),
            reflection_minibatch_size=min(self._policy.minibatch, len(teaching)),
            sampling_strategy=_gepa("strategies.proposal_sampling").IndependentSampling(
                self._policy.side_by_side
            ),
            stop_callbacks=self._ended,
            logger=_Quiet(),
            raise_on_exception=False,
            track_best_outputs=False,
            seed=self._seed,
        )
        if self._error is not None and not isinstance(self._error, BudgetExceeded):
            raise self._error
        rows = zip(found.candidates, found.val_aggregate_scores, found.parents, strict=True)
        tried = tuple(TriedText(text[_PART], score, (of or [None])[0]) for text, score, of in rows)
        return tried, len(set[int]().union(*found.per_val_instance_best_candidates.values()))

    def _ended(self, _state: object) -> bool:
        """Asked before each round. Rounds that make no new text do not go on for ever."""
        self._idle += 1
        over = self._stopped or self._error is not None or self._trials.spent
        return over or self._idle > self._policy.idle_rounds

    # What GEPA calls

    def evaluate(
        self, batch: list[TrialCase], candidate: Mapping[str, str], capture_traces: bool = False
    ) -> Any:
        return self.batch_evaluate([(candidate, batch)])[0]

    def batch_evaluate(self, items: Sequence[tuple[Mapping[str, str], list[TrialCase]]]) -> Any:
        """Many texts at once, so that they are tried side by side."""
        jobs = [TrialJob(one[_PART], tuple(cases)) for one, cases in items]
        before = self._trials.used
        results = self._wait(self._trials.run(jobs))
        fresh = self._trials.used - before
        if fresh:
            self._idle = 0
        return [
            _gepa("core.adapter").EvaluationBatch(
                outputs=[one.said for one in scores],
                scores=[one.score for one in scores],
                trajectories=list(zip(job.cases, scores, strict=True)),
                num_metric_calls=fresh if number == 0 else 0,
            )
            for number, (job, scores) in enumerate(zip(jobs, results, strict=True))
        ]

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        tried: list[tuple[TrialCase, TrialScore]] = eval_batch.trajectories or []
        return {name: [{"tried": pair} for pair in tried] for name in components_to_update}

    def reworded(self, lessons: list[Lesson]) -> list[str | None]:
        return self._wait(self._rewriter.rewrite(lessons))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """What the event loop does for this thread; the first error ends the search."""
        if self._stopped or self._error is not None:
            work.close()
            raise BudgetExceeded("the search has ended")
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except BaseException as error:
            self._error = error
            self.cut_short = isinstance(error, BudgetExceeded)
            raise


class _Reflection:
    """GEPA's author: a text of ours for each task, the old one where none can be used."""

    def __init__(self, run: GepaRun) -> None:
        self._run = run

    def reflect(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> Any:
        return self.reflect_many([(candidate, reflective_dataset, components_to_update)])[0]

    def reflect_many(self, jobs: Sequence[tuple[Any, Any, Any]]) -> Any:
        made = _gepa("proposer.reflective_mutation.reflection_lm").ReflectionProposal
        lessons = [
            Lesson(candidate[_PART], tuple(one["tried"] for one in dataset.get(_PART, ())))
            for candidate, dataset, _ in jobs
        ]
        texts = self._run.reworded(lessons)
        return [
            (made(new_texts={_PART: text or lesson.text}), self)
            for text, lesson in zip(texts, lessons, strict=True)
        ]


class _Quiet:
    """GEPA's own log: what it did is in what it returns."""

    def log(self, message: str) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class PromptFinding:
    """What a search came to. `best` is the start itself where nothing did better.

    `front` counts the texts that are best on some validation case, `left_out` those that did
    better than the start and lose too much of the form of replies. `ended` says why it ended.
    """

    way: SearchWay
    start: TriedText
    best: TriedText
    tried: tuple[TriedText, ...]
    front: int
    trials: int
    ended: str
    left_out: int = 0

    @property
    def gained(self) -> bool:
        return self.best.text != self.start.text and self.best.score > self.start.score

    def to_json(self) -> JsonObject:
        return {
            "way": self.way,
            "start": self.start.score,
            "best": self.best.score,
            "texts": len(self.tried),
            "front": self.front,
            "trials": self.trials,
            "left_out": self.left_out,
            "ended": self.ended,
        }


@dataclass(frozen=True, slots=True)
class SearchCases:
    """What a search sees: cases that teach its author, and others that choose between texts."""

    teaching: tuple[TrialCase, ...]
    choosing: tuple[TrialCase, ...]

    @property
    def all(self) -> tuple[TrialCase, ...]:
        return (*self.teaching, *self.choosing)


async def search_prompt(
    text: str,
    cases: SearchCases,
    trials: MeteredTrials,
    rewriter: TextAuthor,
    policy: PromptTrackPolicy,
    *,
    seed: int = 0,
) -> PromptFinding | None:
    """The best text that could be found; None where not even the start could be tried.

    Rewrites are plain with few cases, and where the budget does not reach for one round of GEPA.
    What ends the search early, a budget or the clock, leaves what was best until then.
    """
    few = len(cases.all) < policy.search_from or not (cases.teaching and cases.choosing)
    one_round = policy.side_by_side * min(policy.minibatch, len(cases.teaching))
    if few or trials.most < len(cases.all) + one_round + len(cases.choosing):
        return await _plain(text, cases.all, trials, rewriter, policy)
    run = GepaRun(trials, rewriter, policy, asyncio.get_running_loop(), seed)
    try:
        tried, front = await run.search(text, cases.teaching, cases.choosing)
    except BudgetExceeded:
        return None
    best, left_out = _best(tried, trials, policy)
    ended = "the budget was used up" if trials.spent or run.cut_short else "nothing more was found"
    return PromptFinding(SearchWay.GEPA, tried[0], best, tried, front, trials.used, ended, left_out)


def _best(
    tried: Sequence[TriedText], trials: MeteredTrials, policy: PromptTrackPolicy
) -> tuple[TriedText, int]:
    """The best text of those that keep the form of replies, which no score shows; and how many
    better ones than the start do not."""
    start = tried[0]
    kept = [
        one
        for one in tried
        if trials.form_loss(start.text, one.text) <= policy.most_form_loss + 1e-9
    ]
    better = sum(one.score > start.score for one in tried)
    return max(kept, key=lambda one: one.score), better - sum(
        one.score > start.score for one in kept
    )


async def _plain(
    text: str,
    cases: Sequence[TrialCase],
    trials: MeteredTrials,
    rewriter: TextAuthor,
    policy: PromptTrackPolicy,
) -> PromptFinding | None:
    """A few rewrites, each tried on the cases that fail; what helps there is tried on all."""
    every = tuple(cases)
    try:
        (scores,) = await trials.run([TrialJob(text, every)])
    except BudgetExceeded:
        return None
    start = TriedText(text, _mean([one.score for one in scores]), None)
    before = {one.case: one.score for one in scores}
    failing = tuple(case for case in every if before[case.id] < 1)
    if not failing:
        return PromptFinding(
            SearchWay.REWRITE, start, start, (start,), 1, trials.used, "none failed"
        )
    # A right reply as an example would answer the very case that it is tried on.
    plain = [replace(one, right=None) for one in scores]
    lesson = Lesson(text, tuple(zip(every, plain, strict=True)))
    made = await rewriter.rewrite([lesson] * policy.rewrites)
    tried, ended = [start], "all rewrites were tried"
    for one in dict.fromkeys(each for each in made if each is not None):
        after = dict(before)
        try:
            for part in (failing, every):
                (scores,) = await trials.run([TrialJob(one, part)])
                after |= {each.case: each.score for each in scores}
                if sum(after.values()) <= sum(before.values()):
                    break
        except BudgetExceeded:
            ended = "the budget was used up"
            break
        tried.append(TriedText(one, _mean(list(after.values())), 0))
    best, left_out = _best(tried, trials, policy)
    return PromptFinding(
        SearchWay.REWRITE, start, best, tuple(tried), 1, trials.used, ended, left_out
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
