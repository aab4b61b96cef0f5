"""Worker processes that are killed, hang, or are told to end: the work goes on elsewhere."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.run.durable.holding import RUN
from tests.integration.engine import percent_script, scripted_engine, services_of

pytestmark = pytest.mark.usefixtures("proved_folder")
REQUEST = "What is 17.5% of 240?"
WORKER = """
import asyncio, os, signal, sys
from pathlib import Path
from hammerstone.app.queue.worker_process import WorkerProcess
from tests.integration.engine import percent_script, scripted_engine

async def main():
    script = percent_script()

    def line(prompt):
        with open(sys.argv[3], "a") as paid:
            paid.write(prompt.purpose + "\\n")
        if sys.argv[2] == "poisoned":
            os.kill(os.getpid(), signal.SIGKILL)
        return script(prompt)

    async with scripted_engine(line, Path(sys.argv[1])) as hs:
        if sys.argv[2] in ("slow", "stuck"):
            recorded = hs._answerer._recorder.finish

            async def finish(run, answer):
                print("paid", flush=True)
                if sys.argv[2] == "stuck":
                    import time
                    time.sleep(6)  # the whole loop: no lease is renewed
                else:
                    await asyncio.sleep(600)
                await recorded(run, answer)

            hs._answerer._recorder.finish = finish
        process = WorkerProcess(hs, name=sys.argv[2], only=["run"])
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, process.end)
        finished = await process.work()
        print("finished" if finished else "given back", flush=True)

asyncio.run(main())
"""


@asynccontextmanager
async def worker(data: Path, how: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WORKER,
        str(data),
        how,
        str(data / "paid"),
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), 90)).decode().strip()


async def until(met: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(90):
        while not await met():
            await asyncio.sleep(0.05)


async def status(hs: Hammerstone, run_id: str) -> str:
    return (await services_of(hs).records.db.runs.get(run_id)).status


async def test_what_a_killed_worker_did_is_finished_by_another_and_paid_once(
    proved_folder: Path,
):
    async with scripted_engine(percent_script(), proved_folder) as hs:
        queued = await hs.ask_later(REQUEST, session="s")
        async with worker(proved_folder, "slow") as first:
            assert await said(first) == "paid"
            assert [one.name for one in await hs.workers.list()] == ["slow"]
            first.send_signal(signal.SIGKILL)
            await first.wait()
        assert await hs.workers.list() == [], "a dead worker was listed"
        paid = (proved_folder / "paid").read_text().split()
        async with worker(proved_folder, "quick") as second:

            async def done() -> bool:
                return await status(hs, queued.run_id) == "done"

            await until(done)
            second.send_signal(signal.SIGTERM)
            assert await said(second) == "finished"

        assert (proved_folder / "paid").read_text().split() == paid  # nothing was paid again
        events = await services_of(hs).records.db.events.of_run(queued.run_id)
        assert [event.number for event in events] == [*range(len(events))]
        assert [str(event.kind) for event in events].count("done") == 1
        messages = await services_of(hs).records.db.messages.recent("s")
        assert [message.author for message in messages] == ["user", "assistant"]


async def test_a_worker_that_is_told_to_end_gives_back_what_it_cannot_finish(
    proved_folder: Path,
):
    async with scripted_engine(percent_script(), proved_folder) as hs:
        await hs.policies.change("queue", {"grace_s": 0.2}, who="test", why="short")
        queued = await hs.ask_later(REQUEST, session="s")
        async with worker(proved_folder, "slow") as first:
            assert await said(first) == "paid"
            first.send_signal(signal.SIGTERM)
            assert await said(first) == "given back"
        job = await services_of(hs).records.db.jobs.find(RUN, queued.run_id)
        assert job is not None and (job.holder, job.attempts) == ("", 0)
        answer = await hs.waking.do_next(queued.run_id)
        assert answer is not None and answer.result == 42.0


async def test_a_worker_whose_loop_hangs_loses_its_run_and_changes_nothing(proved_folder: Path):
    async with scripted_engine(percent_script(), proved_folder) as hs:
        await hs.policies.change("durability", {"lease_s": 2.0}, who="test", why="short")
        queued = await hs.ask_later(REQUEST, session="s")
        async with worker(proved_folder, "stuck") as stuck:
            assert await said(stuck) == "paid"

            async def taken() -> bool:
                answer = await hs.waking.do_next(queued.run_id)
                return answer is not None and answer.result == 42.0

            await until(taken)
            await asyncio.sleep(6)  # it goes on, and wants to record its answer
            stuck.send_signal(signal.SIGTERM)
            await said(stuck)
        messages = await services_of(hs).records.db.messages.recent("s")
        assert [message.author for message in messages] == ["user", "assistant"]
        assert await status(hs, queued.run_id) == "done"


async def test_a_run_that_kills_its_worker_each_time_is_put_aside(proved_folder: Path):
    async with scripted_engine(percent_script(), proved_folder) as hs:
        queued = await hs.ask_later(REQUEST, session="s")
        for _ in range(3):
            async with worker(proved_folder, "poisoned") as dying:
                await asyncio.wait_for(dying.wait(), 90)
        async with worker(proved_folder, "quick"):

            async def ended() -> bool:
                return await status(hs, queued.run_id) == "failed"

            await until(ended)
        row = await services_of(hs).records.db.runs.get(queued.run_id)
        assert "given up after 3 attempts" in str(row.answer)
        assert (proved_folder / "paid").read_text().split().count("solution") == 3
