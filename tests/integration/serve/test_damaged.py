"""A damaged database is the same clear error at every door, and nothing more is written to it."""

import json
import os
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from mcp import Client
from mcp.shared.exceptions import MCPError

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import DatabaseDamaged
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.mcp.mcp_server import LibraryServer
from tests.chaos.storage.damage import destroy, root_of
from tests.forked_commands import run_command
from tests.integration.engine import percent_script

REQUEST = "What is 17.5% of 240?"


def models() -> OneModel:
    return OneModel(ScriptedModel(percent_script()))


def settings(folder: Path) -> Settings:
    return Settings(data_dir=folder, embedder="off")


@pytest.fixture
async def damaged(tmp_path: Path) -> Path:
    """A data folder whose list of tools and of sessions cannot be read."""
    async with Hammerstone.open(settings(tmp_path), models=models()) as hs:
        await hs.ask(REQUEST)
    file = tmp_path / "hammerstone.db"
    for table in ("sessions", "pointers", "sqlite_autoindex_pointers_1"):
        destroy(file, root_of(file, table))
    return tmp_path


def helps(text: str) -> bool:
    return "damaged" in text and "hammerstone db check" in text and "db recover" in text


def test_on_the_command_line(damaged: Path) -> None:
    env = {**os.environ, "HAMMERSTONE_DATA_DIR": str(damaged), "HAMMERSTONE_EMBEDDER": "off"}
    for words in (["tools", "list"], ["sessions", "list"], ["tools", "list", "--json"]):
        done = run_command(*words, env=env)
        assert done.returncode == 5, done.stderr
        assert "Traceback" not in done.stderr
        if "--json" in words:
            error = json.loads(done.stdout)["error"]
            assert error["code"] == "database_damaged" and helps(str(error))
        else:
            assert done.stderr.count("error:") == 1 and helps(done.stderr)


def test_over_http(damaged: Path) -> None:
    with TestClient(
        create_app(settings(damaged), models=models()), base_url="http://127.0.0.1:7777"
    ) as client:
        for path in ("/api/tools", "/api/sessions"):
            reply = client.get(path)
            assert reply.status_code == 503
            assert reply.json()["error"]["code"] == "database_damaged" and helps(reply.text)
        asked = client.post("/api/ask", json={"text": "What is 3% of 9?"})
        assert helps(asked.text)
        findings = {finding["name"]: finding for finding in client.get("/api/doctor").json()}
        assert not findings["database"]["ok"] and "db recover" in findings["database"]["fix"]
        changed = client.put("/api/policies/fit", json={"values": {"high": 0.5}, "why": "x"})
        assert changed.json()["error"]["code"] == "database_damaged"  # nothing more is written


async def test_in_python(damaged: Path) -> None:
    with pytest.raises(DatabaseDamaged) as error:
        async with Hammerstone.open(settings(damaged), models=models()) as hs:
            await hs.tools.list()
    assert helps(f"{error.value} {error.value.hint}")


async def test_over_mcp(damaged: Path) -> None:
    async with (
        Hammerstone.open(settings(damaged), models=models()) as hs,
        Client(LibraryServer(hs).server) as client,
    ):
        told = await client.call_tool("ask", {"request": "What is 3% of 9?"})
        assert told.is_error and helps(str(told.content))
        with pytest.raises(MCPError, match="damaged") as error:
            await client.list_tools(cache_mode="bypass")
        assert helps(str(error.value))
