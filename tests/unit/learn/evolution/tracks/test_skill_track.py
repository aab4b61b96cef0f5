"""The skill or tool track: repairs what is broken, has made what is missing."""

import asyncio
from dataclasses import replace

import pytest

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BadRequest, BudgetExceeded
from hammerstone.learn.evolution.judges.causes import FailureClass, FailureFinding, RootCause
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.skill_track import MadeTool, SkillTrack, SkillWorkbench
from hammerstone.learn.evolution.tracks.track import TrackOutcome, TrackResult, TrackTask
from hammerstone.learn.policies import SkillTrackPolicy
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.learn.repair.tool_repairer import RepairOutcome, RepairResult

BROKEN = FailureFinding("r1", FailureClass.SKILL, RootCause.BROKEN_TOOL, "raises", tool="mean")
MISSING = FailureFinding(
    "r2", FailureClass.BOTH, RootCause.MISSING_TOOL, "no tool", request="Roman XIV?"
)


async def tried(
    *failures: FailureFinding,
    repaired: RepairResult | Exception | None = None,
    made: MadeTool | Exception | None = None,
    review: bool = False,
) -> TrackResult:
    async def repair(name: str) -> RepairResult:
        if isinstance(repaired, Exception):
            raise repaired
        return repaired or RepairResult(RepairOutcome.REPAIRED, "mended")

    async def make(request: str) -> MadeTool:
        if isinstance(made, Exception):
            raise made
        return made or MadeTool("roman_to_number")

    async def tools() -> list[str]:
        return ["mean"]

    bench = SkillWorkbench(repair, make, SkillTrackPolicy, tools)
    purse = TrackPurse(TrackBudget())
    task = TrackTask("t", "own", (), (), failures, None, purse, review=review)  # type: ignore[arg-type]
    return await SkillTrack(bench).try_change(task)


async def test_what_is_broken_is_repaired_and_what_is_missing_made() -> None:
    result = await tried(BROKEN, MISSING)
    assert result.outcome is TrackOutcome.KEPT
    assert result.change == {"tools": ["mean", "roman_to_number"]}


async def test_failures_that_no_tool_prevents_are_left() -> None:
    prompt = replace(MISSING, kind=FailureClass.PROMPT)
    outage = replace(MISSING, cause=RootCause.OUTAGE)
    result = await tried(prompt, outage)
    assert result.outcome is TrackOutcome.NOTHING and len(result.account) == 1


async def test_a_repair_that_waits_is_told_with_its_proposal() -> None:
    waits = RepairResult(ProposalState.WAITING, "a person", proposal="p1")
    result = await tried(BROKEN, repaired=waits)
    assert result.outcome is TrackOutcome.WAITING and result.proposal == "p1"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (BudgetExceeded("empty"), TrackOutcome.SPENT),
        (BadRequest("retired"), TrackOutcome.REVERTED),
    ],
)
async def test_what_fails_is_told(error: Exception, outcome: TrackOutcome) -> None:
    assert (await tried(BROKEN, repaired=error)).outcome is outcome
    assert (await tried(MISSING, made=error)).outcome is outcome


async def test_an_unproved_tool_is_not_kept_and_review_makes_none() -> None:
    result = await tried(MISSING, made=MadeTool(why="its proof was not enough"))
    assert result.outcome is TrackOutcome.REVERTED and "proof" in result.account[0]
    result = await tried(MISSING, review=True)
    assert result.outcome is TrackOutcome.REFUSED and len(result.account) == 1
    assert "'Roman XIV?'" in result.account[0]
    assert "evolve run own --track skill --continuous" in result.account[0]


async def test_what_asking_cost_is_paid_and_what_takes_too_long_is_broken_off() -> None:
    made, slow = MadeTool("roman", usage=Usage(output_tokens=90)), asyncio.Event()

    async def make(request: str) -> MadeTool:
        if request == "first":
            return made
        await slow.wait()
        return made

    async def tools() -> list[str]:
        return []

    async def repair(name: str) -> RepairResult:
        raise AssertionError

    missing = tuple(replace(MISSING, request=one) for one in ("first", "second"))
    purse = TrackPurse(TrackBudget(seconds=0.3))
    task = TrackTask("t", "own", (), (), missing, None, purse)  # type: ignore[arg-type]
    result = await SkillTrack(SkillWorkbench(repair, make, SkillTrackPolicy, tools)).try_change(
        task
    )
    assert result.outcome is TrackOutcome.KEPT and result.change == {"tools": ["roman"]}
    assert "The budget ended" in result.account[-1] and purse.cost.tokens == 90
