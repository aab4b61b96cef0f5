"""The harness track on a surface without code: numbers of a policy, or the text of a prompt.

Each experiment is measured by the suite itself, tried, and kept or reverted. Cases are asked of
copies of the product, as in every trial; what wins on the hidden ones is a proposal of its own
kind, and the gate decides.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core.errors import BadRequest, BudgetExceeded
from hammerstone.core.json_types import JsonObject
from hammerstone.core.prompt_versions import PromptOrigin
from hammerstone.learn.evolution.tracks.decision import settle
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
    mean_score,
)
from hammerstone.learn.harness.edit_authors import (
    PolicyAuthor,
    PromptTextAuthor,
    SettingAuthor,
    SettingEdit,
    named_fields,
)
from hammerstone.learn.harness.harness_loop import LOG, HarnessExperiment, HarnessOutcome, log_text
from hammerstone.learn.harness.program import HarnessProgram, Surface
from hammerstone.learn.policies import HarnessPolicy, PromptTrackPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind
from hammerstone.learn.prompting.prompt_track import PromptWorkbench, blamed_prompt
from hammerstone.learn.prompting.rewriter import Rewriter
from hammerstone.library.policies import PROMPT
from hammerstone.prompts import instructions, shipped_names


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


class SettingTrack:
    """One attempt by a `program.md` whose surface is prompts or policies."""

    def __init__(self, bench: PromptWorkbench, task: TrackTask, program: HarnessProgram) -> None:
        self._bench, self._task, self._program = bench, task, program

    async def try_change(self, folder: Path, account: list[str]) -> TrackResult:
        """Raises `BadRequest` for a program that cannot be followed, and `BudgetExceeded`."""
        if not (self._task.train or self._task.validation):
            raise BadRequest("the suite has no case to search on")
        author, knobs = await self._author()
        for knob in knobs:
            if user := await self._bench.knobs.in_use(knob):
                raise BadRequest(f"{knob} is in use: {user}; try again when that has ended")
        experiments = SuiteExperiments(
            self._task, self._program, self._bench.policies.get(HarnessPolicy), author,
            lambda found: self._write(folder, found),
        )  # fmt: skip
        found = await experiments.run()
        self._write(folder, found)
        account += [*(one.line() for one in found.log), *filter(None, [found.ended])]
        if found.trial.empty:
            account.append("No change helped; nothing is proposed.")
            return self._task.result(TrackName.HARNESS, TrackOutcome.REVERTED, account)
        return await self._prove(found, account)

    def _write(self, folder: Path, found: SettingsFound) -> None:
        (folder / LOG).write_text(found.text(self._program), "utf-8")

    async def _author(self) -> tuple[SettingAuthor, list[str]]:
        """Who proposes, and the knobs that are turned."""
        task, policies = self._task, self._bench.policies
        if self._program.surface is Surface.POLICIES:
            policy, fields = named_fields(self._program, policies)
            knobs = [f"{policy}.{field}" for field in fields]
            return PolicyAuthor(policies, policy, fields, task.seed), knobs
        words = self._program.notes.split()
        named = [name for name in shipped_names() if PROMPT + name in words]
        if len(named) > 1:
            raise BadRequest("program.md names several prompts; one at a time can be tried")
        prompt = named[0] if named else blamed_prompt(task.failures)
        text = self._bench.shelf.own.text(prompt)
        if not instructions(text):
            raise BadRequest(f"the prompt {prompt} has no instructions that could be changed")
        writer = Rewriter(
            self._bench.author(task.purse), prompt, policies.get(PromptTrackPolicy), task.seed
        )
        cases = (*task.train, *task.validation)
        return PromptTextAuthor(prompt, text, writer, cases), [PROMPT + prompt]

    async def _prove(self, found: SettingsFound, account: list[str]) -> TrackResult:
        """What was kept, tested once on the hidden cases and put before the gate."""
        try:
            self._task.purse.check()
            hidden = await self._task.trials.test(found.trial)
        except BudgetExceeded as error:
            account.append(f"It was not tried on the hidden cases: {error.message}.")
            return self._task.result(TrackName.HARNESS, TrackOutcome.SPENT, account)
        search = (ScorePair("all search cases", mean_score(found.start), mean_score(found.best)),)
        evidence = ProposalEvidence(
            search=search, held_out=hidden.pairs, passes=hidden.passes, looks=hidden.looks
        )
        proposal = await self._proposal(found, evidence)
        settled = await settle(self._bench.gate, self._bench.policies, proposal, self._task.review)
        account += [
            f"Hidden cases: {hidden.before.mean:.3f} before, {hidden.after.mean:.3f} after.",
            *settled.account,
        ]
        made = self._task.result(TrackName.HARNESS, settled.outcome, account)
        return replace(
            made,
            proposal=settled.proposal,
            before=hidden.before,
            after=hidden.after,
            change={"surface": str(self._program.surface), **proposal.change},
        )

    async def _proposal(self, found: SettingsFound, evidence: ProposalEvidence) -> Proposal:
        goal = self._program.goal
        for policy, values in found.trial.policies.items():
            change: JsonObject = {"values": dict(values)}
            title = f"policy {policy}: {goal}"[:200]
            return Proposal(ProposalKind.POLICY, policy, title, change, evidence, probation=True)
        ((prompt, text),) = found.trial.prompts.items()
        start = await self._bench.shelf.get(prompt)
        why = f"suite {self._task.suite}"
        await self._bench.shelf.add(prompt, text, PromptOrigin.REWRITE, parent=start.hash, why=why)
        words: JsonObject = {"values": {"text": text}}
        title = f"prompt {prompt}: {goal}"[:200]
        return Proposal(ProposalKind.PROMPT, prompt, title, words, evidence, probation=True)
