"""The gate: what it lets through, what it refuses, and how everything is taken back."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Status
from hammerstone.learn.ledger.changes import version_change
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.gate import GateDecision
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind, ProposalState
from tests.unit.learn.workshop import Workshop, version_of, workshop

BETTER = ProposalEvidence(held_out=tuple(ScorePair(f"{n}", 0, 1) for n in range(8)))
PROVED = ProposalEvidence(search=(ScorePair("failing", 0, 1),), confidence=0.97)


def repair(
    code: str, evidence: ProposalEvidence = PROVED, *, rests_on: tuple[str, ...] = ()
) -> Proposal:
    change = version_change(version_of("double", code), new_tool=False)
    return Proposal(
        ProposalKind.REPAIR, "double", "mend double", change, evidence, rests_on=rests_on
    )


OLD, NEW, NEWER = (f"def double(value):\n    return value * {n}\n" for n in (1, 2, 2.0))


async def found(shop: Workshop, decided: GateDecision) -> str:
    """What the stored decision says the evidence shows."""
    row = await shop.db.proposals.get(decided.id)
    return str((row.decision or {})["finding"])


async def active(shop: Workshop) -> str:
    return (await shop.registry.get("double")).version.code


@pytest.mark.parametrize(
    ("evidence", "finding"),
    [
        (ProposalEvidence(), "no evidence"),
        (ProposalEvidence(search=BETTER.held_out), "no evidence"),
        (ProposalEvidence(held_out=(ScorePair("a", 1, 1),)), "no-op"),
        (
            ProposalEvidence(
                held_out=(ScorePair("a", 0, 1), ScorePair("b", 1, 0), ScorePair("c", 0, 1))
            ),
            "noise",
        ),
        (ProposalEvidence(held_out=tuple(ScorePair(f"{n}", 1, 0) for n in range(8))), "worse"),
        (ProposalEvidence(held_out=BETTER.held_out, passes=(ScorePair("frozen", 1, 0),)), "breaks"),
        (ProposalEvidence(search=(ScorePair("failing", 0, 1),), confidence=0.6), "unsure"),
        (ProposalEvidence(search=(ScorePair("failing", 0, 0),), confidence=0.99), "no-op"),
        (
            ProposalEvidence(held_out=(ScorePair("a", 1, 1),), equivalent=True, saved_calls=1),
            "no evidence",
        ),
        (
            ProposalEvidence(
                held_out=(ScorePair("a", 1, 1), ScorePair("b", 1, 0)), equivalent=True
            ),
            "different",
        ),
        (
            ProposalEvidence(
                held_out=(ScorePair("a", 1, 1), ScorePair("b", 1, 1)), equivalent=True
            ),
            "no-op",
        ),
    ],
)
async def test_what_is_refused_and_why(tmp_path: Path, evidence: ProposalEvidence, finding: str):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        decided = await shop.gate.propose(repair(NEW, evidence))

        assert (decided.standing, await found(shop, decided)) == (ProposalState.REFUSED, finding)
        assert await active(shop) == OLD
        (audit,) = await shop.db.proposals.audits(decided.id)
        assert audit.what == "refused"


async def test_a_proved_change_is_made_and_undone_in_one_command(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        decided = await shop.gate.propose(repair(NEW))
        assert decided.in_force
        assert await active(shop) == NEW

        told = await shop.gate.undo(decided.id, who="ada")
        assert told == [f"{decided.id}: double is back at version 1"]
        assert await active(shop) == OLD
        whats = [audit.what for audit in await shop.db.proposals.audits(decided.id)]
        assert whats == ["promoting", "promoted", "undone"]
        with pytest.raises(BadRequest, match="nothing to undo"):
            await shop.gate.undo(decided.id, who="ada")


async def test_the_same_change_is_decided_once(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        first = await shop.gate.propose(repair(NEW, ProposalEvidence()))
        again = await shop.gate.propose(repair(NEW))
        assert (again.id, again.standing) == (first.id, ProposalState.REFUSED)
        assert await active(shop) == OLD


async def test_what_others_build_on_is_shown_then_undone_in_order(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        lower = await shop.gate.propose(repair(NEW))
        upper = await shop.gate.propose(repair(NEWER))  # of the same tool: stands on the first

        with pytest.raises(BadRequest) as told:
            await shop.gate.undo(lower.id, who="ada")
        assert told.value.data["dependents"] == [upper.id]
        assert await active(shop) == NEWER

        done = await shop.gate.undo(lower.id, who="ada", cascade=True)
        assert [line.split(":")[0] for line in done] == [upper.id, lower.id]
        assert await active(shop) == OLD


async def test_undo_leaves_alone_what_a_person_chose_since(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        decided = await shop.gate.propose(repair(NEW))
        await shop.registry.restore("double", 1, who="ada")

        with pytest.raises(BadRequest, match=r"other changes build on .*version 1 in place of 2"):
            await shop.gate.undo(decided.id, who="ada")
        (told,) = await shop.gate.undo(decided.id, who="probation", cascade=True)
        assert "stays, because of" in told
        assert (await shop.db.proposals.get(decided.id)).status == ProposalState.PROMOTED
        assert await active(shop) == OLD
        assert len(await shop.gate.undo(decided.id, who="ada", cascade=True)) == 2
        assert await active(shop) == OLD


async def test_below_level_4_a_person_decides_and_sees_a_preview(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        await shop.policies.change("maturity", {"level": 3}, who="test", why="test")
        decided = await shop.gate.propose(repair(NEW))

        assert decided.standing is ProposalState.WAITING
        assert "level 4" in decided.reason
        assert await active(shop) == OLD
        preview = await shop.gate.preview(decided.id)
        assert "-    return value * 1" in preview
        assert "+    return value * 2" in preview
        assert (await shop.gate.approve(decided.id, who="ada")).in_force
        assert await active(shop) == NEW


async def test_a_person_cannot_wave_through_what_breaks_a_pass(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        await shop.policies.change("maturity", {"level": 3}, who="test", why="test")
        decided = await shop.gate.propose(repair(NEW))
        row = await shop.db.proposals.get(decided.id)
        worse = ProposalEvidence(passes=(ScorePair("frozen", 1, 0),)).to_json()
        audit = (await shop.db.proposals.audits(decided.id))[0]
        await shop.db.proposals.change(row.id, audit, evidence=worse)

        assert (await shop.gate.approve(decided.id, who="ada")).standing is ProposalState.REFUSED
        assert await active(shop) == OLD


async def test_a_person_may_refuse_what_waits(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        await shop.policies.change("maturity", {"level": 2}, who="test", why="test")
        decided = await shop.gate.propose(repair(NEW))
        assert (await shop.gate.refuse(decided.id, who="ada")).standing is ProposalState.REFUSED
        with pytest.raises(BadRequest):
            await shop.gate.approve(decided.id, who="ada")


async def test_a_new_tool_is_retired_when_it_is_undone(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        change = version_change(version_of("double", NEW), new_tool=True)
        equal = ProposalEvidence(
            held_out=tuple(ScorePair(f"{n}", 1, 1) for n in range(3)),
            equivalent=True,
            saved_calls=2,
        )
        proposal = Proposal(ProposalKind.COMPOSITE, "double", "compose", change, equal)
        decided = await shop.gate.propose(proposal)
        assert (decided.in_force, await found(shop, decided)) == (True, "cheaper")
        await shop.gate.undo(decided.id, who="ada")
        assert (await shop.registry.get("double")).status is Status.RETIRED


async def test_policies_and_retirements_pass_the_same_gate(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        policy = Proposal(ProposalKind.POLICY, "fit", "tune", {"values": {"high": 0.7}}, BETTER)
        gone = Proposal(ProposalKind.RETIREMENT, "double", "retire", {"reason": "unused"}, BETTER)
        tuned, retired = await shop.gate.propose(policy), await shop.gate.propose(gone)

        assert shop.policies.stored("fit") == {"high": 0.7}
        assert (await shop.registry.get("double")).status is Status.RETIRED
        await shop.gate.undo(tuned.id, who="ada")
        await shop.gate.undo(retired.id, who="ada")
        assert not shop.policies.stored("fit")
        assert (await shop.registry.get("double")).status is Status.VERIFIED


async def test_a_change_that_cannot_be_made_stays_a_proposal(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        broken = Proposal(
            ProposalKind.POLICY, "no_such_policy", "tune", {"values": {"x": 1}}, BETTER
        )
        with pytest.raises(BadRequest):
            await shop.gate.propose(broken)
        (row,) = await shop.db.proposals.list()
        assert row.status == ProposalState.PROPOSED


async def test_a_kind_nobody_can_make_is_told(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        with pytest.raises(BadRequest, match="kind skill"):
            await shop.gate.propose(Proposal(ProposalKind.SKILL, "p", "t", {}, BETTER))
        for values in ({}, {"values": {"text": "no prompt"}}):
            with pytest.raises(BadRequest):
                await shop.gate.propose(Proposal(ProposalKind.PROMPT, "solve", "t", values, BETTER))


async def test_a_change_broken_off_by_a_crash_is_a_proposal_again_and_can_be_made(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        decided = await shop.gate.propose(repair(NEW))
        (audit, *_) = await shop.db.proposals.audits(decided.id)
        now = replace(audit, at=shop.clock.now())
        long_ago = replace(audit, at=shop.clock.now() - timedelta(hours=1))
        await shop.db.proposals.change(decided.id, now, status=ProposalState.PROMOTING)
        assert await shop.gate.recover() == []  # somebody may still be at it
        await shop.db.proposals.change(decided.id, long_ago, status=ProposalState.PROMOTING)
        assert await shop.gate.recover() == [decided.id]
        assert (await shop.gate.propose(repair(NEW))).in_force
        assert await active(shop) == NEW


async def test_what_a_person_retired_is_not_put_back_by_a_proposal(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", OLD))
        await shop.registry.retire("double", who="ada", reason="not wanted")
        change = version_change(version_of("double", NEW), new_tool=True)
        decided = await shop.gate.propose(replace(repair(NEW), change=change))
        assert (decided.standing, await found(shop, decided)) == (ProposalState.REFUSED, "unwanted")
        assert (await shop.registry.get("double")).status is Status.RETIRED
        row = await shop.db.proposals.get(decided.id)
        assert row.status == ProposalState.REFUSED
