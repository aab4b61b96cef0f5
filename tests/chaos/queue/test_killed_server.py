"""A server that is killed with requests at work and waiting: what each client sees, and after."""

import asyncio
import os
import signal
import sys
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.integration.serving import serve

SERVER = """
import sys, time
from pathlib import Path
from tests.integration.engine import percent_script
from tests.integration.held import HeldModel
from tests.integration.serving import serve

served = serve(Path(sys.argv[1]), HeldModel(percent_script()))
print(served.port, flush=True)
time.sleep(600)
"""
ASK: dict[str, Any] = {"text": "What is 17.5% of 240?", "fresh": True}


@asynccontextmanager
async def held_server(data: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A server whose model never replies, and which answers one request at a time."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SERVER,
        str(data),
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        port = int(await asyncio.wait_for(process.stdout.readline(), 90))
        values = {"values": {"at_once": 1}, "why": "test"}
        reply = httpx.put(f"http://127.0.0.1:{port}/api/policies/queue", json=values)
        assert reply.status_code == 200
        yield process, port
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def ended(client: httpx.Client, run_id: str) -> dict[str, Any]:
    until = time.monotonic() + 90
    while time.monotonic() < until:
        shown = client.get(f"/api/runs/{run_id}").json()
        if shown["status"] != "running":
            return shown
        time.sleep(0.05)
    raise AssertionError("the run did not end")


async def test_what_was_taken_in_is_answered_and_what_was_not_can_be_asked_again(
    tmp_path: Path,
) -> None:
    waiting = uuid.uuid4().hex
    async with held_server(tmp_path) as (process, port):
        address = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            works = (await client.post("/api/runs", json=ASK)).json()
            waits = await client.post("/api/runs", json=ASK)
            assert waits.status_code == 202
            held = asyncio.create_task(client.post("/api/ask", json={**ASK, "run_id": waiting}))
            async with connect(f"ws://127.0.0.1:{port}/ws") as socket:
                await socket.send('{"text": "What is 17.5% of 240?", "fresh": true}')
                assert "run_started" in await asyncio.wait_for(socket.recv(), 30)
            process.send_signal(signal.SIGKILL)
            await process.wait()
            with pytest.raises(httpx.TransportError):  # nobody said that it was taken in
                await held
    served = await asyncio.to_thread(serve, tmp_path)
    try:
        with httpx.Client(base_url=served.address, timeout=60) as client:
            for run_id in (works["run_id"], waits.json()["run_id"]):
                shown = await asyncio.to_thread(ended, client, run_id)
                assert shown["answer"]["result"] == 42
            assert client.get(f"/api/runs/{waiting}").status_code == 404  # nothing was begun
            again = client.post("/api/ask", json={**ASK, "run_id": waiting}).json()
            twice = client.post("/api/ask", json={**ASK, "run_id": waiting}).json()
            assert again["result"] == 42 and twice["run_id"] == again["run_id"] == waiting
            sessions = client.get("/api/sessions").json()
    finally:
        served.stop()
    assert len(sessions) == 4  # also the one that was asked over the socket, each once
