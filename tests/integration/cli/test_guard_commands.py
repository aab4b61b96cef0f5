"""Memory, sessions, approvals and the stop switch from the command line."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Effect
from hammerstone.serve.cli.main import app
from tests.integration.engine import Script, add_tool, scripted_engine


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    return tmp_path


def run(*words: str) -> Any:
    return CliRunner().invoke(app, words)


def printed(*words: str) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_remembering_and_forgetting(data: Path):
    assert "Noted as a rule" in run("memory", "remember", "Always use metric units").stdout
    assert "Noted" in run("memory", "remember", "I live in Paris").stdout
    assert (
        "instead of: Always use metric units"
        in run("memory", "remember", "Never use metric units").stdout
    )
    layers = printed("memory", "show")["layers"]
    assert [line["text"] for line in layers["rules"]] == ["Never use metric units"]
    assert layers["user"][0]["source"] == "command line"
    folder = Path(run("memory", "path").stdout.strip())
    assert (folder / "rules.md").is_file()
    assert "forgotten: I live in Paris" in run("memory", "forget", "paris").stdout
    assert run("memory", "forget", "paris").exit_code == 1
    assert isinstance(run("memory", "forget").exception, BadRequest)
    assert isinstance(run("memory", "remember", "x y z", "--layer", "other").exception, BadRequest)
    assert printed("memory", "search", "units") == []


def test_stopping_and_resuming(data: Path):
    assert "Nothing is stopped." in run("stop").output
    assert run("stop", "--all", "--why", "lunch").stdout == "stopped all\n"
    assert run("stop", "--session", "s").stdout == "stopped session s\n"
    assert "all" in run("stop").stdout
    assert run("resume").stdout == "resumed all\n"
    assert run("resume", "--session", "s").stdout == "resumed session s\n"
    assert run("resume").stdout == "not stopped: all\n"
    assert isinstance(run("stop", "--all", "--run", "r").exception, BadRequest)


def test_approvals_and_sessions(data: Path):
    async def prepare() -> None:
        async with scripted_engine(Script(), data) as hs:
            code = "def keep_number(n: float) -> float:\n    return n\n"
            number = {"n": {"type": "number"}}
            await add_tool(hs, code, "Keep it.", number, {"type": "number"}, Effect.WRITES)
            await hs.run_tool("keep_number", {"n": 4}, session="s")
            await hs.run_tool("keep_number", {"n": 5}, session="s")

    asyncio.run(prepare())
    waiting = printed("approvals", "list")
    assert [one["kind"] for one in waiting] == ["write", "write"]
    assert "Allow keep_number (version 1) to run?" in run("approvals", "list").stdout
    assert ": ask again" in run("approvals", "give", waiting[0]["id"][:8]).stdout
    assert "refused" in run("approvals", "refuse", waiting[1]["id"]).stdout
    assert isinstance(run("approvals", "give", waiting[1]["id"]).exception, BadRequest)
    assert isinstance(run("approvals", "give", "nothing").exception, NotFound)
    assert printed("approvals", "list") == []
    assert {one["status"] for one in printed("approvals", "list", "--all")} == {"given", "refused"}
    (session,) = printed("sessions", "list")
    assert session["id"] == "s"
    said = printed("sessions", "show", "s")
    assert [message["author"] for message in said] == ["user", "assistant"] * 2
    assert run("sessions", "rename", "s", "Numbers").exit_code == 0
    assert "Numbers" in run("sessions", "list").stdout
    assert isinstance(run("sessions", "show", "other").exception, NotFound)
