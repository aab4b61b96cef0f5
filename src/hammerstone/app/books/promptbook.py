"""The prompts as a person or a program sees them: every version, its scores, and what is used."""

from hammerstone.core.clock import Clock
from hammerstone.core.prompt_versions import PromptScore, PromptVersion
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import OPEN, Proposal, ProposalKind
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.prompt_shelf import PromptShelf, label
from hammerstone.storage import Database


class PromptBook(PromptShelf):
    """The shelf of prompts, with the gate through which one of them is put in force."""

    def __init__(self, db: Database, policies: Policies, clock: Clock, gate: ChangeGate) -> None:
        super().__init__(db, policies, clock)
        self._gate = gate

    async def use(self, version: PromptVersion, score: PromptScore, *, who: str) -> str:
        """Put a tried version in force because a person says so; what came of it, in words.

        The gate hears what both did on the same cases: a version that does worse is refused.
        """
        current = await self.get(version.name)
        if current.hash == version.hash:
            return "It is in force already."
        if not version.number:
            await self.own.reset(version.name, who=who)
            return "The shipped text is in force."
        pairs = await self._pairs(current, score)
        proposal = Proposal(
            ProposalKind.PROMPT,
            version.name,
            f"prompt {version.name}: version {label(version)}",
            {"values": {"text": version.text}},
            ProposalEvidence(held_out=pairs),
        )
        asked = await self._gate.ask(proposal, why="a person chose it by its score")
        if asked.standing not in OPEN:  # in force before, and taken back since
            why = f"version {label(version)} again, by its score"
            await self.own.set(version.name, version.text, who=who, why=why)
            return f"Version {label(version)} is in force."
        decided = await self._gate.approve(asked.id, who=who)
        if decided.in_force:
            return (
                f"Version {label(version)} is in force; undo it with: hammerstone undo {asked.id}"
            )
        return f"It is not used: {decided.reason}."

    async def _pairs(self, current: PromptVersion, score: PromptScore) -> tuple[ScorePair, ...]:
        """What the version in force did on the same cases, where it was tried on them."""
        before = next(
            (
                one
                for one in await self.scores(current.name)
                if (one.hash, one.suite, one.model) == (current.hash, score.suite, score.model)
            ),
            None,
        )
        if before is None:
            return ()
        return tuple(
            ScorePair(case, before.results[case], after)
            for case, after in score.results.items()
            if case in before.results
        )
