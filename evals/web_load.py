"""Many people on the WebSocket at once: delay of events, errors, and whether memory stays flat.

    python -m evals.web_load [--sessions 200] [--seconds 120] [--json]

A real server in a process of its own with a scripted model, clients in this one. Each session
asks again and again: repeated requests mostly, every tenth with new values (one model call and
one call in the sandbox). An event's delay is the time from its making in the server to its
arrival here; both processes read the same clock.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import websockets

_SERVER = """
import json, sys
from pathlib import Path
import uvicorn
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import percent_script

settings = Settings(data_dir=Path(sys.argv[1]), embedder="off", requests_per_minute=10_000_000)
app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""


class Tally:
    def __init__(self) -> None:
        self.delays_ms: list[float] = []
        self.answers = 0
        self.errors: list[str] = []
        self.memory_mb: list[float] = []


async def _session(number: int, port: int, until: float, tally: Tally) -> None:
    rng = random.Random(number)
    await asyncio.sleep(rng.random() * 2)
    address = f"ws://127.0.0.1:{port}/ws"
    try:
        async with websockets.connect(address, max_size=None, open_timeout=60) as socket:
            while time.monotonic() < until:
                fresh = rng.random() < 0.1
                what = f"{rng.randint(1, 999)}" if fresh else "240"
                await socket.send(json.dumps({"text": f"What is 17.5% of {what}?"}))
                await _follow(socket, tally)
                await asyncio.sleep(0.5 + rng.random() * 2)
    except Exception as error:
        tally.errors.append(f"{type(error).__name__}: {error}")


async def _follow(socket: Any, tally: Tally) -> None:
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 60))
        if message["type"] == "agent_event":
            made = datetime.fromisoformat(message["event"]["at"])
            late = (datetime.now(UTC) - made).total_seconds()
            tally.delays_ms.append(late * 1000)
        elif message["type"] == "query_complete":
            if "error" in message:
                tally.errors.append(str(message["error"]))
            tally.answers += 1
            return


async def _memory(pid: int, until: float, tally: Tally) -> None:
    while time.monotonic() < until:
        status = Path(f"/proc/{pid}/status").read_text()
        kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[
            1
        ]
        tally.memory_mb.append(int(kilobytes) / 1000)
        await asyncio.sleep(2)


async def _load(port: int, pid: int, sessions: int, seconds: float) -> Tally:
    tally = Tally()
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws") as socket:
        await socket.send(json.dumps({"text": "What is 17.5% of 240?"}))
        await _follow(socket, Tally())  # builds the tool, once
    until = time.monotonic() + seconds
    asking = [_session(number, port, until, tally) for number in range(sessions)]
    await asyncio.gather(_memory(pid, until, tally), *asking)
    return tally


def _wait(port: int) -> None:
    import socket

    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--port", type=int, default=8477)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _SERVER, folder, str(args.port)]
        server = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": "src:."})
        try:
            _wait(args.port)
            tally = asyncio.run(_load(args.port, server.pid, args.sessions, args.seconds))
        finally:
            server.terminate()
            server.wait(20)
    delays = sorted(tally.delays_ms)
    third = max(1, len(tally.memory_mb) // 3)
    report = {
        "sessions": args.sessions,
        "seconds": args.seconds,
        "answers": tally.answers,
        "events": len(delays),
        "errors": len(tally.errors),
        "event_delay_p50_ms": round(statistics.median(delays), 2),
        "event_delay_p95_ms": round(delays[int(len(delays) * 0.95)], 2),
        "memory_first_third_mb": round(statistics.mean(tally.memory_mb[:third]), 1),
        "memory_last_third_mb": round(statistics.mean(tally.memory_mb[-third:]), 1),
    }
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        print(f"{name:24} {value}")
    for error in tally.errors[:5]:
        print("  ", error)


if __name__ == "__main__":
    main()
