"""An application that several people share, for tests that look at what each may and sees."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import Script, percent_script

HERE = "http://127.0.0.1:8321"


class Shared:
    """The application, with a client for each person."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.tokens = {"local": "the owner's"}

    def add(self, name: str, role: str, **more: Any) -> dict[str, Any]:
        body = {"name": name, "role": role, **more}
        added = self.client.post("/api/people", json=body, headers=self.of("local"))
        assert added.status_code == 201, added.text
        self.tokens[name] = added.json()["token"]
        return added.json()

    def of(self, name: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.tokens[name]}"}

    def get(self, name: str, path: str, **more: Any) -> Any:
        return self.client.get(path, headers=self.of(name), **more)

    def post(self, name: str, path: str, body: Any = None, **more: Any) -> Any:
        return self.client.post(path, json=body, headers=self.of(name), **more)

    def call(self, name: str, method: str, path: str, **more: Any) -> Any:
        return self.client.request(method, path, headers=self.of(name), **more)


@contextmanager
def shared(folder: Path, script: Script | None = None, **more: Any) -> Iterator[Shared]:
    settings = Settings(data_dir=folder, embedder="off", token="the owner's", **more)  # type: ignore[arg-type]
    model = OneModel(ScriptedModel(script or percent_script()))
    with TestClient(create_app(settings, models=model), base_url=HERE) as client:
        yield Shared(client)
