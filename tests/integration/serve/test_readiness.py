"""Whether a process answers, and whether it can take requests."""

import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from hammerstone.core.errors import SandboxRefused, StorageError
from hammerstone.core.settings import Settings
from hammerstone.serve.api.app import create_app
from hammerstone.storage import Database

HERE = "http://127.0.0.1:8321"


def wait_for_ready(client: TestClient, path: str = "/ready") -> dict[str, Any]:
    for _ in range(300):
        answer = client.get(path)
        if answer.status_code == 200:
            return answer.json()
        time.sleep(0.1)
    raise AssertionError(answer.json())


def test_it_is_ready_once_the_sandbox_is_proved(tmp_path: Path):
    """Without a token, where one is set: who sends requests has none."""
    settings = Settings(data_dir=tmp_path, embedder="off", token="s3cret")  # type: ignore[arg-type]
    with TestClient(create_app(settings), base_url=HERE) as client:
        assert client.get("/live").json() == {"live": True}
        first = client.get("/ready")
        assert first.status_code == 503
        assert first.json() == {"ready": False, "checks": {"database": True, "sandbox": False}}
        assert wait_for_ready(client)["checks"] == {"database": True, "sandbox": True}
        assert client.get("/live", headers={"origin": "http://evil.example"}).status_code == 403
        assert client.post("/ready").status_code == 401
        missing = client.get("/ready?model=true")  # there is no model file
        assert missing.status_code == 503 and missing.json()["checks"]["model"] is False


def test_a_database_that_does_not_answer_is_not_ready_but_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with TestClient(
        create_app(Settings(data_dir=tmp_path, embedder="off")), base_url=HERE
    ) as client:
        wait_for_ready(client)

        async def gone(self: Database) -> bool:
            raise StorageError("the database server cannot be reached")

        monkeypatch.setattr(Database, "is_current", gone)
        time.sleep(1.1)
        assert client.get("/ready").json()["checks"]["database"] is False
        assert client.get("/live").status_code == 200
        monkeypatch.undo()
        time.sleep(1.1)
        assert client.get("/ready").status_code == 200


def test_a_refused_sandbox_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def refused(_: Settings) -> None:
        raise SandboxRefused("no namespaces here")

    monkeypatch.setattr("hammerstone.app.wiring._open_sandbox", refused)
    with TestClient(
        create_app(Settings(data_dir=tmp_path, embedder="off")), base_url=HERE
    ) as client:
        for _ in range(5):
            assert client.get("/ready").status_code == 503
            time.sleep(0.05)
