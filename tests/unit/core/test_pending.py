"""Waiting for what goes on by itself ends, whatever else begins meanwhile."""

import asyncio

from hammerstone.core.pending import Pending


async def test_settling_ends_while_others_go_on_adding() -> None:
    pending = Pending()
    going = True

    async def work() -> None:
        await asyncio.sleep(0.01)

    async def add() -> None:
        while going:
            pending.start(work())
            await asyncio.sleep(0.002)

    adding = asyncio.create_task(add())
    await asyncio.sleep(0.02)
    for _ in range(20):
        await asyncio.wait_for(pending.settle(), 5)
    assert len(pending), "there was always something new"
    going = False
    await adding
    await pending.settle()


async def test_whoever_stops_waiting_breaks_nothing_off() -> None:
    pending = Pending()
    done = asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0.05)
        done.set()

    pending.start(work())
    waiting = asyncio.create_task(pending.settle())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(done.wait(), 5)
