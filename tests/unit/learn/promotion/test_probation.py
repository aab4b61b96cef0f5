"""New versions are watched: what does worse goes back by itself; and what lessons are worth."""

from datetime import timedelta
from pathlib import Path

import pytest

from hammerstone.core.calls import Failure
from hammerstone.learn.ledger.changes import version_change
from hammerstone.learn.ledger.ledger import Ledger
from hammerstone.learn.policies import MiningPolicy, RepairPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.probation import watch
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind, ProposalState
from hammerstone.storage import Execution
from tests.unit.learn.workshop import Workshop, version_of, workshop

OLD, NEW = (f"def double(value):\n    return value * {n}\n" for n in (1, 2))
PROVED = ProposalEvidence(search=(ScorePair("failing", 0, 1),), confidence=0.97, sources=3)


async def used(shop: Workshop, good: int, bad: int) -> None:
    """Calls of the version that is active now."""
    version = (await shop.registry.get("double")).version.id
    for number in range(good + bad):
        ok = number < good
        await shop.db.executions.add(
            Execution(
                f"{version[:6]}-{number}", "r", "s", number, "double", version, {"value": 1}, 2,
                ok, shop.clock.now(), None if ok else Failure.RAISED, "" if ok else "KeyError: 1",
            )
        )  # fmt: skip


async def mended(shop: Workshop, good: int = 0, bad: int = 0) -> str:
    """A repair on probation, of a version with this use."""
    await shop.add(version_of("double", OLD))
    await used(shop, good, bad)
    change = version_change(version_of("double", NEW), new_tool=False)
    proposal = Proposal(
        ProposalKind.REPAIR, "double", "mend double", change, PROVED, probation=True
    )
    return (await shop.gate.propose(proposal)).id


@pytest.mark.parametrize(
    ("before", "after", "outcome", "told"),
    [
        ((0, 0), (0, 0), "watching", "it was not called since the change"),
        ((0, 0), (3, 1), "watching", "3 of 4 calls went well, before 100%"),  # may be anything
        ((0, 0), (3, 2), "rolled back", "3 of 5 calls went well, before 100%"),
        ((1, 3), (3, 2), "watching", "3 of 5 calls went well, before 25%"),
        ((1, 1), (2, 2), "watching", "2 of 4 calls went well, before 50%"),
        ((0, 0), (20, 0), "settled", "20 of 20 calls went well, before 100%"),
        ((0, 0), (19, 0), "watching", "19 of 19 calls went well, before 100%"),
        ((1, 1), (18, 2), "settled", "18 of 20 calls went well, before 50%"),
    ],
)
async def test_a_new_version_settles_or_goes_back(
    tmp_path: Path, before: tuple[int, int], after: tuple[int, int], outcome: str, told: str
) -> None:
    async with workshop(tmp_path) as shop:
        proposal = await mended(shop, *before)
        await used(shop, *after)

        (tried,) = await watch(shop.db, shop.gate, RepairPolicy(), dry_run=True)
        assert (await shop.registry.get("double")).version.code == NEW

        (found,) = await watch(shop.db, shop.gate, RepairPolicy())
        assert tried == found
        assert found.to_json() == {
            "proposal": proposal, "target": "double", "outcome": outcome, "reason": told,
        }  # fmt: skip
        back = outcome == "rolled back"
        assert (await shop.registry.get("double")).version.code == (OLD if back else NEW)
        status = (await shop.db.proposals.get(proposal)).status
        states = {
            "rolled back": ProposalState.ROLLED_BACK,
            "watching": ProposalState.PROBATION,
            "settled": ProposalState.PROMOTED,
        }
        assert status == states[outcome]


async def test_the_ledger_says_what_a_lesson_is_worth(tmp_path: Path) -> None:
    async with workshop(tmp_path) as shop:
        proposal = await mended(shop)
        await used(shop, 3, 1)
        ledger = Ledger(shop.db, shop.gate, MiningPolicy(), shop.clock)
        lesson, built = await ledger.lessons()
        assert (built.kind, built.what) == ("build", "double: a new tool, verified")
        assert (lesson.id, lesson.what, lesson.worth.uses) == (proposal, "mend double", 3)
        assert lesson.evidence == 3
        assert lesson.undo == f"hammerstone undo {proposal}"
        assert lesson.to_json()["pays"] is lesson.worth.pays is False
        assert lesson.to_json()["at"] == lesson.at.isoformat()

        await shop.gate.undo(proposal, who="ada")
        assert [one.id for one in await ledger.lessons()] == [built.id]
        gone, _ = await ledger.lessons(every=True)
        assert gone.status == ProposalState.UNDONE
        assert gone.undo == ""
        assert shop.clock.now() - gone.at < timedelta(hours=1)
