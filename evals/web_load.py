"""Many people on the WebSocket at once: delay of events, errors, and whether memory stays flat.

    python -m evals.web_load [--set instant|quick|full] [--json]

A real server in a process of its own with a scripted model, clients in this one. Each session
asks again and again: repeated requests mostly, every tenth with new values (one model call and
one call in the sandbox). An event's delay is the time from its making in the server to its
arrival here; both processes read the same clock. Memory is compared after the first third, when
every cache that has a size has reached it. Ends with 1 if an answer was missing.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import websockets

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
)

_SERVER = """
import socket, sys
from pathlib import Path
import uvicorn
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import percent_script

settings = Settings(data_dir=Path(sys.argv[1]), embedder="off", requests_per_minute=10_000_000)
app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
"""
_WITHIN_S = 60.0


@dataclass
class Tally:
    delays_ms: list[float] = field(default_factory=list[float])
    answers_s: list[float] = field(default_factory=list[float])
    errors: list[str] = field(default_factory=list[str])
    memory_mb: list[float] = field(default_factory=list[float])

    def report(self) -> dict[str, Any]:
        third = max(1, len(self.memory_mb) // 3)
        early, late = self.memory_mb[third : 2 * third], self.memory_mb[-third:]
        return {
            "answers": len(self.answers_s),
            "events": len(self.delays_ms),
            "errors": len(self.errors),
            "event_delay_p50_ms": round(statistics.median(self.delays_ms), 2),
            "event_delay_p95_ms": round(_share(self.delays_ms, 0.95), 2),
            "answer_p50_s": round(statistics.median(self.answers_s), 2),
            "answer_p95_s": round(_share(self.answers_s, 0.95), 2),
            "answer_max_s": round(max(self.answers_s), 2),
            "memory_second_third_mb": round(statistics.mean(early or late), 1),
            "memory_last_third_mb": round(statistics.mean(late), 1),
        }


def _share(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


async def _session(number: int, port: int, until: float, tally: Tally) -> None:
    rng = random.Random(number)
    await asyncio.sleep(rng.random() * 2)
    address = f"ws://127.0.0.1:{port}/ws"
    try:
        async with websockets.connect(address, max_size=None, open_timeout=_WITHIN_S) as socket:
            while time.monotonic() < until:
                fresh = rng.random() < 0.1
                what = f"{rng.randint(1, 999)}" if fresh else "240"
                await _ask(socket, f"What is 17.5% of {what}?", tally)
                await asyncio.sleep(0.5 + rng.random() * 2)
    except Exception as error:
        tally.errors.append(f"{type(error).__name__}: {error}")


async def _ask(socket: Any, text: str, tally: Tally) -> None:
    """Send a request and follow it to its end; no word for a minute counts as an error."""
    asked = time.monotonic()
    await socket.send(json.dumps({"text": text}))
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), _WITHIN_S))
        if message["type"] == "agent_event":
            made = datetime.fromisoformat(message["event"]["at"])
            late = (datetime.now(UTC) - made).total_seconds()
            tally.delays_ms.append(late * 1000)
        elif message["type"] == "query_complete":
            if "error" in message:
                tally.errors.append(str(message["error"]))
            tally.answers_s.append(time.monotonic() - asked)
            return


async def _memory(pid: int, until: float, tally: Tally) -> None:
    while time.monotonic() < until:
        status = Path(f"/proc/{pid}/status").read_text()
        resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        tally.memory_mb.append(int(resident.split()[1]) / 1000)
        await asyncio.sleep(1)


async def _load(port: int, pid: int, sessions: int, seconds: float) -> Tally:
    tally = Tally()
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws") as socket:
        await _ask(socket, "What is 17.5% of 240?", Tally())  # builds the tool, once
    until = time.monotonic() + seconds
    asking = [_session(number, port, until, tally) for number in range(sessions)]
    await asyncio.gather(_memory(pid, until, tally), *asking)
    return tally


async def _answering(port: int) -> None:
    deadline = time.monotonic() + _WITHIN_S
    while time.monotonic() < deadline:
        try:
            async with websockets.connect(f"ws://127.0.0.1:{port}/ws"):
                return
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the server did not start")


def measure(sessions: int, seconds: float) -> Tally:
    """What so many people met at a server of their own."""

    async def all_of_it(port: int, pid: int) -> Tally:
        await _answering(port)
        return await _load(port, pid, sessions, seconds)

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _SERVER, folder]
        paths = os.pathsep.join(["src", ".", os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": paths}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout is not None
                port = int(server.stdout.readline())
                return asyncio.run(all_of_it(port, server.pid))
            finally:
                server.terminate()


def measure_report(sessions: int, seconds: float) -> dict[str, Any]:
    tally = measure(sessions, seconds)
    return tally.report() | {"said": tally.errors[:5]}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Many people at once: no error, and memory that stays flat."""
    sessions, seconds = amount(context, instant=(20, 5.0), quick=(50, 15.0), full=(200, 120.0))
    report = await own_process(measure_report, sessions=sessions, seconds=seconds)
    said = "\n".join(report.pop("said"))
    yield case(f"{sessions} sessions", not report["errors"], report, given=said, wanted="no error")
    yield lower("errors", report["errors"], "count", target=0)
    yield lower("delay of an event, median", report["event_delay_p50_ms"])
    yield lower("delay of an event, p95", report["event_delay_p95_ms"])
    yield lower("an answer, p95", report["answer_p95_s"], "s")
    yield lower(
        "memory in the last third", report["memory_last_third_mb"], "MB",
        baseline=report["memory_second_third_mb"], baseline_name="the third before",
    )  # fmt: skip


if __name__ == "__main__":
    measured("web_load")
