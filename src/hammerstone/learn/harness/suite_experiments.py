"""Experiments on a surface without code, measured by the suite itself: try, keep or revert."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hammerstone.core.errors import BudgetExceeded
from hammerstone.learn.evolution.tracks.track import CaseScore, TrackTask, Trial, mean_score
from hammerstone.learn.harness.harness_loop import HarnessExperiment, HarnessOutcome, log_text
from hammerstone.learn.harness.program import HarnessProgram
from hammerstone.learn.harness.setting_authors import SettingAuthor, SettingEdit
from hammerstone.learn.policies import HarnessPolicy


@dataclass(frozen=True, slots=True)
class SettingsFound:
    """What experiments came to: the trial with all that was kept, the scores of the cases with it
    and without, and the log. `ended` says why it ended early."""

    trial: Trial
    start: tuple[CaseScore, ...]
    best: tuple[CaseScore, ...]
    log: tuple[HarnessExperiment, ...] = ()
    ended: str = ""

    def text(self, program: HarnessProgram) -> str:
        """The log for a person."""
        means = mean_score(self.start), mean_score(self.best)
        return log_text(program, means, len(self.start), self.log, self.ended)


@dataclass(slots=True)
class SuiteExperiments:
    """The loop. `told` hears of each log as it grows, so that a broken-off one is not lost."""

    task: TrackTask
    program: HarnessProgram
    policy: HarnessPolicy
    author: SettingAuthor
    told: Callable[[SettingsFound], None] = lambda _: None
    _log: list[HarnessExperiment] = field(default_factory=list[HarnessExperiment])

    async def run(self) -> SettingsFound:
        """All experiments, or those that the budget was enough for."""
        cases = [case.id for case in (*self.task.train, *self.task.validation)]
        start = best = await self.task.trials.score(cases, Trial())
        kept, ended = Trial(), ""
        count = min(self.program.experiments, self.policy.experiments)
        while len(self._log) < count:
            try:
                self.task.purse.check()
                edit = await self.author.propose(kept, best)
                if edit is None:
                    ended = "Nothing more was there to try."
                    break
                one, scores = await self._experiment(edit, cases, mean_score(best))
            except BudgetExceeded as error:
                ended = f"The budget ended: {error.message}."
                break
            self._log.append(one)
            if one.outcome is HarnessOutcome.KEPT:
                kept, best = edit.trial, scores
            self.told(SettingsFound(kept, start, best, tuple(self._log)))
        return SettingsFound(kept, start, best, tuple(self._log), ended)

    async def _experiment(
        self, edit: SettingEdit, cases: Sequence[str], before: float
    ) -> tuple[HarnessExperiment, tuple[CaseScore, ...]]:
        limit, began = min(self.program.seconds, self.policy.experiment_s), time.monotonic()
        scores: tuple[CaseScore, ...] = ()
        after: float | None = None
        outcome = HarnessOutcome.REVERTED
        try:
            async with asyncio.timeout(limit):
                scores = await self.task.trials.score(cases, edit.trial)
        except TimeoutError:
            why = f"It took longer than {limit:g} s."
        else:
            after = mean_score(scores)
            if after > before + self.policy.least_gain:
                outcome, why = HarnessOutcome.KEPT, "Better."
            else:
                why = "Worse." if after < before else "No difference."
        seconds = time.monotonic() - began
        number = len(self._log) + 1
        return (
            HarnessExperiment(number, edit.path, edit.title, outcome, why, before, after, seconds),
            scores,
        )
