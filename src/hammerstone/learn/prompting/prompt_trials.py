"""A prompt on trial: cases, what each came to, and how much trying a search may do."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hammerstone.core.errors import BudgetExceeded
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    ModelExchange,
    SuiteTrials,
    Trial,
)
from hammerstone.prompts import Template, read


@dataclass(frozen=True, slots=True)
class TrialCase:
    """One request to try a prompt on; what is right stays with whoever scores it."""

    id: str
    request: str


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A message to a model and its whole reply, as an example of a prompt shows them."""

    asked: str
    reply: str


@dataclass(frozen=True, slots=True)
class TrialScore:
    """What one case came to: 1 is right, 0 is wrong; `feedback` is what an author is told.

    `right` is a right reply to the prompt on trial, where there was one; `form` the share of its
    replies that have the form which an example must have, where that is known.
    """

    case: str
    score: float
    said: str = ""
    feedback: str = ""
    right: WorkedExample | None = None
    form: float | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A prompt's text with cases it was tried on, from which another text is to be made."""

    text: str
    tried: tuple[tuple[TrialCase, TrialScore], ...]

    @property
    def requests(self) -> list[str]:
        return [case.request for case, _ in self.tried]


@dataclass(frozen=True, slots=True)
class TrialJob:
    """A prompt's whole text, and the cases it is tried on."""

    text: str
    cases: tuple[TrialCase, ...]


class Trials(Protocol):
    """Tries texts of one prompt on cases; jobs of one call may run side by side.

    A case that fails has a low score; what is raised says that nothing can be tried at all.
    """

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]: ...


@dataclass(slots=True)
class MeteredTrials:
    """Trials within a budget: each text is tried once on each case, however often it is asked for.

    What does not fit into the budget any more is not begun: `BudgetExceeded`.
    """

    trials: Trials
    most: int
    seconds: float
    used: int = 0
    _began: float = field(default_factory=time.monotonic)
    _known: dict[tuple[str, str], TrialScore] = field(
        default_factory=dict[tuple[str, str], TrialScore]
    )

    @property
    def spent(self) -> bool:
        return self.used >= self.most or time.monotonic() - self._began >= self.seconds

    def form_loss(self, before: str, after: str) -> float:
        """How many replies fewer have the right form with another text, as a share, on the cases
        that both were tried on."""
        lost = [
            old.form - new.form
            for (text, case), old in self._known.items()
            if text == before and (new := self._known.get((after, case))) is not None
            if old.form is not None and new.form is not None
        ]
        return sum(lost) / len(lost) if lost else 0.0

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
        """The scores of each job; raises `BudgetExceeded` before the first case too many."""
        missing: dict[str, dict[str, TrialCase]] = {}
        for job in jobs:
            for case in job.cases:
                if (job.text, case.id) not in self._known:
                    missing.setdefault(job.text, {})[case.id] = case
        fresh = [TrialJob(text, tuple(cases.values())) for text, cases in missing.items()]
        wanted = sum(len(job.cases) for job in fresh)
        if fresh and (self.used + wanted > self.most or self.spent):
            raise BudgetExceeded(
                f"{self.used} of {self.most} trials are used, {wanted} more asked for"
            )
        self.used += wanted
        for job, scores in zip(fresh, await self.trials.run(fresh), strict=True):
            for score in scores:
                self._known[job.text, score.case] = score
        return [tuple(self._known[job.text, case.id] for case in job.cases) for job in jobs]


MayShow = Callable[[str], bool]
"""Whether a reply has the form that its prompt asks for, so that it may be an example of it."""


def any_form(_reply: str) -> bool:
    """For prompts whose replies have no form that could be read."""
    return True


class SuiteCaseTrials:
    """Texts of one prompt on a suite's cases. What a model replied to the text in a case that
    came out right can become an example of it. The text that is `in_force` is the product as it
    is, of which every case is known already."""

    def __init__(
        self,
        trials: SuiteTrials,
        prompt: str,
        in_force: str,
        may_show: MayShow = any_form,
    ) -> None:
        self._trials = trials
        self._prompt = prompt
        self._in_force = in_force
        self._may_show = may_show

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
        found: list[tuple[TrialScore, ...]] = []
        for job in jobs:
            own = job.text != self._in_force
            trial = Trial(prompts={self._prompt: job.text} if own else {})
            scores = await self._trials.score([case.id for case in job.cases], trial)
            template = read(self._prompt, job.text)
            found.append(tuple(_told(template, one, self._may_show) for one in scores))
        return found


def _told(template: Template, one: CaseScore, may_show: MayShow) -> TrialScore:
    verdict = one.reason or ("right" if one.passed else "wrong")
    right = right_reply(template, one, may_show) if one.passed and one.counts else None
    replies = [reply for each in _asked(template, one) for reply in each.replies]
    form = sum(map(may_show, replies)) / len(replies) if replies else None
    return TrialScore(one.case, one.score, one.given, verdict, right, form)


def right_reply(
    template: Template, one: CaseScore, may_show: MayShow = any_form
) -> WorkedExample | None:
    """The reply most often given to this prompt in a case, of those that may be shown; None
    where there is none, or the prompt was not asked there."""
    for exchange in _asked(template, one):
        replies = [reply for reply in exchange.replies if may_show(reply)]
        if replies:
            return WorkedExample(exchange.sent[-1], Counter(replies).most_common(1)[0][0])
    return None


def _asked(template: Template, one: CaseScore) -> list[ModelExchange]:
    """The calls of a case in which the prompt was asked: it is recognised by its messages before
    the last one."""
    fixed = [section for section in template.sections if not section.part][:-1]
    if any(section.placeholders for section in fixed):
        return []
    said = tuple(section.text for section in fixed)
    return [exchange for exchange in one.exchanges if exchange.sent[:-1] == said]
