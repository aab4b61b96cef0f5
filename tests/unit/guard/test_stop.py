"""The stop switch ends what runs, refuses what begins, and lets go on again."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.core.errors import BadRequest, Stopped
from hammerstone.guard.stop import StopSwitch
from hammerstone.storage import Database
from tests.hand_clock import HandClock


@pytest.fixture
async def db(tmp_path: Path):
    database = await Database.open_url(f"sqlite:///{tmp_path}/stop.db")
    yield database
    await database.close()


@pytest.fixture
async def switch(db: Database):
    switch = StopSwitch(db.stops, SystemClock(), every_s=0.05)
    yield switch
    await switch.close()


@pytest.mark.parametrize(("scope", "target"), [("all", ""), ("session", "s"), ("run", "r")])
async def test_what_begins_is_refused_until_resumed(switch: StopSwitch, scope: str, target: str):
    await switch.check("r", "s")
    await switch.stop(scope, target, who="ada", why="too slow")
    with pytest.raises(Stopped, match=r"stopped by ada .*: too slow") as refused:
        await switch.check("r", "s")
    assert refused.value.code == refused.value.data["rule"] == "stopped"
    assert "hammerstone resume" in refused.value.hint
    if scope != "all":
        await switch.check("other", "other")
    assert await switch.resume(scope, target)
    await switch.check("r", "s")
    assert not await switch.resume(scope, target)


async def test_another_process_stops_what_runs_here(switch: StopSwitch, db: Database):
    elsewhere = StopSwitch(db.stops, SystemClock())

    async def work(run_id: str) -> str:
        async with switch.watching(run_id, "s"):
            await asyncio.sleep(30)
            return "done"

    one, other = asyncio.create_task(work("r1")), asyncio.create_task(work("r2"))
    await asyncio.sleep(0.1)
    await elsewhere.stop("run", "r1", who="ada")
    began = asyncio.get_running_loop().time()
    with pytest.raises(Stopped, match="this run was stopped by ada"):
        await asyncio.wait_for(one, 10)
    assert asyncio.get_running_loop().time() - began < 5
    assert not other.done()
    other.cancel()
    with pytest.raises(asyncio.CancelledError):  # a cancel that is not the switch's stays one
        await other


async def test_after_the_stop_the_task_can_go_on_cleaning_up(switch: StopSwitch):
    async def work() -> str:
        try:
            async with switch.watching("r", "s"):
                await asyncio.sleep(30)
        except Stopped:
            await asyncio.sleep(0)  # not cancelled again
            return "cleaned up"
        return "not stopped"

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await switch.stop("session", "s", who="ada")
    assert await asyncio.wait_for(task, 10) == "cleaned up"


async def test_checking_often_reads_seldom(db: Database):
    clock = HandClock()
    reads = 0

    class Counting:
        put, remove = db.stops.put, db.stops.remove

        async def list(self):
            nonlocal reads
            reads += 1
            return await db.stops.list()

    switch = StopSwitch(Counting(), clock, every_s=0.5)
    for _ in range(100):
        await switch.check("r", "s")
    assert reads == 1
    clock.forward(0.6)
    await switch.check("r", "s")
    assert reads == 2
    clock.jump(days=-3)  # the clock on the wall does not matter
    await switch.check("r", "s")
    assert reads == 2


async def test_who_has_read_that_nothing_is_stopped_spares_the_look(db: Database):
    clock = HandClock()
    switch = StopSwitch(db.stops, clock, every_s=0.5)
    before_s = clock.elapsed_s()
    switch.know_none(before_s)
    await StopSwitch(db.stops, clock).stop("all", who="ada")
    await switch.check("r", "s")  # as old as a look may be
    clock.forward(0.6)
    with pytest.raises(Stopped):
        await switch.check("r", "s")
    switch.know_none(before_s)  # read before the stop: it says nothing any more
    with pytest.raises(Stopped):
        await switch.check("r", "s")


@pytest.mark.parametrize(("scope", "target"), [("run", ""), ("all", "x"), ("world", "x")])
async def test_nonsense_is_refused(switch: StopSwitch, scope: str, target: str):
    with pytest.raises(BadRequest):
        await switch.stop(scope, target, who="ada")


async def test_of_watches_inside_each_other_the_outermost_tells(switch: StopSwitch):
    """What lies between them cannot take the stop for a failure and go on."""
    went_on = False

    async def work() -> None:
        nonlocal went_on
        async with switch.watching("r", "s"):
            try:
                async with switch.watching():
                    await asyncio.sleep(30)
            except Exception:
                went_on = True

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await switch.stop("all", who="ada")
    with pytest.raises(Stopped, match="everything was stopped by ada"):
        await asyncio.wait_for(task, 10)
    assert not went_on and task.cancelling() == 0


async def test_a_stop_of_one_session_leaves_other_calls_alone(switch: StopSwitch):
    async def work(session: str) -> str:
        async with switch.watching("r", session), switch.calling():
            await asyncio.sleep(0.3)
            return session

    one, other = asyncio.create_task(work("s")), asyncio.create_task(work("t"))
    await asyncio.sleep(0.05)
    await switch.stop("session", "s", who="ada")
    with pytest.raises(Stopped, match="this session"):
        await one
    assert await other == "t"


async def test_a_cancel_that_comes_with_the_stop_stays_a_cancel(switch: StopSwitch):
    async def work() -> None:
        async with switch.calling():
            await asyncio.sleep(30)

    task = asyncio.create_task(work())
    await asyncio.sleep(0.05)
    task.cancel()
    await switch.stop("all", who="ada")
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_stop_that_was_swallowed_comes_again(switch: StopSwitch, db: Database):
    """A check that somebody ignores does not save what goes on."""
    elsewhere = StopSwitch(db.stops, SystemClock())
    await elsewhere.stop("all", who="ada")

    async def stubborn() -> None:
        async with switch.watching("r", "s"):
            with contextlib.suppress(Stopped):
                await switch.check("r", "s", fresh=True)
            await asyncio.sleep(30)

    with pytest.raises(Stopped):
        await asyncio.wait_for(stubborn(), 10)
