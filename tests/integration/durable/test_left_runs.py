"""Requests that a process had taken in when it was told to end: the next one answers them all."""

import asyncio
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Event
from hammerstone.core.settings import Settings
from hammerstone.models.one import OneModel
from hammerstone.run.answering import Answerer
from hammerstone.run.durable.holding import RUN
from hammerstone.run.request import AskOptions
from tests.integration.engine import percent_script, scripted_engine, services_of
from tests.integration.held import HeldModel

REQUEST = "What is 17.5% of 240?"


async def stopped_at(folder: Path, events: int) -> int:
    """End a process that has shown so many events of a request; how many were shown."""
    settings = Settings(data_dir=folder, embedder="off")
    shown = 0
    enough = asyncio.Event()

    async def count(_event: Event) -> None:
        nonlocal shown
        shown += 1
        if shown == events:
            enough.set()
            await asyncio.sleep(600)  # whatever comes next has not happened yet

    async with Hammerstone.open(settings, models=OneModel(HeldModel(percent_script()))) as hs:
        options = AskOptions(run_id="r")
        asking = asyncio.create_task(hs.ask(REQUEST, session="s", on_event=count, options=options))
        if events:
            await enough.wait()
        else:
            while not services_of(hs).guards.stop._watched:  # it has begun
                await asyncio.sleep(0)
        hs.leave_runs()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    return shown


@pytest.mark.parametrize("events", [0, 1, 2])
async def test_a_run_is_left_to_the_next_process_also_before_it_was_stored(
    tmp_path: Path, events: int
) -> None:
    assert await stopped_at(tmp_path, events) == events
    async with scripted_engine(percent_script(), tmp_path) as hs:
        (broken,) = await hs.waking.broken_off("local", "s")
        (answer,) = await hs.wake("s")
        row = await services_of(hs).records.db.runs.get("r")
        stored = await services_of(hs).records.db.events.of_run("r")
    assert broken.run_id == "r" and answer.result == 42 and row.status == "done"
    assert [event.number for event in stored] == [*range(len(stored))]


async def test_a_process_ends_while_it_stores_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        holds = hs._holds
        take, storing, goes_on = holds.take, asyncio.Event(), asyncio.Event()

        async def slow(*given: object) -> object:
            storing.set()
            await goes_on.wait()
            return await take(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(holds, "take", slow)
        asking = asyncio.create_task(hs.ask(REQUEST, session="s", options=AskOptions(run_id="r")))
        await storing.wait()
        hs.leave_runs()
        asking.cancel()
        await asyncio.sleep(0.05)
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await asking
    async with scripted_engine(percent_script(), tmp_path) as hs:
        (answer,) = await hs.wake("s")
    assert (answer.run_id, answer.result) == ("r", 42)


async def test_a_request_that_waits_for_its_turn_is_left_to_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = asyncio.Event()

    async def never(*_: object) -> None:
        began.set()
        await asyncio.sleep(600)

    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.policies.change("queue", {"at_once": 1}, who="test", why="one after the other")
        monkeypatch.setattr(Answerer, "answer", never)
        tasks = [asyncio.create_task(hs.ask("first", options=AskOptions(run_id="first")))]
        await began.wait()
        options = AskOptions(run_id="second")
        tasks.append(asyncio.create_task(hs.ask(REQUEST, session="s", options=options)))
        while hs.turns.counts != (1, 1):
            await asyncio.sleep(0.01)
        hs.leave_runs()
        for task in reversed(tasks):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        monkeypatch.undo()
    async with scripted_engine(percent_script(), tmp_path) as hs:
        (job,) = await services_of(hs).records.db.jobs.list(RUN)
        (answer,) = await hs.wake("s")
    assert (job.key, job.holder) == ("second", "")
    assert (answer.run_id, answer.result) == ("second", 42)


async def test_a_process_that_hung_for_longer_than_its_lease_does_not_begin_its_own_run_again(
    tmp_path: Path,
) -> None:
    model = HeldModel(percent_script())
    settings = Settings(data_dir=tmp_path, embedder="off")
    async with Hammerstone.open(settings, models=OneModel(model)) as hs:
        asking = asyncio.create_task(hs.ask(REQUEST, session="s", options=AskOptions(run_id="r")))
        jobs = services_of(hs).records.db.jobs
        while not (held := await jobs.list(RUN)):
            await asyncio.sleep(0.01)
        await jobs.end_lease(held[0])  # as after a pause of the whole machine
        assert await hs.waking.do_next() is None
        assert await hs.waking.broken_off() == []
        model.released.set()
        answer = await asking
        row = await services_of(hs).records.db.runs.get("r")
    assert (answer.result, row.status) == (42, "done")
    assert len(model.prompts) == len({repr(prompt) for prompt in model.prompts})
