"""Processes that are killed, or start together: nothing half done stays, nothing done is lost."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hammerstone.storage import Database
from hammerstone.storage.files.check import check

WRITER = Path(__file__).with_name("writer.py")
EVENTS = 10


def start(url: str, name: str, count: int, *mode: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), url, name, str(count), *mode]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def lines(process: subprocess.Popen[str]) -> list[str]:
    with process:
        assert process.stdout is not None
        return process.stdout.read().split()


@pytest.mark.parametrize("after_batches", [1, 7])
async def test_killed_while_writing(empty_url: str, after_batches: int):
    process = start(empty_url, "victim", 100_000)
    assert process.stdout is not None
    confirmed = -1
    for line in process.stdout:
        if line.strip().isdigit():
            confirmed = int(line)
        if confirmed >= after_batches:
            break
    os.kill(process.pid, signal.SIGKILL)
    rest = [int(word) for word in lines(process) if word.isdigit()]
    confirmed = max([confirmed, *rest])

    database = await Database.open_url(empty_url)
    stored = {session.id for session in await database.sessions.list("victim", 1_000_000)}
    assert {f"victim-{n}" for n in range(confirmed + 1)} <= stored
    assert len(stored) <= confirmed + 2  # at most one was stored and not yet confirmed
    for run in stored:
        assert len(await database.events.of_run(run)) == EVENTS
        assert len(await database.messages.recent(run)) == 1
    assert (await check(database)).problems == []
    await database.close()


async def test_killed_while_migrating(empty_url: str):
    process = start(empty_url, "early", 1, "stop-in-migration")
    assert process.stdout is not None
    assert process.stdout.readline() == "migrating\n"
    waiting = asyncio.create_task(Database.open_url(empty_url))  # held off by the first one
    await asyncio.sleep(0.3)
    assert not waiting.done()
    os.kill(process.pid, signal.SIGKILL)
    lines(process)
    database = await waiting
    assert database.found_revision is None  # nothing of the first one's work had stayed
    assert (await check(database)).problems == []
    await database.sessions.create("ada")
    await database.close()


async def test_many_processes_start_on_a_new_database_at_once(empty_url: str):
    processes = [start(empty_url, f"p{n}", 10) for n in range(4)]
    outputs = await asyncio.gather(*(asyncio.to_thread(lines, each) for each in processes))
    assert [output[0] for output in outputs] == ["open"] * 4
    assert [output[-1] for output in outputs] == ["9"] * 4, outputs  # no lock errors
    database = await Database.open_url(empty_url)
    for n in range(4):
        assert len(await database.sessions.list(f"p{n}", 1000)) == 10
    report = await check(database)
    assert report.problems == []
    assert report.rows["events"] == 4 * 10 * EVENTS
    await database.close()
