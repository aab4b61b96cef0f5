"""GEPA on a prompt's instructions: our trials as its adapter, our rewriter as its author.

GEPA is written for plain calls, so it runs in a thread; trials and rewrites run in the event loop
that started it.
"""

import asyncio
import importlib
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hammerstone.core.errors import BudgetExceeded, SettingsError
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


@dataclass(frozen=True, slots=True)
class GepaFinding:
    """The texts that were tried on all validation cases, the start first."""

    texts: list[str]
    scores: list[float]
    parents: list[int | None]
    front: int


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
    ) -> GepaFinding:
        """Raises what trials or the model raise; `BudgetExceeded` only where nothing was tried."""
        work = asyncio.to_thread(self._optimise, text, list(teaching), list(choosing))
        try:
            return await work
        finally:
            self._stopped = True

    def _optimise(
        self, text: str, teaching: list[TrialCase], choosing: list[TrialCase]
    ) -> GepaFinding:
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
        return GepaFinding(
            texts=[one[_PART] for one in found.candidates],
            scores=list(found.val_aggregate_scores),
            parents=[(one or [None])[0] for one in found.parents],
            front=len(set[int]().union(*found.per_val_instance_best_candidates.values())),
        )

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
