"""Proofs over HTTP: the server does them in the background, and tells who is there."""

import time
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import Script
from tests.integration.proofs.tasks import answered
from tests.integration.proofs.test_proofs import misread, misread_script

HERE = "http://127.0.0.1:8321"
SOCKET = f"ws{HERE[4:]}/ws"


def opened(tmp_path: Path, script: Script) -> TestClient:
    settings = Settings(data_dir=tmp_path, embedder="off")  # type: ignore[call-arg]
    app = create_app(settings, models=OneModel(ScriptedModel(script)))
    return TestClient(app, base_url=HERE)


def put(client: TestClient, run: str = "run", session: str = "s") -> None:
    hs: Any = client.app.state.engine  # type: ignore[attr-defined]

    async def wrong_answer() -> None:
        await answered(hs, run, session, value=99.36)
        await hs.proofs.put(misread(hs))

    assert client.portal is not None
    client.portal.call(wrong_answer)


def test_a_script_polls_until_the_proof_is_done(tmp_path: Path) -> None:
    with opened(tmp_path, misread_script()) as client:
        put(client)
        shown = client.get("/api/runs/run").json()
        for _ in range(600):
            if shown["proof"] != "pending":
                break
            time.sleep(0.1)
            shown = client.get("/api/runs/run").json()
        assert shown["proof"] == "proved"
        assert shown["answer"]["result"] == 12.96
        assert shown["answer"]["correction"]["before"] == 99.36
        kinds = [message["event"]["kind"] for message in shown["messages"]]
        assert kinds == ["proof", "correction"]
        assert client.get("/api/proofs").json() == []


def test_what_waits_is_listed_for_whom_it_is_owed(tmp_path: Path) -> None:
    with opened(tmp_path, Script()) as client:
        hs: Any = client.app.state.engine  # type: ignore[attr-defined]
        assert client.portal is not None
        client.portal.call(hs.proofs.worker.close)
        put(client)
        (owed,) = client.get("/api/proofs").json()
        assert (owed["function"], owed["state"], owed["askers"]) == ("total", "waiting", 1)
        assert client.get("/api/runs/run").json()["proof"] == "pending"

        async def of_another() -> list[Any]:
            return await hs.proofs.owed_to("somebody else")

        assert client.portal.call(of_another) == []


def test_an_open_socket_hears_of_the_proof_and_the_correction(tmp_path: Path) -> None:
    with (
        opened(tmp_path, misread_script()) as client,
        client.websocket_connect(SOCKET) as mine,
        client.websocket_connect(SOCKET) as elsewhere,
    ):
        for socket, session in ((mine, "s"), (elsewhere, "t")):
            socket.send_json({"text": " ", "session": session})  # refused, and yet watched
            while socket.receive_json()["type"] != "query_complete":
                pass
        put(client)
        heard = [mine.receive_json(), mine.receive_json()]
        assert [message["event"]["kind"] for message in heard] == ["proof", "correction"]
        assert heard[1]["event"]["text"].startswith("Correction: 12.96")
        assert {message["run_id"] for message in heard} == {"run"}
        elsewhere.send_json({"text": ""})
        assert elsewhere.receive_json()["type"] != "agent_event"
