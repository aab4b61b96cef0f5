"""What use says about a tool passes the gate: trust, falls and retirement."""

from pathlib import Path

from hammerstone.core.calls import Failure
from hammerstone.core.feedback import JudgedUse, UseVerdict
from hammerstone.core.tools import Status, Tool
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.learn.promotion.standings import StandingProposals
from hammerstone.library.policies import LifecyclePolicy
from hammerstone.library.tools.upkeep.lifecycle import Lifecycle
from hammerstone.storage import Execution
from tests.unit.learn.workshop import Workshop, version_of, workshop

CODE = "def double(value):\n    return value[0]\n"


def judged(
    shop: Workshop, tool: Tool, run: str, session: str,
    verdict: UseVerdict = UseVerdict.GOOD, user: str = "ada",
) -> JudgedUse:  # fmt: skip
    return JudgedUse(run, session, user, "double", tool.version.id, verdict, shop.clock.now())


async def used(shop: Workshop, good: int, bad: int = 0) -> Tool | None:
    """Calls of the tool, each in a session of its own, the good ones judged so; what the last
    one changed."""
    judge = StandingProposals(shop.gate, shop.registry)
    lifecycle = Lifecycle(shop.db, shop.registry, shop.policies, judge)
    changed = None
    for number in range(good + bad):
        ok, tool = number < good, await shop.registry.get("double")
        call = Execution(
            f"{shop.clock.now()}", "r", f"s{number}", 0, "double", tool.version.id, {"value": 1}, 2,
            ok, shop.clock.now(), None if ok else Failure.RAISED, "" if ok else "TypeError: 1",
        )  # fmt: skip
        await shop.db.executions.add(call)
        if ok:
            await shop.db.feedback.judge(judged(shop, tool, call.id, f"s{number}"))
        changed = await lifecycle.after_use(tool, ok=ok)
    return changed


async def test_trust_is_an_entry_with_its_numbers_and_an_undo_that_holds(tmp_path: Path) -> None:
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", CODE))
        few = {"trusted_uses": 5}
        await shop.policies.change(LifecyclePolicy.name, few, who="test", why="quick")
        changed = await used(shop, 5)
        assert changed is not None
        assert changed.status is Status.TRUSTED
        (row,) = await shop.db.proposals.list(kind="trust")
        assert (row.status, row.title) == ("promoted", "double: trusted, was verified")
        assert (row.decision or {})["reason"] == "5 good uses in 5 sessions"
        assert row.evidence["grounds"]["good"] == 5  # type: ignore[index]

        await shop.gate.undo(row.id, who="ada")
        assert (await shop.registry.get("double")).status is Status.VERIFIED
        assert await used(shop, 5) is None
        assert (await shop.registry.get("double")).status is Status.VERIFIED


async def test_where_a_person_wants_to_be_asked_a_retirement_waits(tmp_path: Path) -> None:
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", CODE))
        await shop.policies.change("gate", {"ask_for_retirement": True}, who="ada", why="ask me")
        assert await used(shop, 0, 3) is None  # the mark is lost before
        (row,) = await shop.db.proposals.list(kind="retirement")
        assert row.status == ProposalState.WAITING
        assert (await shop.registry.get("double")).status is Status.EXPERIMENTAL
        await shop.gate.approve(row.id, who="ada")
        assert (await shop.registry.get("double")).status is Status.RETIRED
        await shop.gate.undo(row.id, who="ada")
        assert (await shop.registry.get("double")).status is Status.EXPERIMENTAL


async def test_at_a_low_level_a_failing_tool_still_falls_by_itself(tmp_path: Path) -> None:
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", CODE))
        await shop.policies.change("maturity", {"level": 2}, who="ada", why="careful")
        changed = await used(shop, 0, 3)
        assert changed is not None
        assert changed.status is Status.RETIRED


async def test_a_new_wrong_result_is_a_new_reason_to_fall(tmp_path: Path) -> None:
    async with workshop(tmp_path) as shop:
        await shop.add(version_of("double", CODE))
        few = {"trusted_uses": 5}
        await shop.policies.change(LifecyclePolicy.name, few, who="test", why="quick")
        await used(shop, 5)
        for number in (1, 2):
            tool = await shop.registry.get("double")
            assert tool.status is Status.TRUSTED
            wrong = judged(shop, tool, f"w{number}", "s", UseVerdict.WRONG)
            await shop.db.feedback.judge(wrong)
            judge = StandingProposals(shop.gate, shop.registry)
            lifecycle = Lifecycle(shop.db, shop.registry, shop.policies, judge)
            changed = await lifecycle.after_use(tool, ok=False)
            assert changed is not None
            assert changed.status is Status.VERIFIED
            rows = await shop.db.proposals.list(kind="trust")
            fallen = next(row for row in rows if f"{number} wrong" in str(row.decision))
            await shop.gate.undo(fallen.id, who="ada")
            assert await lifecycle.after_use(changed, ok=False) is None  # the undo holds
