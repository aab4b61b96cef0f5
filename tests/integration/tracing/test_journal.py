"""Traces of processes that were killed, and of stores that were down."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError
from hammerstone.tracing import FinishedTrace, SpanStatus, Tracer, span
from hammerstone.tracing.journal import Journal
from hammerstone.tracing.scrub import Scrubber
from hammerstone.tracing.traces import from_json, to_json

VICTIM = """
import asyncio, sys
from pathlib import Path
from hammerstone.tracing import Tracer, span
from hammerstone.tracing.journal import Journal
from hammerstone.tracing.scrub import Scrubber

async def main():
    tracer = Tracer([], Scrubber(), journal=Journal(Path(sys.argv[1])))
    async with tracer.trace("fine"):
        pass
    async with tracer.trace("ask", user="ada", run_id="r1", input="mail ada@example.com"):
        with span("execute_tool t", kind="tool") as tool:
            tool.fail("no such file for bob@example.com")
        with span("long", kind="step"):
            print("ready", flush=True)
            await asyncio.sleep(60)

asyncio.run(main())
"""


class Store:
    def __init__(self) -> None:
        self.traces: list[FinishedTrace] = []
        self.down = False

    async def export(self, trace: FinishedTrace) -> None:
        if self.down:
            raise ConnectionError("the database is down")
        self.traces.append(trace)

    async def close(self) -> None: ...


async def test_the_trace_of_a_killed_process_is_exported_by_the_next_one(tmp_path: Path) -> None:
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert victim.stdout is not None
    assert victim.stdout.readline() == "ready\n"
    store = Store()
    tracer = Tracer([store], Scrubber(), journal=Journal(tmp_path))
    assert await tracer.recover() == 0  # it lives: its traces are its own

    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    assert await tracer.recover() == 1
    assert await tracer.recover() == 0
    (trace,) = store.traces
    assert (trace.name, trace.user, trace.run_id) == ("ask", "ada", "r1")
    assert trace.status is SpanStatus.ERROR
    assert trace.error == "the process ended before the trace did"
    assert trace.input == "mail [email]"
    assert [(s.name, s.error) for s in trace.spans[1:]] == [
        ("execute_tool t", "no such file for [email]")
    ]
    assert trace.spans[1].parent_id == trace.root.span_id
    await tracer.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_trace_that_the_store_refused_is_exported_whole_later(tmp_path: Path) -> None:
    store = Store()
    store.down = True
    tracer = Tracer([store], Scrubber(), journal=Journal(tmp_path))
    async with tracer.trace("ask", user="ada") as root:
        with span("step", kind="step", input={"a": [1, 2.5, None]}):
            pass
        root.output = "4"
    await tracer.close()

    store.down = False
    later = Tracer([store], Scrubber(), journal=Journal(tmp_path))
    assert await later.recover() == 1
    (trace,) = store.traces
    assert (trace.status, trace.output, len(trace.spans)) == (SpanStatus.SUCCESS, "4", 2)
    assert trace.spans[1].input == {"a": [1, 2.5, None]}
    assert from_json(json.loads(json.dumps(to_json(trace)))) == trace
    await later.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_trace_the_store_still_refuses_stays_for_the_next_time(tmp_path: Path) -> None:
    store = Store()
    store.down = True
    for _ in range(2):
        tracer = Tracer([store], Scrubber(), journal=Journal(tmp_path))
        assert await tracer.recover() == 0
        if not any(tmp_path.rglob("*.json")):
            async with tracer.trace("ask"):
                pass
        await tracer.close()
    store.down = False
    last = Tracer([store], Scrubber(), journal=Journal(tmp_path))
    assert await last.recover() == 1
    await last.close()


async def test_notes_that_are_cut_off_or_nonsense_do_not_stop_the_recovery(tmp_path: Path) -> None:
    store = Store()
    tracer = Tracer([store], Scrubber(), journal=Journal(tmp_path))
    with tracer.trace("cut"):
        (note,) = await _notes(tmp_path)
        text = note.read_text()
    dead = tmp_path / "dead"
    dead.mkdir()
    (dead / "lock").touch()
    (dead / "a.jsonl").write_text(text + '{"name": "half a li')
    (dead / "b.jsonl").write_text("not json")
    (dead / "c.json").write_text("{}")
    (dead / "d.jsonl").write_text("")
    assert await tracer.recover() == 1
    assert store.traces[-1].error == "the process ended before the trace did"
    assert not dead.exists()
    await tracer.close()


async def _notes(folder: Path) -> list[Path]:
    """The notes of open traces, once there are some."""
    async with asyncio.timeout(10):
        while not (found := list(folder.rglob("*.jsonl"))):
            await asyncio.sleep(0.01)
    return found


async def test_a_note_is_left_once_a_trace_takes_a_while_or_fails(tmp_path: Path) -> None:
    tracer = Tracer([], Scrubber(), journal=Journal(tmp_path))
    async with tracer.trace("quick"):
        pass
    assert not list(tmp_path.rglob("*.jsonl"))
    async with tracer.trace("failing"):
        with span("step", kind="step") as step:
            step.fail("no")
        (note,) = tmp_path.rglob("*.jsonl")
        assert [json.loads(line).get("name") for line in note.read_text().splitlines()] == [
            None,
            "failing",
            "step",
        ]
    async with tracer.trace("long") as root:
        assert not list(tmp_path.rglob("*.jsonl"))
        (note,) = await _notes(tmp_path)
        assert note.stem == root.trace_id
    assert not list(tmp_path.rglob("*.jsonl"))
    await tracer.close()


def test_outside_of_a_loop_a_note_is_left_at_once(tmp_path: Path) -> None:
    tracer = Tracer([], Scrubber(), journal=Journal(tmp_path))
    with tracer.trace("ask") as root:
        (note,) = tmp_path.rglob("*.jsonl")
        assert note.stem == root.trace_id
    assert not list(tmp_path.rglob("*.jsonl"))
    asyncio.run(tracer.close())


async def test_a_full_disk_does_not_fail_the_request(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    store = Store()
    tracer = Tracer([store], Scrubber(), journal=journal)
    (own,) = tmp_path.iterdir()
    (own / "lock").unlink()
    own.rmdir()
    with pytest.raises(ValueError, match="no"):
        async with tracer.trace("ask"):
            with span("step", kind="step") as step:
                step.fail("no")
            raise ValueError("no")
    assert len(store.traces) == 1
    await tracer.close()


def test_a_folder_that_cannot_be_made_is_said_clearly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataDirectoryError, match="cannot be kept"):
        Journal(tmp_path / "file")


async def test_leaving_a_note_is_cheap(tmp_path: Path) -> None:
    tracer = Tracer([], Scrubber(), journal=Journal(tmp_path))
    began = time.process_time()
    for _ in range(100):
        tracer._note(tracer.trace("ask", input="What is 2+2?"))
    assert (time.process_time() - began) / 100 < 0.01
    await tracer.close()
