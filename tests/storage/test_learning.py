"""Proposals, patterns, workflows, analyses and leases, on both databases."""

from typing import Any

import pytest

from hammerstone.core.errors import NotFound
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.analyses import AnalysisRow, Confirmation
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow
from hammerstone.storage.stores.library.patterns import PatternLimits, PatternTally, SessionTally
from hammerstone.storage.stores.library.workflows import WorkflowRow
from hammerstone.storage.stores.queue.leases import Lease
from tests.storage.samples import NOW, ODD_JSON, ODD_TEXT, execution, later

CAPS = PatternLimits(per_session=2, runs_kept=3)


def proposal(id: str, **changes: Any) -> ProposalRow:
    values: dict[str, Any] = {
        "id": id,
        "kind": "repair",
        "target": "percent_of",
        "title": ODD_TEXT,
        "status": "proposed",
        "change": {"odd": ODD_JSON},
        "evidence": {"odd": ODD_JSON},
        "created_at": NOW,
        "changed_at": NOW,
    }
    return ProposalRow(**(values | changes))


def audit(id: str, what: str = "promoted") -> AuditRow:
    return AuditRow(id, what, "gate", ODD_TEXT, {"v": 1}, ODD_JSON, NOW)


async def test_a_proposal_comes_back_as_it_was_and_the_same_id_changes_nothing(db: Database):
    stored = await db.proposals.add(proposal("p"), rests_on=["q"], sessions={"s": "r"})
    again = await db.proposals.add(proposal("p", title="other"))

    assert stored == proposal("p") == again
    assert await db.proposals.get("p") == stored
    assert await db.proposals.dependents("q") == ["p"]
    assert await db.proposals.sessions("p") == {"s": "r"}
    with pytest.raises(NotFound):
        await db.proposals.get("none")


async def test_a_change_of_status_is_kept_with_its_audit_event_or_not_at_all(db: Database):
    await db.proposals.add(proposal("p"))

    moved = await db.proposals.change(
        "p", audit("p"), expected=["proposed"], status="promoted", reverse={"to": "v1"}
    )
    late = await db.proposals.change("p", audit("p", "again"), expected=["proposed"], status="x")

    assert (moved, late) == (True, False)
    row = await db.proposals.get("p")
    assert (row.status, row.reverse) == ("promoted", {"to": "v1"})
    assert await db.proposals.audits("p") == [audit("p")]


async def test_proposals_are_listed_by_kind_target_and_status_newest_first(db: Database):
    await db.proposals.add(proposal("a"))
    await db.proposals.add(proposal("b", created_at=later(1), status="promoted"))
    await db.proposals.add(proposal("c", created_at=later(2), kind="composite", target="t"))

    assert [row.id for row in await db.proposals.list()] == ["c", "b", "a"]
    assert [row.id for row in await db.proposals.list(kind="repair")] == ["b", "a"]
    assert [row.id for row in await db.proposals.list(target="t")] == ["c"]
    assert [row.id for row in await db.proposals.list(statuses=["promoted"])] == ["b"]


async def test_lessons_of_a_session_are_found_until_it_is_forgotten(db: Database):
    await db.proposals.add(proposal("a"), sessions={"s": "r", "t": "q"})
    await db.proposals.add(proposal("b"), sessions={"t": "q"})

    assert [row.id for row in await db.proposals.of_session("t")] == ["a", "b"]
    await db.proposals.forget_session("t")
    assert await db.proposals.of_session("t") == []
    assert await db.proposals.sessions("a") == {"s": "r"}


async def test_an_analysis_is_kept_and_goes_with_its_session(db: Database):
    def row(id: str, session: str) -> AnalysisRow:
        details = {"odd": ODD_JSON}
        return AnalysisRow(
            id, "t", "v", "e", session, "sig", "bug", ODD_TEXT, "open", NOW, None, details
        )

    for id, session in (("1", "a"), ("2", "a"), ("3", "b")):
        await db.analyses.put(row(id, session))
    await db.analyses.put(row("1", "a"))

    assert len(await db.analyses.list("t")) == 3
    assert (await db.analyses.list("t"))[0] == row("1", "a")
    assert await db.analyses.forget_session("a") == 2
    assert await db.analyses.list("t") == [row("3", "b")]


async def test_confirmations_keep_their_order_and_go_with_their_session(db: Database):
    said = [Confirmation("t", ODD_JSON, 1, right, "s", "ada", NOW) for right in (True, False)]
    for each in said:
        await db.analyses.confirm(each)

    assert await db.analyses.confirmations("t") == said
    await db.analyses.forget_session("s")
    assert await db.analyses.confirmations("t") == []


async def test_a_lease_has_one_holder_until_it_is_given_back(db: Database):
    first = await db.leases.take("mining", "a", 60)
    assert first == Lease("mining", "a", None)
    assert await db.leases.take("mining", "b", 60) is None
    assert await db.leases.take("mining", "a", 60) == first
    assert await db.leases.holder("mining") == "a" and await db.leases.holder("other") == ""
    await db.leases.give_back(first)
    assert await db.leases.holder("mining") == ""
    assert await db.leases.take("mining", "b", -1) is not None
    assert await db.leases.holder("mining") == ""
    assert await db.leases.take("mining", "c", 60) is not None  # b's had run out


def tally(*sessions: tuple[str, int, int]) -> PatternTally:
    seen = sum(times for _, times, _ in sessions)
    each = {name: SessionTally(times, good, [f"{name}-run"]) for name, times, good in sessions}
    return PatternTally(("a", "b"), NOW, later(1), seen, seen, seen, 1.5 * seen, each)


async def test_a_session_counts_only_so_often_over_batches(db: Database):
    lease = await db.leases.take("mining", "me", 60)
    assert lease is not None
    assert await db.patterns.add({"ab": tally(("s", 1000, 1000))}, CAPS, lease, "1")
    assert await db.patterns.add({"ab": tally(("s", 1000, 0), ("t", 1, 1))}, CAPS, lease, "2")

    (row,) = await db.patterns.list()
    assert (row.steps, row.seen, row.frequency, row.sessions) == (("a", "b"), 2001, 3, 2)
    assert row.success == 1.0
    assert row.seconds == pytest.approx(1.5 * 2001)
    assert await db.patterns.sessions_of("ab") == {"s": ["s-run", "s-run"], "t": ["t-run"]}
    assert await db.leases.mark("mining") == "2"


async def test_a_batch_counts_for_nothing_when_the_lease_was_lost(db: Database):
    old = await db.leases.take("mining", "slow", -1)
    assert old is not None
    await db.leases.take("mining", "quick", 60)

    assert not await db.patterns.add({"ab": tally(("s", 1, 1))}, CAPS, old, "1")
    assert await db.patterns.list() == []
    assert await db.leases.mark("mining") is None


async def test_a_forgotten_session_leaves_no_share_in_patterns(db: Database):
    lease = await db.leases.take("mining", "me", 60)
    assert lease is not None
    await db.patterns.add({"ab": tally(("s", 2, 2), ("t", 1, 0))}, CAPS, lease, "1")

    assert await db.patterns.forget_session("s") == 1
    (row,) = await db.patterns.list()
    assert (row.frequency, row.successes, row.sessions) == (1, 0, 1)
    await db.patterns.forget_session("t")
    assert await db.patterns.list() == []


async def test_finished_runs_come_in_order_after_the_mark_with_their_calls(db: Database):
    for number, id in enumerate(("x", "y", "z", "open")):
        await db.runs.start(id, "s", "ada", "text", "trace", NOW)
        if id != "open":
            await db.runs.finish(id, "done", None, later(number // 2))
    for id, run, number in (("1", "y", 1), ("2", "y", 0), ("3", "z", 0)):
        await db.executions.add(execution(id, run_id=run, number=number))

    found = await db.patterns.finished_runs(None, later(10), 10)
    assert [run.id for run in found] == ["x", "y", "z"]
    rest = await db.patterns.finished_runs((found[0].finished_at, "x"), later(10), 10)
    assert [run.id for run in rest] == ["y", "z"]
    early = await db.patterns.finished_runs(None, later(0), 10)
    assert [run.id for run in early] == ["x", "y"]
    calls = await db.patterns.calls_of(["y", "z", "none"])
    assert [call.number for call in calls["y"]] == [0, 1]
    assert calls["z"][0].sources == {"rate": {"from": "earlier", "step": 1}}


async def test_workflows_are_found_by_their_first_tool_while_they_are_active(db: Database):
    row = WorkflowRow("w", "name", {"odd": ODD_JSON}, [ODD_TEXT], "a", True, NOW)
    await db.workflows.put(row)
    await db.workflows.put(row)

    assert await db.workflows.beginning_with(["a", "b"]) == [row]
    assert await db.workflows.beginning_with(["b"]) == []
    await db.workflows.switch("w", False)
    assert await db.workflows.beginning_with(["a"]) == []
    assert len(await db.workflows.list()) == 1
