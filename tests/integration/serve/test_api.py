"""The HTTP door and the WebSocket, over the real application."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import SettingsError
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.api.server import refuse_open_doors
from tests.integration.engine import percent_script

HERE = "http://127.0.0.1:8321"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(data_dir=tmp_path, embedder="off")
    app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
    with TestClient(app, base_url=HERE) as opened:
        yield opened


def test_health_ask_tools_and_traces(client: TestClient) -> None:
    assert client.get("/health").json()["status"] == "ok"
    asked = {"text": "What is 17.5% of 240?", "wait": True}
    answer = client.post("/api/ask", json=asked).json()
    assert (answer["result"], answer["tool"], answer["proof"]) == (42, "percentage_of", "proved")
    assert {"text", "version", "confidence", "cached", "cost", "trace_id"} <= set(answer)
    assert {"sureness", "agree", "solutions", "alternatives", "tool_confidence"} <= set(answer)
    assert [tool["name"] for tool in client.get("/api/tools").json()] == ["percentage_of"]
    assert "def percentage_of" in client.get("/api/tools/percentage_of").json()["code"]
    trace = client.get(f"/api/traces/{answer['trace_id']}").json()
    assert trace["spans"] and trace["record"]["strategy"] == answer["strategy"]
    assert f"answered as: {answer['strategy']}" in trace["record"]["words"]
    assert client.get("/").text.startswith("<!doctype html>")


def test_tools_come_by_pages_and_the_reply_says_where_the_next_begins(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, embedder="off", starter_tools=True)
    app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
    with TestClient(app, base_url=HERE) as client:
        whole = client.get("/api/tools")
        names = [tool["name"] for tool in whole.json()]
        assert len(names) > 20 and "link" not in whole.headers
        found: list[str] = []
        path = "/api/tools?limit=7"
        while path:
            part = client.get(path)
            assert len(part.json()) <= 7
            found += [tool["name"] for tool in part.json()]
            path = part.links["next"]["url"] if "next" in part.links else ""
        assert found == names
        for wrong in ("limit=0", "limit=501", "after=%00"):
            assert client.get(f"/api/tools?{wrong}").status_code == 422
        hit = client.get("/api/search", params={"q": "Is 2024 a leap year?"}).json()
        assert {one["name"] for one in hit["hits"]} == {one["name"] for one in hit["tools"]}
        assert hit["tools"][0]["description"]


def test_the_api_is_explained_on_a_page_that_needs_nothing_from_elsewhere(
    client: TestClient,
) -> None:
    page = client.get("/docs").text
    for path in client.get("/openapi.json").json()["paths"]:
        assert f" {path}</h2>" in page
    assert "What you want to know." in page and "CostBody" in page
    assert "http" not in page and "<script" not in page


def test_metrics_count_what_was_asked(client: TestClient) -> None:
    client.post("/api/ask", json={"text": "What is 17.5% of 240?", "wait": True})
    client.post("/api/ask", json={"text": "What is 17.5% of 240?"})
    call = {"arguments": {"percent": 10, "number": 50}}
    assert client.post("/api/tools/percentage_of/run", json=call).json()["result"] == 5
    text = client.get("/metrics").text
    assert 'hammerstone_requests_total{name="ask",status="success"} 3' in text
    assert "hammerstone_model_calls_total" in text and "hammerstone_tool_calls_total" in text


def test_errors_are_json_with_code_and_hint(client: TestClient) -> None:
    for response, status in (
        (client.get("/api/tools/none"), 404),
        (client.post("/api/ask", json={"text": ""}), 422),
        (client.get("/api/traces?status=odd"), 422),
        (client.post("/api/ask", content=b"{" + b" " * 3_000_000), 413),
    ):
        assert response.status_code == status
        assert response.json()["error"]["code"]


def test_the_socket_streams_steps_and_completes(client: TestClient) -> None:
    with client.websocket_connect(f"ws{HERE[4:]}/ws") as socket:
        socket.send_json({"text": "What is 17.5% of 240?"})
        assert socket.receive_json()["type"] == "run_started"
        kinds = []
        while (message := socket.receive_json())["type"] == "agent_event":
            kinds.append(message["event"]["kind"])
        assert message["type"] == "query_complete" and message["answer"]["result"] == 42
        assert kinds[0] == "searching" and kinds[-1] == "done"
        socket.send_text("not json")
        assert socket.receive_json()["error"]["code"] == "bad_request"
        socket.send_json({"text": ""})
        assert socket.receive_json()["type"] == "run_started"
        assert socket.receive_json()["error"]["code"] == "bad_request"


def test_whoever_waits_at_the_socket_hears_of_a_bug_and_the_run_has_an_end(tmp_path: Path) -> None:
    def stumble(_prompt: Prompt) -> str:
        raise ZeroDivisionError("a bug")

    settings = Settings(data_dir=tmp_path, embedder="off")
    app = create_app(settings, models=OneModel(ScriptedModel(percent_script(solution=stumble))))
    with TestClient(app, base_url=HERE) as client:
        with client.websocket_connect(f"ws{HERE[4:]}/ws") as socket:
            socket.send_json({"text": "What is 17.5% of 240?"})
            assert socket.receive_json()["type"] == "run_started"
            last = {}
            while (message := socket.receive_json())["type"] == "agent_event":
                last = message["event"]
        assert message["error"]["code"] == "error"
        assert last["kind"] == "failed" and "ZeroDivisionError" in last["text"]
        traces = client.get("/api/traces").json()
    assert [trace["status"] for trace in traces] == ["error"]


def test_other_sites_and_other_names_are_not_let_in(client: TestClient) -> None:
    evil = {"origin": "https://evil.example"}
    assert client.post("/api/ask", json={"text": "x"}, headers=evil).status_code == 403
    assert client.get("/health", headers={"host": "evil.example"}).status_code == 403
    address = f"ws{HERE[4:]}/ws"
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(address, headers=evil):
        pass


def test_guessing_tokens_is_slowed_down_and_locks_nobody_out_who_was_in(tmp_path: Path) -> None:
    tokens = {"ann": "s3cret", "bob": "hidden"}
    settings = Settings(data_dir=tmp_path, embedder="off", tokens=tokens)  # type: ignore[arg-type]
    with TestClient(create_app(settings), base_url=HERE) as client:

        def status(token: str, path: str = "/health") -> int:
            return client.get(path, headers={"authorization": f"Bearer {token}"}).status_code

        assert status("s3cret") == 200
        answers = [status(f"guess {number}") for number in range(60)]
        assert answers[0] == 401 and answers[-1] == 429
        assert status("hidden") == 429  # a right guess now is worth no more
        assert status("s3cret") == 200
        assert status("none", "/") == 200  # the page itself holds no data


def test_a_token_is_needed_where_one_is_set(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, embedder="off", token="s3cret")  # type: ignore[arg-type]
    with TestClient(create_app(settings), base_url=HERE) as client:
        assert client.get("/health").status_code == 401
        assert client.get("/health", headers={"authorization": "Bearer no"}).status_code == 401
        good = {"authorization": "Bearer s3cret"}
        assert client.get("/health", headers=good).status_code == 200
        address = f"ws{HERE[4:]}/ws"
        with client.websocket_connect(address, subprotocols=["bearer.s3cret"]) as socket:
            assert socket.accepted_subprotocol == "bearer.s3cret"
        wrong = ["bearer.no", "s3cret"]
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(address, subprotocols=wrong),
        ):
            pass


def test_an_open_door_without_a_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="password"):
        refuse_open_doors(Settings(data_dir=tmp_path, host="0.0.0.0"))
