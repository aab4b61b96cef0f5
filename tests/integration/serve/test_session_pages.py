"""What a page needs of a session: judgements, failures, files, progress, and other windows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from hammerstone.core.chat import Role
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.models.opening import Models
from hammerstone.serve.api.app import create_app
from tests.integration.engine import Script, percent_script

HERE = "http://127.0.0.1:8321"
SOCKET = "ws://127.0.0.1:8321/ws"
REQUEST = "What is 17.5% of 240?"


@contextmanager
def opened(folder: Path, script: Script, **more: Any) -> Iterator[TestClient]:
    settings = Settings(data_dir=folder, embedder="off", **more)
    app = create_app(settings, models=OneModel(ScriptedModel(script)))
    with TestClient(app, base_url=HERE) as client:
        yield client


def test_a_session_holds_judgements_files_and_what_its_proofs_came_to(tmp_path: Path) -> None:
    with opened(tmp_path, percent_script(fix="no idea")) as client:
        client.put("/api/files/numbers.csv", content=b"a\n1\n")
        asked = {"text": REQUEST, "session": "s", "files": ["numbers.csv"], "wait": True}
        run = client.post("/api/ask", json=asked).json()["run_id"]
        client.post(f"/api/runs/{run}/feedback", json={"right": False, "expected": 43})
        shown = client.get("/api/sessions/s").json()
        user, answer, *_ = shown["messages"]
        assert user["data"] == {"files": ["numbers.csv"]}
        assert (answer["data"]["proof"], answer["data"]["tool"]) == ("proved", "percentage_of")
        assert [one["name"] for one in answer["data"]["arguments"]] == ["percent", "number"]
        assert shown["feedback"] == {run: {"right": False, "value": 43}}
        assert (shown["unanswered"], shown["approvals"], shown["proving"]) == ([], [], {})


def test_a_request_that_failed_stays_in_its_session(tmp_path: Path) -> None:
    with opened(tmp_path, Script(solution=ModelUnavailable("the model is away"))) as client:
        client.post("/api/ask", json={"text": REQUEST, "session": "s"})
        (row,) = client.get("/api/sessions/s").json()["unanswered"]
        assert (row["text"], row["status"]) == (REQUEST, "failed")
        assert "the model is away" in row["reason"]


def test_sessions_are_searched_and_only_ones_own(tmp_path: Path) -> None:
    with opened(tmp_path, percent_script()) as client:
        client.post("/api/ask", json={"text": REQUEST, "session": "s"})
        assert [one["id"] for one in client.get("/api/sessions?search=17.5%25").json()] == ["s"]
        assert client.get("/api/sessions?search=bananas").json() == []
        assert len(client.get("/api/sessions?search=%20").json()) == 1


def test_whoever_watches_hears_of_other_windows_and_of_proofs(tmp_path: Path) -> None:
    with opened(tmp_path, percent_script()) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_json({"watch": True})
        socket.send_json({"resume": "none"})
        assert socket.receive_json()["type"] == "run_gone"  # by now it watches
        run = client.post("/api/runs", json={"text": REQUEST, "session": "s"}).json()["run_id"]
        heard: list[dict[str, Any]] = []
        while not any(one.get("event", {}).get("kind") == "proof" for one in heard):
            heard.append(socket.receive_json())
        assert (heard[0]["type"], heard[0]["change"]) == ("session_changed", "started")
        assert heard[0]["run_id"] == run and heard[0]["session_id"] == "s"
        progress = [one for one in heard if one["type"] == "proof_progress"]
        assert {one["run_id"] for one in progress} == {run}
        done = [one["done"] for one in progress]
        assert done == sorted(done) and 0 < done[-1] <= progress[-1]["most"]
        client.patch("/api/sessions/s", json={"title": "Percentages"})
        renamed = socket.receive_json()
        assert (renamed["change"], renamed["title"]) == ("renamed", "Percentages")
        client.delete("/api/sessions/s")
        assert socket.receive_json()["change"] == "deleted"


def test_an_answer_is_looked_for_anew_when_that_is_asked(tmp_path: Path) -> None:
    with opened(tmp_path, percent_script()) as client:
        asked = {"text": REQUEST, "session": "s", "wait": True}
        assert not client.post("/api/ask", json=asked).json()["cached"]
        assert client.post("/api/ask", json=asked).json()["cached"]
        again = client.post("/api/ask", json={**asked, "fresh": True}).json()
        assert again["result"] == 42 and "answered before" not in again["why"]
        events = client.get(f"/api/runs/{again['run_id']}").json()["messages"]
        assert "cache_hit" not in {one["event"]["kind"] for one in events}


def test_a_model_is_chosen_among_those_that_are_set_up(tmp_path: Path) -> None:
    more = {"model": "local, openai:gpt-4.1", "fallback_models": ["ollama:qwen"]}
    with opened(tmp_path, percent_script(), **more) as client:
        choices = client.get("/api/settings").json()["choices"]
        assert choices == ["local", "openai:gpt-4.1", "ollama:qwen"]
        refused = client.post("/api/ask", json={"text": REQUEST, "model": "openai:other"})
        assert refused.status_code == 422 and "openai:other" in refused.json()["error"]["message"]
        assert client.post("/api/ask", json={"text": REQUEST, "model": "ollama:qwen"}).json()[
            "result"
        ] == 42  # fmt: skip


def test_a_chosen_model_is_asked_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, model="local", fallback_models=["ollama:mistral"])
    models = Models(settings)
    assert "mistral" not in models.for_role(Role.CODER).name
    assert "mistral" in models.for_role(Role.CODER, chosen="ollama:mistral").name
