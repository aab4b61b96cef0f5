"""Runs that outlive their watchers, and what belongs to whom."""

import errno
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.storage.access import PooledAccess
from hammerstone.storage.files.location import unusable
from tests.integration.engine import percent_script
from tests.integration.held import HeldModel

HERE = "http://127.0.0.1:8321"
SOCKET = f"ws{HERE[4:]}/ws"
ASKED = {"text": "What is 17.5% of 240?"}


def opened(tmp_path: Path, model: ScriptedModel | None = None, **settings: Any) -> TestClient:
    chosen = Settings(data_dir=tmp_path, embedder="off", **settings)
    app = create_app(chosen, models=OneModel(model or ScriptedModel(percent_script())))
    return TestClient(app, base_url=HERE)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path) as one:
        yield one


def drain(socket: Any) -> list[dict[str, Any]]:
    messages = [socket.receive_json()]
    while messages[-1]["type"] != "query_complete":
        messages.append(socket.receive_json())
    return messages


def test_a_closed_socket_does_not_stop_the_run_and_another_takes_it_up(tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    with opened(tmp_path, held) as client:
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json(ASKED)
            run = socket.receive_json()["run_id"]
            first = socket.receive_json()
            assert first["type"] == "agent_event" and first["number"] == 0
        assert client.get("/api/runs").json()[0]["status"] == "running"
        held.released.set()
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"resume": run, "after": 0})
            messages = drain(socket)
        numbers = [message["number"] for message in messages if "number" in message]
        assert numbers == list(range(1, len(numbers) + 1)), "no message is missing or twice"
        assert messages[-1]["answer"]["result"] == 42
        shown = client.get(f"/api/runs/{run}").json()
        assert shown["status"] == "done" and shown["messages"][-1]["answer"]["result"] == 42


def test_a_request_that_is_sent_again_is_the_same_run(tmp_path: Path) -> None:
    held, chosen = HeldModel(percent_script()), {**ASKED, "run_id": "ab" * 16}
    with opened(tmp_path, held) as client:
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json(chosen)
            assert socket.receive_json()["run_id"] == chosen["run_id"]
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json(chosen)
            assert socket.receive_json()["type"] == "run_started"
            held.released.set()
            assert drain(socket)[-1]["answer"]["result"] == 42
        assert client.post("/api/runs", json=chosen).json()["run_id"] == chosen["run_id"]
        assert client.post("/api/ask", json=chosen).json()["result"] == 42
        bad = client.post("/api/ask", json={**ASKED, "run_id": "../etc"})
        assert bad.status_code == 422
        (session,) = client.get("/api/sessions").json()
        shown = client.get(f"/api/sessions/{session['id']}").json()
    assert len(shown["messages"]) == 2


def test_two_tabs_see_the_same_run(client: TestClient) -> None:
    run = client.post("/api/runs", json=ASKED).json()["run_id"]
    seen = []
    for _tab in range(2):
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"resume": run})
            seen.append(drain(socket))
            assert seen[-1][0].pop("elapsed_s") > 0
    assert seen[0] == seen[1] and seen[0][-1]["answer"]["result"] == 42


def test_a_run_can_be_stopped(tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    with opened(tmp_path, held) as client:
        run = client.post("/api/runs", json=ASKED).json()["run_id"]
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"resume": run})
            socket.receive_json()
            socket.send_json({"cancel": run})
            held.released.set()
            last = drain(socket)[-1]
        assert last["error"]["code"] == "cancelled"
        assert client.get(f"/api/runs/{run}").json()["status"] == "failed"
        late = client.post(f"/api/runs/{run}/answer", json={"choice": 0})
        assert late.status_code == 422


def test_people_with_tokens_do_not_see_each_other(tmp_path: Path) -> None:
    tokens = {"ann": "a-token", "bob": "b-token"}
    with opened(tmp_path, tokens=tokens) as client:
        ann, bob = ({"authorization": f"Bearer {token}"} for token in tokens.values())
        answer = client.post("/api/ask", json=ASKED, headers=ann).json()
        started = client.post("/api/runs", json=ASKED, headers=ann).json()["run_id"]
        put = client.put("/api/files/a.csv", content=b"x\n1\n", headers=ann)
        assert put.status_code == 201
        for path in (
            f"/api/sessions/{answer['session_id']}",
            f"/api/traces/{answer['trace_id']}",
            f"/api/runs/{answer['run_id']}",
            f"/api/runs/{started}",
        ):
            assert client.get(path, headers=ann).status_code == 200, path
            assert client.get(path, headers=bob).status_code == 404, path
        assert client.get("/api/files", headers=bob).json() == []
        assert client.get("/api/traces", headers=bob).json() == []
        theirs = {**ASKED, "session": answer["session_id"]}
        assert client.post("/api/ask", json=theirs, headers=bob).status_code == 404
        assert client.post(f"/api/runs/{started}/cancel", headers=bob).status_code == 404
        taken = client.post("/api/ask", json={**ASKED, "run_id": started}, headers=bob)
        assert (taken.status_code, taken.json()["error"]["hint"]) == (422, "choose another one")
        assert client.get("/api/tools").status_code == 401
        assert client.get("/").status_code == 200, "the page itself holds nothing"


@pytest.mark.parametrize(
    ("name", "kept"),
    [("a.csv", "a.csv"), ("..%2F..%2Fetc%2Fpasswd", None), ("x%5C..%5Cb.txt", "b.txt")],
)
def test_names_of_files_lead_nowhere_else(
    client: TestClient, tmp_path: Path, name: str, kept: str | None
) -> None:
    put = client.put(f"/api/files/{name}", content=b"1")
    if kept is None:
        assert put.status_code in (201, 404)
    else:
        assert put.json()["name"] == kept
    inside = tmp_path / "uploads"
    assert all(inside in path.parents for path in tmp_path.rglob("passwd"))


def test_an_upload_that_is_too_large_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, max_upload_bytes=1000, max_body_bytes=500) as client:
        assert client.put("/api/files/big.bin", content=b"x" * 1001).status_code == 413
        assert client.get("/api/files").json() == []
        assert client.post("/api/ask", json={**ASKED, "files": ["big.bin"]}).status_code == 404


def test_too_many_requests_are_told_so(tmp_path: Path) -> None:
    with opened(tmp_path, requests_per_minute=5) as client:
        answers = [client.get("/api/tools").status_code for _ in range(7)]
        assert answers[:5] == [200] * 5 and answers[-1] == 429


def test_a_request_that_cannot_be_stored_is_not_said_to_be_taken_in(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def full(access: PooledAccess) -> AsyncIterator[None]:
        raise unusable(Path("/data"), OSError(errno.ENOSPC, "No space left on device"))
        yield

    with monkeypatch.context() as patch:
        patch.setattr(PooledAccess, "writing", full)
        reply = client.post("/api/runs", json=ASKED)
        assert reply.status_code >= 500 and "disk is full" in reply.json()["error"]["message"]
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json(ASKED)
            assert "disk is full" in drain(socket)[-1]["error"]["message"]
    assert client.get("/api/sessions").json() == []
    assert client.post("/api/runs", json=ASKED).status_code == 202


def test_nothing_the_page_shows_is_run(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "script-src 'self';" in policy and "default-src 'none'" in policy
    assert "<script>" not in client.get("/").text
    assert client.get("/web/../app.py").status_code == 404
    assert client.get("/web/%2e%2e/api/app.py").status_code == 404


def test_a_run_goes_on_with_the_next_server_and_its_watcher_misses_nothing(tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    with opened(tmp_path, held) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_json(ASKED)
        begun = socket.receive_json()
        run, session = begun["run_id"], begun["session_id"]
        seen = [socket.receive_json() for _ in range(2)]
        assert [message["event"]["number"] for message in seen] == [0, 1]
    assert begun["again"] is False

    with opened(tmp_path) as client:  # the next one, which is told nothing of the first
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"resume": run, "after": 7, "event": 1})
            messages = drain(socket)
        shown = client.get(f"/api/sessions/{session}").json()
        assert client.post(f"/api/sessions/{session}/wake").json() == []
        assert client.get(f"/api/runs/{run}").json()["status"] == "done"
    assert messages[0]["type"] == "run_started" and messages[0]["again"] is True
    numbers = [one["event"]["number"] for one in messages if one["type"] == "agent_event"]
    assert numbers == list(range(2, 2 + len(numbers)))
    assert messages[-1]["answer"]["result"] == 42
    assert shown["unanswered"] == [] and len(shown["messages"]) == 2


def test_a_run_of_long_ago_is_shown_from_the_store(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        run = client.post("/api/ask", json=ASKED).json()["run_id"]
    with opened(tmp_path) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_json({"resume": run, "event": -1})
        messages = drain(socket)
        socket.send_json({"resume": "unknown"})
        assert socket.receive_json()["type"] == "run_gone"
    assert messages[-1]["answer"]["result"] == 42
    assert messages[1]["event"]["kind"] == "searching"
