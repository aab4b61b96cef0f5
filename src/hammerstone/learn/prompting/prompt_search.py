"""The search for a prompt: a plain rewrite for few cases, GEPA with a Pareto front for many."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.prompting.gepa_run import GepaRun
from hammerstone.learn.prompting.prompt_policy import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_trials import (
    Lesson,
    MeteredTrials,
    TrialCase,
    TrialJob,
)
from hammerstone.learn.prompting.rewriter import TextAuthor


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
        found = await run.search(text, cases.teaching, cases.choosing)
    except BudgetExceeded:
        return None
    tried = tuple(
        TriedText(one, score, parent)
        for one, score, parent in zip(found.texts, found.scores, found.parents, strict=True)
    )
    best, left_out = _best(tried, trials, policy)
    ended = "the budget was used up" if trials.spent or run.cut_short else "nothing more was found"
    return PromptFinding(
        SearchWay.GEPA, tried[0], best, tried, found.front, trials.used, ended, left_out
    )


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
