"""Turns are fair: nobody waits behind all of somebody else's work, and nothing leaks."""

import asyncio

from hammerstone.core.fair_turns import FairTurns


async def _work(turns: FairTurns, client: str, log: list[str], hold: asyncio.Event) -> None:
    async with turns.turn(client):
        log.append(client)
        await hold.wait()


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_late_client_is_served_next_not_last():
    turns, log = FairTurns(1), []
    holds = [asyncio.Event() for _ in range(6)]
    tasks = [asyncio.create_task(_work(turns, "matrix", log, hold)) for hold in holds[:5]]
    await _settle()
    tasks.append(asyncio.create_task(_work(turns, "call", log, holds[5])))
    for hold in holds:
        hold.set()
    await asyncio.gather(*tasks)
    assert log.index("call") <= 2
    assert len(log) == 6


async def test_one_client_never_takes_the_last_turns():
    turns, log = FairTurns(4, per_client=3), []
    hold = asyncio.Event()
    tasks = [asyncio.create_task(_work(turns, "matrix", log, hold)) for _ in range(10)]
    await _settle()
    assert log == ["matrix"] * 3
    tasks.append(asyncio.create_task(_work(turns, "call", log, hold)))
    await _settle()
    assert log[-1] == "call"
    hold.set()
    await asyncio.gather(*tasks)


async def test_cancelled_waiters_leave_and_cancelled_holders_give_back():
    turns, log = FairTurns(1), []
    hold = asyncio.Event()
    holder = asyncio.create_task(_work(turns, "a", log, hold))
    await _settle()
    waiter = asyncio.create_task(_work(turns, "b", log, hold))
    await _settle()
    assert turns.waiting == 1
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    assert turns.waiting == 0
    holder.cancel()
    await asyncio.gather(holder, return_exceptions=True)
    hold.set()
    async with asyncio.timeout(1):
        await _work(turns, "c", log, hold)
    assert log == ["a", "c"]


async def test_other_limits_hold_from_now_on():
    turns = FairTurns(1)
    order: list[str] = []

    async def take(name: str) -> None:
        async with turns.turn(name):
            order.append(name)
            await asyncio.sleep(0.05)

    tasks = [asyncio.create_task(take(name)) for name in "abc"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (order, turns.waiting, turns.waiting_of("b"), turns.taken) == (["a"], 2, 1, 1)
    turns.resize(3, 1)
    await asyncio.sleep(0)
    assert (order, turns.waiting, turns.taken) == (["a", "b", "c"], 0, 3)
    turns.resize(1, 1)
    late = asyncio.create_task(take("d"))
    await asyncio.gather(*tasks, late)
    assert order[-1] == "d" and turns.taken == 0
