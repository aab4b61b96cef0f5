"""Work in the background never piles up, and whoever waits for room gets it in turn."""

import asyncio

from hammerstone.run.answering import _MOST_WAITING, Background


async def test_who_waits_for_room_gets_it_in_turn() -> None:
    background = Background()
    going = [asyncio.Event() for _ in range(_MOST_WAITING)]
    for event in going:
        await background.add(_until(event), "test")
    came: list[int] = []

    async def enter(number: int) -> None:
        await background.add(_until(going[-1]), "test")
        came.append(number)

    waiting = [asyncio.create_task(enter(number)) for number in range(3)]
    await asyncio.sleep(0)
    assert came == []
    for event in going[:3]:
        event.set()
    await asyncio.wait_for(asyncio.gather(*waiting), 5)
    assert came == [0, 1, 2]
    for event in going:
        event.set()
    await background.settle()
    assert background.idle


async def test_who_stops_waiting_for_room_leaves_nothing_behind() -> None:
    background = Background()
    held = asyncio.Event()
    for _ in range(_MOST_WAITING):
        await background.add(_until(held), "test")
    waiting = asyncio.create_task(background.add(_until(held), "test"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    held.set()
    await background.settle()
    await asyncio.wait_for(background.add(_until(held), "test"), 5)
    await background.settle()


async def _until(event: asyncio.Event) -> None:
    await event.wait()
