"""The fine-tuning track: examples, a person's yes, a trainer, and a product that has to win."""

import hashlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hammerstone.core.errors import BadRequest, BudgetExceeded, ModelError, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.evolution.tracks.decision import settle
from hammerstone.learn.evolution.tracks.track import (
    HiddenResult,
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.finetuning.examples import ExampleExport, TrainingRun, export_examples
from hammerstone.learn.finetuning.trainer import TrainerCommand, TrainerResult
from hammerstone.learn.policies import FineTuningPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.own_adapters import TARGET, OwnAdapters
from hammerstone.models.local.adapters import check_adapter, note_adapter

SOLUTIONS = ("solution", "solution repair")


class GeneralSuite(Protocol):
    """A suite on which nothing may be lost. A track sees how large it is, and scores."""

    @property
    def cases(self) -> int:
        """How many different ones it has."""
        ...

    async def test(self, trial: Trial) -> HiddenResult: ...


@dataclass(frozen=True, slots=True)
class TuningWorkbench:
    """What the track works with.

    `runs` are the scored runs, `suites` the requests of every suite, `base` the base model's name
    and `model` its file. `general` opens the general suite, within the task's purse: None where
    none is configured, `NotFound` where it is not there.
    """

    gate: ChangeGate
    policies: Policies
    adapters: OwnAdapters
    runs: Callable[[], AsyncIterator[TrainingRun]]
    suites: Callable[[], Awaitable[Collection[str]]]
    base: str
    model: Path
    trainer: str
    general: Callable[[TrackTask], Awaitable[GeneralSuite | None]]


class FineTuningTrack:
    """Trains an adapter on the base model's own good runs, and keeps it only if it wins."""

    name = TrackName.FINE_TUNING

    def __init__(self, bench: TuningWorkbench) -> None:
        self._bench = bench

    async def try_change(self, task: TrackTask) -> TrackResult:
        account: list[str] = []
        if not task.approved_by:
            account.append("Training needs a person's approval first.")
            return task.result(self.name, TrackOutcome.REFUSED, account)
        if not self._bench.trainer:
            account.append("No trainer is configured (HAMMERSTONE_TRAINER).")
            return task.result(self.name, TrackOutcome.REFUSED, account)
        with tempfile.TemporaryDirectory(prefix="hammerstone-training-") as folder:
            try:
                return await self._train(task, Path(folder), account)
            except BudgetExceeded as error:
                account.append(f"The budget ended: {error.message}. What was made is discarded.")
                return task.result(self.name, TrackOutcome.SPENT, account)
            except NotFound as error:
                account.append(f"{error.message}. Nothing is trained.")
                return task.result(self.name, TrackOutcome.REFUSED, account)
            except ModelError as error:
                account.append(f"The model failed: {error.message}. What was made is discarded.")
                return task.result(self.name, TrackOutcome.BROKEN, account)

    async def _train(self, task: TrackTask, folder: Path, account: list[str]) -> TrackResult:
        policy = self._bench.policies.get(FineTuningPolicy)
        general = await self._bench.general(task)
        if general is None:
            account.append("No general suite is configured (HAMMERSTONE_GENERAL_SUITE).")
            return task.result(self.name, TrackOutcome.REFUSED, account)
        if general.cases < policy.least_general:
            account.append(
                f"The general suite has {general.cases} different cases, and "
                f"{policy.least_general} are needed to see a loss; nothing is trained."
            )
            return task.result(self.name, TrackOutcome.REFUSED, account)
        export = await self.export(folder / "examples")
        account.append(_told(export))
        if export.examples < policy.least_examples:
            account.append(f"{policy.least_examples} examples are needed; nothing is trained.")
            return task.result(self.name, TrackOutcome.REFUSED, account)
        task.purse.check()
        seconds = _trainer_seconds(task, general, policy)
        if seconds <= 0:
            account.append(
                "The time that is left reaches for the proof at most: nothing is trained. Give it "
                "more with --seconds."
            )
            return task.result(self.name, TrackOutcome.SPENT, account)
        limits = replace(policy, trainer_s=seconds)
        made = await TrainerCommand(self._bench.trainer, limits).train(
            export.folder, folder / "product", self._bench.model
        )
        problem = made.why or _unusable(made)
        if problem or made.product is None:
            more = "; --seconds gives it more" if seconds < policy.trainer_s else ""
            account.append(f"Discarded: {problem}{more if made.late else ''}.")
            return task.result(self.name, TrackOutcome.REVERTED, account)
        account.append(f"Trained in {made.seconds:.0f} s, allowed by {task.approved_by}.")
        return await self._prove(task, made.product, general, account)

    async def export(self, folder: Path) -> ExampleExport:
        """The examples that would be trained on, as files."""
        policy = self._bench.policies.get(FineTuningPolicy)
        runs = [run async for run in self._bench.runs()]
        suites = await self._bench.suites()
        return export_examples(runs, folder, self._bench.base, policy, suites)

    async def _prove(
        self, task: TrackTask, product: Path, general: GeneralSuite, account: list[str]
    ) -> TrackResult:
        """First what may not be lost, then what has to be won."""
        policy = self._bench.policies.get(FineTuningPolicy)
        note_adapter(product, purposes=SOLUTIONS, made_by=f"trainer, {task.approved_by}")
        trial = Trial(settings={"adapter": str(product)})
        wide = await general.test(trial)
        if wide.before.cases < policy.least_general:
            account.append(
                f"Discarded: {wide.before.cases} cases of the general suite could be graded, "
                f"{policy.least_general} are needed to see a loss."
            )
            return task.result(self.name, TrackOutcome.REVERTED, account)
        lost = wide.before.mean - wide.after.mean
        account.append(
            f"General suite: {wide.before.mean:.3f} before, {wide.after.mean:.3f} with it."
        )
        if lost > policy.most_general_loss + 1e-9:
            account.append(f"Discarded: it loses {lost:.1%} on the general suite.")
            return task.result(
                self.name, TrackOutcome.REVERTED, account, hidden=(wide.before, wide.after)
            )
        hidden = await task.trials.test(trial)
        account.append(f"Suite: {hidden.before.mean:.3f} before, {hidden.after.mean:.3f} with it.")
        evidence = ProposalEvidence(
            held_out=hidden.pairs, looks=hidden.looks, grounds={"general_loss": lost}
        )
        return await self._ask(task, product, evidence, hidden, account)

    async def _ask(
        self,
        task: TrackTask,
        product: Path,
        evidence: ProposalEvidence,
        hidden: HiddenResult,
        account: list[str],
    ) -> TrackResult:
        name = f"tuned-{_hash(product)}"
        shelf = self._bench.adapters.shelf
        if name not in {one.name for one in shelf.list()}:
            shelf.add(product, name, purposes=SOLUTIONS, made_by=f"trainer, {task.approved_by}")
        change: JsonObject = {"adapter": name}
        proposal = Proposal(
            ProposalKind.ADAPTER, TARGET, f"adapter {name}, trained here", change, evidence
        )
        settled = await settle(self._bench.gate, self._bench.policies, proposal, task.review)
        account += settled.account
        if settled.outcome is TrackOutcome.REVERTED and self._bench.adapters.active != name:
            shelf.remove(name)
            account.append("What was trained is discarded.")
        return task.result(
            self.name,
            settled.outcome,
            account,
            settled.proposal,
            hidden=(hidden.before, hidden.after),
            change=change,
        )


def _trainer_seconds(task: TrackTask, general: GeneralSuite, policy: FineTuningPolicy) -> float:
    """How long the trainer may take, so that what it makes can still be proved: on the general
    suite with it and without it, and on the hidden cases with it."""
    left = task.purse.seconds_left
    if left is None:
        return policy.trainer_s
    return min(policy.trainer_s, left - task.purse.seconds_for(2 * general.cases + task.hidden))


def _unusable(made: TrainerResult) -> str:
    if made.product is None:
        return "the trainer left nothing"
    try:
        check_adapter(made.product)
    except BadRequest as error:
        return error.message
    return ""


def _hash(product: Path) -> str:
    return hashlib.sha256(product.read_bytes()).hexdigest()[:8]


def _told(export: ExampleExport) -> str:
    left = ", ".join(f"{count} {reason}" for reason, count in sorted(export.left_out.items()))
    more = f" (left out: {left})" if left else ""
    return f"{export.examples} examples, {export.held_out} of them held out{more}."
