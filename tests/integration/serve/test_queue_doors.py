"""Requests that are stored, and a server that has too much to do, at every door."""

import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from mcp import Client

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.mcp.mcp_server import LibraryServer
from tests.integration.engine import percent_script, scripted_engine

HERE = "http://127.0.0.1:8321"
ASK = {"text": "What is 17.5% of 240?"}
LATER = {"prefer": "respond-async"}


def opened(folder: Path, **more: Any) -> TestClient:
    settings = Settings(data_dir=folder, embedder="off", **more)
    models = OneModel(ScriptedModel(percent_script()))
    return TestClient(create_app(settings, models=models), base_url=HERE)


def ended(client: TestClient, run_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        shown = client.get(f"/api/runs/{run_id}").json()
        if shown["status"] != "running":
            return shown
        time.sleep(0.05)
    raise AssertionError("the run did not end")


def test_a_request_is_taken_and_answered_later(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        reply = client.post("/api/ask", json=ASK, headers=LATER)
        assert reply.status_code == 202
        started = reply.json()
        assert reply.headers["location"] == f"/api/runs/{started['run_id']}"
        shown = ended(client, started["run_id"])
        assert shown["answer"]["result"] == 42
        assert shown["session_id"] == started["session_id"]
        with client.websocket_connect(f"ws{HERE[4:]}/ws") as socket:
            socket.send_json({"resume": started["run_id"]})
            kinds = [socket.receive_json()["type"]]
            while kinds[-1] != "query_complete":
                kinds.append(socket.receive_json()["type"])
        assert kinds[0] == "run_started" and "agent_event" in kinds


def test_a_server_that_leaves_runs_to_workers_only_stores_them(tmp_path: Path) -> None:
    with opened(tmp_path, runs_on="workers") as client:
        started = client.post("/api/runs", json=ASK).json()
        waiting = client.get("/api/workers").json()
        deadline = time.monotonic() + 30
        while not waiting["queues"]["run"]["waiting"] and time.monotonic() < deadline:
            time.sleep(0.05)
            waiting = client.get("/api/workers").json()
        assert waiting["queues"]["run"] == {"waiting": 1, "held": 0}
        assert (waiting["runs_on"], waiting["workers"]) == ("workers", [])
        cancelled = client.post(f"/api/runs/{started['run_id']}/cancel").json()
        assert cancelled["status"] == "failed" and cancelled["error"]["code"] == "cancelled"
        later = client.post("/api/ask", json=ASK, headers=LATER).json()
        assert client.post(f"/api/runs/{later['run_id']}/cancel").json()["status"] == "cancelled"
        assert client.get(f"/api/runs/{later['run_id']}").json()["status"] == "cancelled"
        assert client.get("/api/workers").json()["queues"]["run"]["waiting"] == 0
        assert client.post("/api/runs/nothing/cancel").status_code == 404


def full(client: TestClient) -> None:
    """One request may wait, and one does; nobody answers it."""
    body = {"values": {"waiting": 1}, "why": "test"}
    assert client.put("/api/policies/queue", json=body).status_code == 200
    assert client.post("/api/ask", json=ASK, headers=LATER).status_code == 202


def test_too_much_to_do_is_429_with_a_time(tmp_path: Path) -> None:
    with opened(tmp_path, runs_on="workers") as client:
        full(client)
        for headers in (LATER, {}):
            reply = client.post("/api/ask", json=ASK, headers=headers)
            assert reply.status_code == 429
            assert int(reply.headers["retry-after"]) >= 1
            error = reply.json()["error"]
            assert error["code"] == "overloaded" and error["retry_after_s"] >= 1
            assert "1 requests wait already" in error["message"] and "try again in" in error["hint"]


def test_the_websocket_says_the_same(tmp_path: Path) -> None:
    with opened(tmp_path, runs_on="workers") as client:
        full(client)
        with client.websocket_connect(f"ws{HERE[4:]}/ws") as socket:
            socket.send_json(ASK)
            last: dict[str, Any] = {}
            while last.get("type") != "query_complete":
                last = socket.receive_json()
        assert last["error"]["code"] == "overloaded" and last["error"]["retry_after_s"] >= 1


def test_an_agent_is_told_over_a2a(tmp_path: Path) -> None:
    pytest.importorskip("a2a")
    message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": ASK["text"]}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    with opened(tmp_path, runs_on="workers") as client:
        full(client)
        reply = client.post("/a2a", json=call, headers={"a2a-version": "1.0"})
        assert "too much to do" in reply.text


async def test_an_editor_is_told_over_mcp(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path, runs_on="workers") as hs:
        await hs.policies.change("queue", {"waiting": 1}, who="test", why="test")
        await hs.ask_later(ASK["text"])
        async with Client(LibraryServer(hs).server) as client:
            told = await client.call_tool("ask", {"request": ASK["text"]})
        assert told.is_error and "too much to do" in str(told.content)
