"""The harness track: experiments on one surface of the product, by a person's `program.md`."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import BadRequest, BudgetExceeded, HammerstoneError, ModelError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.learn.evolution.tracks.track import (
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
)
from hammerstone.learn.evolution.tracks.trials import interval
from hammerstone.learn.harness.edit_authors import Authors, EditAuthor, ModelAuthor, NumberAuthor
from hammerstone.learn.harness.harness_loop import LOG, HarnessLoop, LoopResult
from hammerstone.learn.harness.laboratory import FolderMetric, Laboratory, LabScores
from hammerstone.learn.harness.program import HarnessProgram, read_program
from hammerstone.learn.harness.setting_track import SettingTrack
from hammerstone.learn.harness.source_copy import SourceCopy
from hammerstone.learn.policies import GatePolicy, HarnessPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind
from hammerstone.learn.promotion.verdict import rule
from hammerstone.learn.prompting.prompt_track import PromptWorkbench


@dataclass(frozen=True, slots=True)
class HarnessWorkbench:
    """What the track works with: what texts and numbers are changed with, and for code the sandbox
    and the folder that the product's own files are read from."""

    settings: PromptWorkbench
    sandbox: Callable[[], Awaitable[Sandbox]]
    package: Path


class HarnessTrack:
    """Changes of the product's own steps: tried on a copy in the sandbox, proposed as a patch."""

    name = TrackName.HARNESS

    def __init__(self, bench: HarnessWorkbench) -> None:
        self._bench = bench

    async def try_change(self, task: TrackTask) -> TrackResult:
        account: list[str] = []
        try:
            if task.program is None:
                raise BadRequest("a folder with program.md has to be named")
            program = read_program(task.program)
            if not program.surface.is_code:
                settings = SettingTrack(self._bench.settings, task, program)
                return await settings.try_change(task.program, account)
            return await self._experiments(task, program, task.program, account)
        except BadRequest as error:
            return task.result(self.name, TrackOutcome.REFUSED, [f"{error.message}."])
        except BudgetExceeded as error:
            account.append(f"The budget ended: {error.message}. Nothing is changed.")
            return task.result(self.name, TrackOutcome.SPENT, account)
        except HammerstoneError as error:
            account.append(f"The experiments failed: {error.message}. Nothing is changed.")
            return task.result(self.name, TrackOutcome.BROKEN, account)

    async def _experiments(
        self, task: TrackTask, program: HarnessProgram, folder: Path, account: list[str]
    ) -> TrackResult:
        policy = self._bench.settings.policies.get(HarnessPolicy)
        metric = FolderMetric(folder)
        searched, hidden = metric.parts()
        if not searched or not hidden:
            raise BadRequest("the measure has too few cases: some search, others prove")
        seconds = min(program.seconds, policy.experiment_s)
        laboratory = Laboratory(await self._bench.sandbox(), metric, seconds)
        start = SourceCopy(self._bench.package)
        loop = HarnessLoop(
            laboratory, program, policy, self._authors(task, program, start), searched,
            task.purse.check, lambda found: _write(folder, program, found),
        )  # fmt: skip
        result = await loop.run(start)
        _write(folder, program, result)
        account += [*(one.line() for one in result.log), *filter(None, [result.ended])]
        if result.start.failed:
            account.append(f"The product as it is cannot be measured: {result.start.failed}.")
            return task.result(self.name, TrackOutcome.BROKEN, account)
        if not result.kept:
            account.append("No change helped; nothing is proposed.")
            outcome = TrackOutcome.SPENT if result.spent else TrackOutcome.REVERTED
            return task.result(self.name, outcome, account)
        try:
            task.purse.check()
        except BudgetExceeded:
            account.append(
                "What was kept was not tried on the hidden cases, so it is not proposed."
            )
            return task.result(
                self.name, TrackOutcome.SPENT, account, change=_change(program, result)
            )
        before = await laboratory.run(start, hidden)
        after = await laboratory.run(result.copy, hidden)
        return await self._propose(task, program, result, (before, after), account)

    def _authors(self, task: TrackTask, program: HarnessProgram, copy: SourceCopy) -> EditAuthor:
        """The files that the notes name, or all of the surface; a model first, then chance."""
        files = copy.files(program.surface.folder)
        named = [path for path in files if path in program.notes] or files
        authors: list[EditAuthor] = []
        with suppress(ModelError):
            authors.append(ModelAuthor(self._bench.settings.author(task.purse), named))
        return Authors([*authors, NumberAuthor(named, task.seed)])

    async def _propose(
        self,
        task: TrackTask,
        program: HarnessProgram,
        result: LoopResult,
        hidden: tuple[LabScores, LabScores],
        account: list[str],
    ) -> TrackResult:
        before, after = hidden
        pairs = tuple(
            ScorePair(case, score, after.scores.get(case, 0.0))
            for case, score in before.scores.items()
        )
        searched = tuple(
            ScorePair(case, score, result.best.scores.get(case, 0.0))
            for case, score in result.start.scores.items()
        )
        evidence = ProposalEvidence(search=searched, held_out=pairs)
        ruling = rule(evidence, self._bench.settings.policies.get(GatePolicy))
        account.append(f"Hidden cases: {before.mean:.3f} before, {after.mean:.3f} after.")
        change = _change(program, result)
        old, new = (interval(list(scores.scores.values())) for scores in hidden)
        if not ruling.promotes:
            account.append(f"Reverted: {ruling.reason}.")
            return task.result(
                self.name, TrackOutcome.REVERTED, account, hidden=(old, new), change=change
            )
        title = f"own steps: {program.goal}"[:200]
        proposal = Proposal(ProposalKind.HARNESS, program.surface, title, change, evidence)
        decision = await self._bench.settings.gate.ask(
            proposal, why=f"{ruling.reason}; a person changes the product's own code"
        )
        account.append("It waits for a person as a patch.")
        return task.result(
            self.name, TrackOutcome.WAITING, account, decision.id, hidden=(old, new), change=change
        )


def _write(folder: Path, program: HarnessProgram, found: LoopResult) -> None:
    (folder / LOG).write_text(found.text(program), "utf-8")


def _change(program: HarnessProgram, result: LoopResult) -> JsonObject:
    return {"patch": result.copy.difference(), "surface": str(program.surface)}
