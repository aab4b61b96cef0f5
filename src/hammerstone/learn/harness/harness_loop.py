"""The loop of experiments: propose, look, run, keep or revert, and write down what happened."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.harness.edit_authors import EditAuthor
from hammerstone.learn.harness.inspection import refusal
from hammerstone.learn.harness.laboratory import LabCase, Laboratory, LabScores
from hammerstone.learn.harness.program import HarnessProgram
from hammerstone.learn.harness.source_copy import SourceCopy, SourceEdit
from hammerstone.learn.policies import HarnessPolicy

LOG = "experiments.md"


class HarnessOutcome(StrEnum):
    KEPT = "kept"
    REVERTED = "reverted"
    REFUSED = "refused"  # not run, or found to cheat


@dataclass(frozen=True, slots=True)
class HarnessExperiment:
    """One experiment as it is written down."""

    number: int
    path: str
    title: str
    outcome: HarnessOutcome
    why: str
    before: float
    after: float | None = None
    seconds: float = 0.0

    def line(self) -> str:
        """The experiment in a line that a person can read."""
        return f"{self.number}. {self._told()} ({self.seconds:.1f} s). {self.why}"

    def lesson(self) -> str:
        """The experiment as the author of the next one is told: without its time."""
        return f"{self._told()}. {self.why}"

    def _told(self) -> str:
        score = "" if self.after is None else f", {self.before:.3f} to {self.after:.3f}"
        return f"{self.outcome}: {self.path}: {self.title}{score}"

    def to_json(self) -> JsonObject:
        return {**asdict(self), "outcome": str(self.outcome)}


@dataclass(frozen=True, slots=True)
class LoopResult:
    """What the loop came to: the copy with all kept changes, and the log."""

    copy: SourceCopy
    start: LabScores
    best: LabScores
    log: tuple[HarnessExperiment, ...] = ()
    ended: str = ""  # why it ended early
    spent: bool = False  # it was the budget that ended it

    @property
    def kept(self) -> int:
        return sum(one.outcome is HarnessOutcome.KEPT for one in self.log)

    def text(self, program: HarnessProgram) -> str:
        """The log for a person."""
        means = self.start.mean, self.best.mean
        return log_text(program, means, len(self.start.scores), self.log, self.ended)


def log_text(
    program: HarnessProgram,
    means: tuple[float, float],
    cases: int,
    log: Sequence[HarnessExperiment],
    ended: str = "",
) -> str:
    """The log for a person: what was aimed at, the score before and at the end, each experiment,
    and why it ended early."""
    kept = sum(one.outcome is HarnessOutcome.KEPT for one in log)
    lines = [
        f"# {program.goal}",
        "",
        f"Surface {program.surface}, measured by {program.metric}, at most "
        f"{program.seconds:g} s an experiment. Start: {means[0]:.3f} on {cases} cases; "
        f"at the end {means[1]:.3f}, {kept} of {len(log)} changes kept.",
        "",
        *(one.line() for one in log),
        *(["", ended] if ended else []),
    ]
    return "\n".join(lines) + "\n"


@dataclass(slots=True)
class HarnessLoop:
    """Experiments on the cases that may be searched on. `check` raises when a budget is empty.
    `told` hears of the log as it grows, so that a broken-off one is not lost."""

    laboratory: Laboratory
    program: HarnessProgram
    policy: HarnessPolicy
    author: EditAuthor
    cases: Sequence[LabCase]
    check: Callable[[], None] = lambda: None
    told: Callable[[LoopResult], None] = lambda _: None
    _log: list[HarnessExperiment] = field(default_factory=list[HarnessExperiment])

    async def run(self, copy: SourceCopy) -> LoopResult:
        """All experiments, or those that the budget was enough for."""
        start = best = await self.laboratory.run(copy, self.cases)
        count = min(self.program.experiments, self.policy.experiments)
        ended, spent = "", False
        while len(self._log) < count and not start.failed:
            lessons = [one.lesson() for one in self._log]
            try:
                self.check()
                edit = await self.author.propose(copy, self.program, lessons)
            except BudgetExceeded as error:
                ended, spent = f"The budget ended: {error.message}.", True
                break
            if edit is None:
                ended = "Nothing more was there to try."
                break
            one, tried = await self._experiment(edit, copy, best)
            self._log.append(one)
            if one.outcome is HarnessOutcome.KEPT and tried is not None:
                copy, best = copy.with_edit(edit), tried
            self.told(LoopResult(copy, start, best, tuple(self._log)))
        return LoopResult(copy, start, best, tuple(self._log), ended, spent)

    async def _experiment(
        self, edit: SourceEdit, copy: SourceCopy, best: LabScores
    ) -> tuple[HarnessExperiment, LabScores | None]:
        number, began = len(self._log) + 1, time.monotonic()

        def ended(
            outcome: HarnessOutcome, why: str, after: float | None = None
        ) -> HarnessExperiment:
            seconds = time.monotonic() - began
            return HarnessExperiment(
                number, edit.path, edit.title, outcome, why, best.mean, after, seconds
            )

        why = refusal(edit, copy, self.program, self.policy)
        if why:
            return ended(HarnessOutcome.REFUSED, f"{_sentence(why)} It was not run."), None
        tried = await self.laboratory.run(copy.with_edit(edit), self.cases)
        if tried.failed:
            return ended(HarnessOutcome.REVERTED, _sentence(tried.failed), tried.mean), tried
        silent = len(tried.silent - best.silent)
        if silent:
            told = f"It leaves out {silent} of {len(self.cases)} cases, which had a result before."
            return ended(HarnessOutcome.REFUSED, told, tried.mean), tried
        if tried.mean > best.mean + self.policy.least_gain:
            return ended(HarnessOutcome.KEPT, "Better.", tried.mean), tried
        told = "Worse." if tried.mean < best.mean else "No difference."
        return ended(HarnessOutcome.REVERTED, told, tried.mean), tried


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:300]}."
