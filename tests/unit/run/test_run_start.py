"""When the beginning of a run is recorded: before something is spent, after a moment, or never."""

import asyncio

from hammerstone.run.context import RunStart
from tests.unit.run.made_runs import make_run


class Writes:
    """Counts how often a beginning is written; each takes as long as `gate` is closed."""

    def __init__(self) -> None:
        self.count = 0
        self.gate = asyncio.Event()

    async def __call__(self) -> None:
        await self.gate.wait()
        self.count += 1


async def test_whoever_needs_the_record_waits_until_it_is_written_once() -> None:
    writes, run = Writes(), make_run()
    run.ledger.start = start = RunStart(writes, 60)
    waiting = [asyncio.ensure_future(run.ready()) for _ in range(3)]
    await asyncio.sleep(0)
    assert start.begun and not any(each.done() for each in waiting)
    writes.gate.set()
    await asyncio.gather(*waiting)
    assert writes.count == 1


async def test_a_run_that_takes_a_while_is_recorded_by_itself() -> None:
    writes = Writes()
    writes.gate.set()
    start = RunStart(writes, 0.0)
    assert not start.begun
    for _ in range(5):
        await asyncio.sleep(0)
    assert start.begun and writes.count == 1
    await start.leave_to_the_end()
    assert writes.count == 1


async def test_what_nobody_needed_is_left_to_the_end() -> None:
    writes = Writes()
    writes.gate.set()
    start = RunStart(writes, 0.0)
    await start.leave_to_the_end()
    await asyncio.sleep(0.01)
    assert not start.begun and writes.count == 0


async def test_the_end_waits_for_what_is_being_written() -> None:
    writes = Writes()
    start = RunStart(writes, 60)
    start.begin()
    ending = asyncio.ensure_future(start.leave_to_the_end())
    await asyncio.sleep(0)
    assert not ending.done()
    writes.gate.set()
    await ending
    assert writes.count == 1


async def test_without_a_start_nothing_is_waited_for() -> None:
    await make_run().ready()
