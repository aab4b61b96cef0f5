"""A yes is for the approval it names, and for no other."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.eager import eager
from tests.integration.engine import Script, add_tool

HERE = "http://127.0.0.1:8321"
SOCKET = f"ws{HERE[4:]}/ws"
NUMBER: Any = {"n": {"type": "number", "description": "a number"}}
DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
ASKED = {"text": "double the number 4", "session": "s"}


@pytest.fixture
async def app(tmp_path: Path) -> Any:
    settings = Settings(data_dir=tmp_path, embedder="off")
    model = OneModel(ScriptedModel(Script(arguments='{"n": 4}', fit='{"fits": true}')))
    async with Hammerstone.open(settings, models=model) as hs:
        await eager(hs)
        await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"}, Effect.WRITES)
    return create_app(settings, models=model)


def until(socket: Any, *kinds: str) -> dict[str, Any]:
    while (message := socket.receive_json())["type"] not in kinds:
        pass
    return message


def refusal(socket: Any) -> str:
    """The error that answers the last message: it belongs to no run."""
    while "run_id" in (message := until(socket, "query_complete")):
        pass
    return message["error"]["message"]


def test_a_reply_over_the_socket_is_bound_to_the_approval(app: Any) -> None:
    with TestClient(app, base_url=HERE) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_json(ASKED)
        first = until(socket, "approval")
        assert len(first["id"]) == 32 and first["whole"].startswith('{\n "n": 4')
        run = first["run_id"]
        for reply in (
            {"approve": True},
            {"approve": True, "run": run},
            {"approve": True, "run": run, "id": "0" * 32},
            {"approve": True, "run": run, "id": first["id"][:8]},
            {"approve": "yes", "run": run, "id": first["id"]},
            {"approve": 1, "run": run, "id": first["id"]},
            {"choice": 0, "run": run},
            {"choice": 0, "run": run, "id": first["id"]},
        ):
            socket.send_json(reply)
            assert refusal(socket), reply
        socket.send_json({"approve": True, "run": run, "id": first["id"]})
        assert until(socket, "answered")["id"] == first["id"]
        assert until(socket, "query_complete")["answer"]["result"] == 8

        socket.send_json(ASKED)
        second = until(socket, "approval")
        socket.send_json({"approve": True, "run": second["run_id"], "id": first["id"]})
        assert "does not wait" in refusal(socket)
        socket.send_json({"approve": True})
        assert "`id` is missing" in refusal(socket)
        assert client.get(f"/api/runs/{second['run_id']}").json()["status"] == "running"
        socket.send_json({"approve": False, "run": second["run_id"], "id": second["id"]})
        assert until(socket, "query_complete")["answer"]["status"] == "failed"


def test_a_reply_over_http_is_bound_to_the_approval(app: Any) -> None:
    with TestClient(app, base_url=HERE) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_json(ASKED)
        asked = until(socket, "approval")
        address = f"/api/runs/{asked['run_id']}/answer"
        (listed,) = client.get("/api/approvals").json()
        assert listed["id"] == asked["id"] and '"n": 4' in listed["whole"]
        assert client.post(address, json={"approve": True}).status_code == 422
        assert client.post(address, json={"approve": True, "id": "1" * 32}).status_code == 422
        assert (
            client.post(f"/api/approvals/{asked['id'][:4]}", json={"given": True}).status_code
            == 404
        )
        assert client.post(address, json={"approve": True, "id": asked["id"]}).status_code == 200
        assert until(socket, "query_complete")["answer"]["result"] == 8
        late = client.post(address, json={"approve": True, "id": asked["id"]})
        assert late.status_code == 422
