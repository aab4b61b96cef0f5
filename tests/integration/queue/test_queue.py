"""Requests that are stored first: answered by whichever worker comes, watched and cancelled."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.queue.worker_process import WorkerProcess
from hammerstone.core.answers import AnswerStatus
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import (
    BadRequest,
    HammerstoneError,
    NotFound,
    Overloaded,
    Refused,
)
from hammerstone.core.people import PersonRole
from hammerstone.core.workers import WorkerState
from hammerstone.models.fakes.scripted import Line
from hammerstone.run.durable.holding import RUN
from hammerstone.run.request import AskOptions
from tests.integration.engine import Watched, percent_script, scripted_engine, services_of

REQUEST = "What is 17.5% of 240?"


@asynccontextmanager
async def working(
    folder: Path, script: object = None, **more: object
) -> AsyncIterator[tuple[Hammerstone, WorkerProcess]]:
    """A worker in an engine of its own on the same database."""
    async with scripted_engine(script or percent_script(), folder) as hs:  # type: ignore[arg-type]
        process = WorkerProcess(hs, **more)  # type: ignore[arg-type]
        task = asyncio.create_task(process.work())
        yield hs, process
        process.end()
        await asyncio.wait_for(task, 90)


async def until(met: object, within_s: float = 90.0) -> None:
    async with asyncio.timeout(within_s):
        while not await met():  # type: ignore[operator]
            await asyncio.sleep(0.02)


async def test_a_worker_answers_what_another_process_is_asked(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path, runs_on="workers") as door:
        async with working(tmp_path) as (_, _process):
            seen = Watched()
            answer = await asyncio.wait_for(door.ask(REQUEST, session="s", on_event=seen), 90)

        assert (answer.result, answer.status) == (42.0, AnswerStatus.DONE)
        stored = await services_of(door).records.db.events.of_run(answer.run_id)
        assert [event.number for event in seen.events] == [event.number for event in stored]
        assert await services_of(door).records.db.jobs.find(RUN, answer.run_id) is None


async def test_a_request_can_be_left_and_looked_up_later(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as door:
        queued = await door.ask_later(REQUEST, session="s")
        row, said = await door.sessions.run(queued.run_id, "local")
        assert (row.status, said) == ("running", [])
        assert (await door.queue.counts("local")).waiting_of_person == 1

        async with working(tmp_path, only=["run"]):
            done = services_of(door).records.db.runs

            async def ended() -> bool:
                return (await done.get(queued.run_id)).status == "done"

            await until(ended)
        row, said = await door.sessions.run(queued.run_id, "local")
        assert isinstance(row.answer, dict) and row.answer["result"] == 42.0
        assert len(said) == len({event.number for event in said}) > 2


async def test_files_come_along(tmp_path: Path):
    given = tmp_path / "given" / "numbers.txt"
    given.parent.mkdir()
    given.write_text("1\n2\n")
    async with scripted_engine(percent_script(), tmp_path) as door:
        queued = await door.ask_later(REQUEST, files=[given], session="s")
        given.unlink()
        rows = await services_of(door).records.db.artifacts.of_session(
            "s", services_of(door).records.clock.now()
        )
        assert [(row.name, row.run_id) for row in rows] == [("numbers.txt", queued.run_id)]


async def test_what_is_private_is_not_stored(tmp_path: Path):
    secret = "Is sk-proj-Abcdefghij1234567890Klmnopqrst a good key?"
    async with scripted_engine(percent_script(), tmp_path) as door:
        with pytest.raises(Refused, match="private"):
            await door.ask_later(secret)
        assert (await door.queue.counts()).waiting == 0


async def test_another_ones_session_is_not_to_be_had(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as door:
        await door.ask_later(REQUEST, session="s", options=AskOptions(user="ann"))
        with pytest.raises(NotFound):
            await door.ask_later(REQUEST, session="s", options=AskOptions(user="bob"))
        assert (await door.queue.counts()).waiting == 1


async def test_a_run_that_waits_is_cancelled_and_never_begun(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as door:
        queued = await door.ask_later(REQUEST, session="s")
        with pytest.raises(NotFound):
            await door.queue.cancel(queued.run_id, "somebody else")
        await door.queue.cancel(queued.run_id, "local")

        row, said = await door.sessions.run(queued.run_id, "local")
        assert (row.status, [event.text for event in said]) == ("cancelled", ["stopped"])
        assert await door.waking.do_next() is None


async def test_a_run_of_another_process_is_cancelled(tmp_path: Path):
    hung = asyncio.Event()

    async def never(*_: object) -> None:
        hung.set()
        await asyncio.sleep(60)

    async with (
        scripted_engine(percent_script(), tmp_path, runs_on="workers") as door,
        working(tmp_path) as (hs, _),
    ):
        hs._answerer._decide = never  # type: ignore[method-assign]
        asking = asyncio.create_task(door.ask(REQUEST, session="s"))
        await asyncio.wait_for(hung.wait(), 90)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        db = services_of(door).records.db

        async def ended() -> bool:
            return not await db.open_runs.list(())

        await until(ended)
        (row,) = await db.runs.of_session("s")
        assert (row.status, await db.jobs.list(RUN)) == ("failed", [])
        assert "cancelled" in str(row.answer)


async def test_too_many_waiting_are_told_when_to_come_again(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as door:
        await door.policies.change(
            "queue", {"waiting_per_person": 2, "waiting": 3}, who="t", why="t"
        )
        for _ in range(2):
            await door.ask_later(REQUEST, options=AskOptions(user="ann"))
        with pytest.raises(Overloaded, match="2 of your requests wait") as ann:
            await door.ask_later(REQUEST, options=AskOptions(user="ann"))
        assert ann.value.data["retry_after_s"] >= 1
        await door.ask_later(REQUEST, options=AskOptions(user="bob"))
        with pytest.raises(Overloaded, match="3 requests wait"):
            await door.ask_later(REQUEST, options=AskOptions(user="cy"))


async def test_one_process_takes_on_no_more_than_its_limits(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as hs:
        limits = {"at_once": 1, "at_once_per_person": 1, "waiting_per_person": 1}
        await hs.policies.change("queue", {**limits, "longest_wait_s": 0.2}, who="t", why="t")
        async with hs.turns.turn("ann"):
            waiting = asyncio.create_task(hs.ask(REQUEST, options=AskOptions(user="bob")))
            await asyncio.sleep(0.05)
            assert hs.turns.counts == (1, 1)
            with pytest.raises(Overloaded, match="1 of your requests"):
                await hs.ask(REQUEST, options=AskOptions(user="bob"))
            with pytest.raises(Overloaded, match="did not come within"):
                await waiting
        assert hs.turns.counts == (0, 0)
        assert (await hs.ask(REQUEST)).result == 42.0


async def test_a_worker_is_listed_while_it_lives(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as door:
        alive = tmp_path / "alive"
        async with working(tmp_path, name="w1", only=["run", "proof"], alive=alive):

            async def listed() -> bool:
                return bool(await door.workers.list())

            await until(listed)
            (worker,) = await door.workers.list()
            assert (worker.name, worker.kinds) == ("w1", ("run", "proof"))
            assert worker.state is WorkerState.WORKING and not door.workers.silent(worker)
            assert alive.exists()
            shown = await door.workers.show()
            assert shown["queues"]["run"] == {"waiting": 0, "held": 0}  # type: ignore[index]
        assert await door.workers.list() == []


async def test_a_worker_that_is_told_to_end_finishes_what_it_holds(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as door:
        for number in range(3):
            await door.ask_later(f"What is 17.5% of 24{number}?", session=f"s{number}")
        async with scripted_engine(percent_script(), tmp_path) as hs:
            process = WorkerProcess(hs, concurrency=1, only=["run"])
            task = asyncio.create_task(process.work())

            async def begun() -> bool:
                return bool(hs.waking.doing)

            await until(begun)
            process.end()
            assert await asyncio.wait_for(task, 90) is True
        counts = await door.queue.counts()
        assert (counts.waiting, counts.held) == (2, 0)


async def test_what_a_worker_cannot_finish_is_given_back_at_once(tmp_path: Path):
    hung = asyncio.Event()

    async def never(*_: object) -> None:
        hung.set()
        await asyncio.sleep(60)

    async with scripted_engine(percent_script(), tmp_path) as door:
        await door.policies.change("queue", {"grace_s": 0.1}, who="t", why="t")
        queued = await door.ask_later(REQUEST, session="s")
        async with scripted_engine(percent_script(), tmp_path) as hs:
            hs._answerer._decide = never  # type: ignore[method-assign]
            process = WorkerProcess(hs, only=["run"])
            task = asyncio.create_task(process.work())
            await asyncio.wait_for(hung.wait(), 90)
            process.end()
            assert await asyncio.wait_for(task, 90) is False
        counts = await door.queue.counts()
        assert (counts.waiting, counts.held) == (1, 0)
        job = await services_of(door).records.db.jobs.find(RUN, queued.run_id)
        assert job is not None and job.attempts == 0  # giving it back was no attempt
        answer = await door.waking.do_next()
        assert answer is not None and answer.result == 42.0


async def test_a_kind_of_work_that_is_not_known_is_refused(tmp_path: Path):
    async with scripted_engine(percent_script(), tmp_path) as hs:
        with pytest.raises(BadRequest, match="no work of kind 'dreams'"):
            WorkerProcess(hs, only=["dreams"])


async def test_an_error_of_a_run_elsewhere_is_told(tmp_path: Path):
    def broken(prompt: Prompt) -> Line:
        raise AssertionError("nothing to say")

    async with (
        scripted_engine(percent_script(), tmp_path, runs_on="workers") as door,
        working(tmp_path, broken),
    ):
        with pytest.raises(HammerstoneError, match="internal error"):
            await asyncio.wait_for(door.ask(REQUEST, session="s"), 90)


async def test_persons_of_other_doors_are_answered_and_those_who_lost_access_are_not(
    tmp_path: Path,
):
    async with scripted_engine(percent_script(), tmp_path) as door:
        await door.people.add("olga", PersonRole.OWNER, who="local")
        await door.people.add("bob", PersonRole.MEMBER, who="local")
        theirs = {
            name: await door.ask_later(REQUEST, session=name, options=AskOptions(user=name))
            for name in ("ann", "bob")
        }
        await door.people.revoke("bob")
        db = services_of(door).records.db
        async with working(tmp_path, only=["run"]):

            async def ended() -> bool:
                return not await db.open_runs.list(())

            await until(ended)
        rows = {name: await db.runs.get(run.run_id) for name, run in theirs.items()}
        assert {name: row.status for name, row in rows.items()} == {"ann": "done", "bob": "failed"}
        assert "no access any more" in str(rows["bob"].answer)
