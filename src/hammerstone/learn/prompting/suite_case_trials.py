"""A suite's cases as a search for prompts wants them."""

from collections import Counter
from collections.abc import Callable, Sequence

from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    ModelExchange,
    SuiteTrials,
    Trial,
)
from hammerstone.learn.prompting.prompt_trials import TrialJob, TrialScore, WorkedExample
from hammerstone.prompts import Template, read

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
        model: str,
        in_force: str,
        may_show: MayShow = any_form,
    ) -> None:
        self._trials = trials
        self._prompt = prompt
        self._in_force = in_force
        self._may_show = may_show
        self.model = model

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
