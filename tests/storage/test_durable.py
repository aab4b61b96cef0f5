"""What unfinished work is stored as, on both databases: held jobs, paid steps, open runs, time."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.approvals import Approval, ApprovalStatus
from hammerstone.core.clock import SystemClock
from hammerstone.core.jobs import Asker, ClaimRule, Job, JobState
from hammerstone.storage import Database
from hammerstone.storage.stores.runs.paid_steps import PaidStep, StepOwner
from tests.hand_clock import HandClock
from tests.storage.samples import ODD_JSON, ODD_TEXT

ASKER = Asker("r", {"words": "count"}, "s")


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def db(database_url: str, clock: HandClock) -> AsyncIterator[Database]:
    found = await Database.open_url(database_url, clock=clock)
    yield found
    await found.close()


async def held(db: Database, holder: str = "me", key: str = "r") -> Job | None:
    return await db.jobs.hold("run", key, replace(ASKER, name=key), holder, lease_s=60)


async def test_a_job_that_is_held_from_the_start_is_nobody_elses(db: Database, clock: HandClock):
    mine = await held(db)

    assert mine is not None and (mine.attempts, mine.askers) == (1, (ASKER,))
    assert await held(db, "other") is None
    assert await db.jobs.claim("run", "other", lease_s=60) is None
    assert await db.jobs.renew_all("me", ["r", "unknown"], 60) == {"r"}
    clock.forward(60)
    assert await db.jobs.renew_all("me", ["r"], 60) == set()
    other = await held(db, "other")
    assert other is not None and (other.holder, other.attempts) == ("other", 2)
    assert not await db.jobs.drop(mine)
    assert await db.jobs.drop(other)
    assert await db.jobs.find("run", "r") is None


async def test_a_job_that_failed_can_be_held_again(db: Database):
    first = await held(db)
    assert first is not None and await db.jobs.fail(first, "no")

    again = await held(db, "next")

    assert again is not None and (again.state, again.reason) == (JobState.WAITING, "")
    assert again.attempts == 2


async def test_the_lease_of_a_holder_that_is_dead_can_be_ended(db: Database):
    dead = await held(db, "dead")
    assert dead is not None
    assert not await db.jobs.end_lease(replace(dead, holder="somebody else"))
    assert await db.jobs.end_lease(dead)

    heir = await db.jobs.claim("run", "heir", lease_s=60, key="r")

    assert heir is not None and heir.attempts == 2
    assert not await db.jobs.end_lease(dead)  # it is the heir's now


async def test_what_was_paid_for_comes_back_by_step_and_occurrence(db: Database):
    await held(db)
    owner = StepOwner("run", "r", "me", "s")
    for occurrence in (1, 0):
        paid = PaidStep(ODD_TEXT, occurrence, {"odd": ODD_JSON, "n": occurrence})
        assert await db.paid_steps.keep(owner, paid)
        assert await db.paid_steps.keep(owner, paid)  # once more is the same

    found = await db.paid_steps.of_job("run", "r")

    assert sorted((one.step, one.occurrence) for one in found) == [(ODD_TEXT, 0), (ODD_TEXT, 1)]
    assert {one.occurrence: one.result["n"] for one in found} == {0: 0, 1: 1}  # type: ignore[index, call-overload]
    assert all(one.result["odd"] == ODD_JSON for one in found)  # type: ignore[index, call-overload]


async def test_who_lost_a_job_keeps_nothing_in_its_journal(db: Database, clock: HandClock):
    mine = await held(db)
    assert mine is not None
    clock.forward(61)
    assert await held(db, "other") is not None

    assert not await db.paid_steps.keep(StepOwner("run", "r", "me"), PaidStep("late", 0, "x"))
    assert await db.paid_steps.of_job("run", "r") == []


async def test_paid_steps_go_with_their_job_their_session_and_their_age(
    db: Database, clock: HandClock
):
    for key, session in (("done", "a"), ("deleted", "b"), ("old", "c")):
        owner = StepOwner("run", key, session_id=session)
        assert await db.paid_steps.keep(owner, PaidStep("step", 0, key))
    await db.sessions.create("ada", "b")

    await db.paid_steps.forget("run", "done")
    await db.sessions.delete("b")
    counts = [len(await db.paid_steps.of_job("run", key)) for key in ("done", "deleted", "old")]
    assert counts == [0, 0, 1]
    clock.forward(days=1)
    assert await db.paid_steps.purge(clock.now() - timedelta(hours=1)) == 1


async def test_runs_without_an_end_are_listed_with_who_holds_them(db: Database, clock: HandClock):
    for key in ("held", "lost", "old", "waits"):
        await db.runs.start(key, "s", "ada", f"do {key}", "t", clock.now())
        clock.forward(1)
    await db.runs.start("ended", "s", "ada", "done", "t", clock.now())
    await db.runs.finish("ended", "done", {}, clock.now())
    for key in ("lost", "waits"):
        assert await held(db, "dead", key) is not None
    clock.forward(61)
    assert await held(db, "me", "held") is not None
    now = clock.now()
    await db.approvals.add(
        Approval("a", "write", "ada", "s", "waits", "f", "May I?", now, now + timedelta(days=1))
    )

    found = {one.row.id: one for one in await db.open_runs.list(("run",), "s")}

    assert [*found] == ["held", "lost", "old", "waits"]
    assert found["old"].job is None
    assert (found["held"].free, found["lost"].free, found["waits"].free) == (False, True, True)
    assert [one.row.id for one in found.values() if one.waits] == ["waits"]
    assert await db.open_runs.list(("run",), "another") == []


async def test_a_run_that_nobody_decided_about_goes_on_without_it(db: Database, clock: HandClock):
    await db.runs.start("r", "s", "ada", "do it", "t", clock.now())
    await db.jobs.put("run", "r", Asker("r", {}, "s"))
    now = clock.now()
    await db.approvals.add(
        Approval("a", "write", "ada", "s", "r", "f", "May I?", now, now + timedelta(days=1))
    )
    rule = ClaimRule(undecided=False)
    assert await db.approvals.expire(clock.now()) == 0
    assert await db.jobs.claim("run", "me", lease_s=60, rule=rule) is None
    clock.forward(86_401)
    assert await db.approvals.expire(clock.now()) == 1
    found = await db.approvals.find("a")
    assert found is not None and found.status is ApprovalStatus.EXPIRED
    assert await db.approvals.expire(clock.now()) == 0
    assert await db.jobs.claim("run", "me", lease_s=60, rule=rule) is not None


class WrongClock(SystemClock):
    """A machine's clock that is wrong by hours, or is set while processes run."""

    def __init__(self, hours: float = 0.0) -> None:
        self.hours = hours

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(hours=self.hours)


async def test_clocks_that_are_wrong_neither_end_leases_nor_keep_them(database_url: str):
    clocks = WrongClock(), WrongClock(-3.0)
    one, two = [await Database.open_url(database_url, clock=clock) for clock in clocks]
    try:
        mine = await held(one)
        assert mine is not None
        clocks[1].hours = 5.0
        assert await held(two, "other") is None
        clocks[0].hours = -7.0
        assert await two.jobs.claim("run", "other", lease_s=60) is None
        assert await one.jobs.renew(mine, 60)
        assert (await one.leases.take("job", "me", 60)) is not None
        assert (await two.leases.take("job", "other", 60)) is None
        assert await one.jobs.end_lease(mine)
        assert await held(two, "other") is not None
    finally:
        await one.close()
        await two.close()
