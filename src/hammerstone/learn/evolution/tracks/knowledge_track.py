"""The knowledge track: where facts are missing and documents are there, they are read.

The documents are added in a copy first. Only if the hidden cases gain does the person's own
library read them; the skill `documents` is registered with them, as for any document.
"""

from collections.abc import Sequence
from pathlib import Path

from hammerstone.core.changes import ProposalKind
from hammerstone.learn.evolution.judges.causes import RootCause
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
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import Proposal
from hammerstone.library.policies import Policies


class KnowledgeTrack:
    name = TrackName.KNOWLEDGE

    def __init__(self, gate: ChangeGate, policies: Policies) -> None:
        self._gate = gate
        self._policies = policies

    async def try_change(self, task: TrackTask) -> TrackResult:
        folder = task.documents
        if folder is None or not folder.exists():
            told = "Name a folder with documents that hold the missing facts (--documents)."
            return task.result(self.name, TrackOutcome.REFUSED, [told])
        missing = [one for one in task.failures if one.cause is RootCause.MISSING_KNOWLEDGE]
        if not missing:
            return task.result(self.name, TrackOutcome.NOTHING, ["No failure lacks a fact."])
        trial = Trial(documents=(folder,))
        ids = [case.id for case in task.validation]
        before = await task.trials.score(ids, Trial())
        after = await task.trials.score(ids, trial)
        gain = mean_score(after) - mean_score(before)
        account = [
            f"{len(missing)} failures lack a fact; the documents in {folder.name} were read in a "
            f"copy of the library.",
            f"On {len(ids)} cases for choosing the score went from {mean_score(before):.2f} to "
            f"{mean_score(after):.2f}.",
        ]
        if gain <= 0:
            account.append("That is no gain, so the documents were not added.")
            return task.result(self.name, TrackOutcome.REVERTED, account)
        return await self._prove(task, trial, folder, account, (before, after))

    async def _prove(
        self,
        task: TrackTask,
        trial: Trial,
        folder: Path,
        account: list[str],
        chosen: tuple[Sequence[CaseScore], Sequence[CaseScore]],
    ) -> TrackResult:
        hidden = await task.trials.test(trial)
        search = [
            ScorePair(old.case, old.score, new.score)
            for old, new in zip(*chosen, strict=True)
            if old.counts and new.counts
        ]
        proposal = Proposal(
            ProposalKind.DOCUMENTS,
            str(folder),
            f"documents in {folder.name}",
            {"folder": str(folder)},
            ProposalEvidence(
                search=tuple(search),
                held_out=hidden.pairs,
                passes=hidden.passes,
                looks=hidden.looks,
            ),
        )
        settled = await settle(self._gate, self._policies, proposal, task.review)
        account += [
            f"On {hidden.after.cases} hidden cases it went from {hidden.before.mean:.2f} to "
            f"{hidden.after.mean:.2f}.",
            *settled.account,
        ]
        return task.result(
            self.name,
            settled.outcome,
            account,
            settled.proposal,
            hidden=(hidden.before, hidden.after),
            change={"documents": str(folder)},
        )
