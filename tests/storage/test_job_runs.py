"""Turns of jobs on both databases: each tick once, whatever happens to the process."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.job_runner import JobRunner
from hammerstone.core.errors import ModelUnavailable, Stopped
from hammerstone.core.job_runs import JobChange, JobReport, JobRun, JobRunState
from hammerstone.guard.approvals import ApprovalDesk
from hammerstone.guard.stop import StopSwitch
from hammerstone.library.policies import Policies
from hammerstone.run.services import Guards, Records
from hammerstone.storage import Database
from hammerstone.tracing.scrub import Scrubber
from hammerstone.tracing.tracer import Tracer
from tests.hand_clock import HandClock
from tests.storage.samples import ODD_TEXT

HOUR = 3600.0


class Counting:
    """A job that counts its turns."""

    name = "counting"
    about = "counts"
    every_s = 10 * HOUR

    def __init__(self) -> None:
        self.turns = 0
        self.new = ODD_TEXT
        self.saves_s = 0.0
        self.takes_s = 1.0
        self.error: Exception | None = None
        self.holding: asyncio.Event | None = None

    async def news(self) -> str:
        return self.new

    async def run(self, *, dry_run: bool) -> JobReport:
        if self.holding is not None:
            await self.holding.wait()
        if self.error is not None:
            raise self.error
        self.turns += not dry_run
        change = JobChange(f"turn {self.turns}", "it counts")
        return JobReport((change,), 10, self.takes_s, self.saves_s, {"turns": self.turns})


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def pair(database_url: str, clock: HandClock) -> AsyncIterator[tuple[Database, Database]]:
    one = await Database.open_url(database_url, clock=clock)
    two = await Database.open_url(database_url, clock=clock)
    yield one, two
    await one.close()
    await two.close()


async def runner_of(db: Database, job: Counting, clock: HandClock) -> JobRunner:
    policies = Policies(db, (LearningPolicy,))
    await policies.load()
    scrubber = Scrubber()
    records = Records(db, clock, Tracer([], scrubber, clock), scrubber)
    guards = Guards(policies, StopSwitch(db.stops, clock, every_s=0.01), ApprovalDesk(db, clock))
    runner = JobRunner(records, guards)
    runner.add(job)
    return runner


async def begun(db: Database, job: Counting, clock: HandClock) -> JobRunner:
    runner = await runner_of(db, job, clock)
    assert await runner.look() == []  # the first look only begins
    clock.forward(job.every_s + 1)
    return runner


async def test_a_turn_comes_after_its_time_and_not_before(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    done = await runner.look()
    assert [(run.state, run.why, run.tokens) for run in done] == [(JobRunState.DONE, ODD_TEXT, 10)]
    assert done[0].changes == [{"what": "turn 1", "why": "it counts"}]
    assert await runner.look() == []
    clock.forward(job.every_s - 5)
    assert await runner.look() == []
    clock.forward(10)
    assert len(await runner.look()) == 1
    assert job.turns == 2


async def test_two_processes_do_a_turn_once(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    job, other = Counting(), Counting()
    one = await begun(pair[0], job, clock)
    two = await runner_of(pair[1], other, clock)
    await asyncio.gather(one.look(), two.look(), one.look(), two.look())
    assert job.turns + other.turns == 1
    clock.forward(job.every_s + 1)
    await asyncio.gather(two.look(), one.look())
    assert job.turns + other.turns == 2


async def test_a_turn_from_a_clock_that_was_ahead_holds_up_nothing(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    job, other = Counting(), Counting()
    one, two = await begun(pair[0], job, clock), await runner_of(pair[1], other, clock)
    clock.jump(days=400)
    assert len(await one.look()) == 1
    clock.jump(days=-400)  # the clock is set right again
    assert await two.look() == []
    (standing,) = await two.standings()
    assert standing.next_at == clock.now() + timedelta(seconds=job.every_s)
    clock.forward(job.every_s + 1)
    assert len(await two.look()) == 1
    assert await two.look() == await one.look() == []
    assert (job.turns, other.turns) == (1, 1)


async def test_nothing_runs_while_nothing_is_new_or_everything_is_stopped(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    job.new = ""
    assert await runner.look() == []
    job.new = "something"
    await db.stops.put("all", "", "test")
    clock.forward(1)  # the flag is read at most half a second late
    with pytest.raises(Stopped):
        await runner.look()
    assert job.turns == 0
    await db.stops.remove("all")
    clock.forward(1)
    assert len(await runner.look()) == 1


async def test_a_turn_whose_process_died_is_done_by_the_next(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    job, other = Counting(), Counting()
    one = await begun(pair[0], job, clock)
    job.holding = asyncio.Event()
    dying = asyncio.create_task(one.look())
    while (found := await pair[1].jobs.find("learning", job.name)) is None or not found.holder:
        await asyncio.sleep(0.01)
    two = await runner_of(pair[1], other, clock)
    assert await two.look() == []  # it is held
    clock.forward(LearningPolicy().lease_s + 1)
    assert len(await two.look()) == 1
    job.holding.set()
    assert await dying == []  # what the first one says now changes nothing
    assert [run.state for run in await pair[0].job_runs.list(job.name)] == [
        JobRunState.DONE,
        JobRunState.BEGUN,
    ]


async def test_a_failing_turn_is_tried_again_then_given_up_and_the_next_one_comes(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    job.error = ModelUnavailable("no model")
    policy = LearningPolicy()
    seen: list[JobRun] = []
    for _ in range(policy.attempts):
        seen += await runner.look()
        clock.forward(policy.retry_s * policy.attempts)
    assert [(run.state, run.reason) for run in seen] == [(JobRunState.FAILED, "no model")]
    job.error = None
    assert await runner.look() == []
    clock.forward(job.every_s)
    assert [run.state for run in await runner.look()] == [JobRunState.DONE]


async def test_a_job_that_does_not_pay_comes_less_often_and_again_more_often_when_it_does(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    job.takes_s = 100.0
    paces: list[float] = []
    for turn in range(9):
        if turn == 4:
            job.saves_s = 5000.0
        (done,) = await runner.run([job.name])
        paces.append(done.pace)
        clock.forward(1)
    assert paces == [2.0, 4.0, 8.0, 8.0, 4.0, 2.0, 1.0, 1.0, 1.0]
    (standing,) = await runner.standings()
    assert (standing.pace, standing.saved_s) == (1.0, 25_000.0)


async def test_a_job_that_watches_comes_as_often_whatever_it_costs_and_has_no_other_limit(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await runner_of(db, job, clock)
    runner.watch(job)
    await runner._guards.policies.change("learning", {"longest_s": 1.0}, who="ada", why="short")
    job.takes_s, job.holding = 4_000.0, asyncio.Event()
    asyncio.get_running_loop().call_later(1.5, job.holding.set)
    for _ in range(3):
        (done,) = await runner.run(["counting"])
        assert (done.state, done.pace) == (JobRunState.DONE, 1.0)


async def test_a_slow_pace_moves_the_next_turn(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    job.takes_s = 100.0
    (done,) = await runner.look()
    assert done.pace == 2.0
    clock.forward(job.every_s * 1.5)
    assert await runner.look() == []
    (standing,) = await runner.standings()
    assert standing.next_at == done.at + timedelta(seconds=2 * job.every_s)
    assert "instead of 10 h" in standing.pace_words


async def test_the_budget_of_a_day_is_for_all_jobs(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    policies = Policies(db, (LearningPolicy,))
    await policies.load()
    await policies.change("learning", {"tokens_a_day": 10}, who="test", why="little")
    assert len(await runner.look()) == 1
    clock.forward(job.every_s + 1)
    assert await runner.look() == []  # 10 tokens were spent within a day
    clock.forward(24 * HOUR)
    assert len(await runner.look()) == 1


async def test_a_dry_run_stores_nothing(pair: tuple[Database, Database], clock: HandClock) -> None:
    db, job = pair[0], Counting()
    runner = await runner_of(db, job, clock)
    (tried,) = await runner.run(dry_run=True)
    assert (tried.state, job.turns, len(tried.changes)) == (JobRunState.TRIED, 0, 1)
    assert await db.job_runs.list() == []


async def test_of_each_job_the_last_turn_is_kept(
    pair: tuple[Database, Database], clock: HandClock
) -> None:
    db, job = pair[0], Counting()
    runner = await begun(db, job, clock)
    for _ in range(3):
        await runner.run()
        clock.forward(1)
    clock.forward(HOUR)
    assert await db.job_runs.purge(clock.now()) == 3
    assert [run.report["turns"] for run in await db.job_runs.list()] == [3]
