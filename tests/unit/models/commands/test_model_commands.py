"""`hammerstone model`, as a person or a script uses it."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.core.errors import PullError
from hammerstone.models.pull import model_files
from hammerstone.models.pull.model_files import WebSource
from hammerstone.serve.cli.system.models.model import app
from tests.unit.models.pull.conftest import CONTENT, WebServer, file_from, web

__all__ = ["web"]


@pytest.fixture
def one_file(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The catalogue holds one small file, and no embedder is wanted."""
    monkeypatch.setattr(model_files, "EMBEDDED_MODEL", file_from(WebSource(web.url)))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    monkeypatch.delenv("HAMMERSTONE_MODEL_PATH", raising=False)
    return Path(os.environ["HAMMERSTONE_DATA_DIR"]) / "models" / "model.gguf"


def run(*arguments: str) -> dict:
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_pull_status_remove(one_file: Path) -> None:
    assert run("status")["files"][0]["state"] == "missing"
    assert run("pull")["files"][0]["path"] == str(one_file)
    assert one_file.read_bytes() == CONTENT
    status = run("status")
    assert (status["files"][0]["state"], status["process"]) == ("verified", None)
    assert run("remove") == {"removed": ["model.gguf"]}
    assert not one_file.exists()
    assert run("remove") == {"removed": []}


def test_damage_is_seen(one_file: Path) -> None:
    run("pull")
    one_file.write_bytes(b"x" * len(CONTENT))
    assert run("status")["files"][0]["state"] == "wrong"


def test_half_fetched_is_said(one_file: Path, web: WebServer) -> None:
    web.cut_after = 500_000
    with pytest.raises(PullError):
        run("pull")
    entry = run("status")["files"][0]
    assert entry["state"] == "half fetched"
    assert 0 < entry["fetched_bytes"] <= 500_000


def test_own_file_needs_no_pull(
    one_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"mine")
    monkeypatch.setenv("HAMMERSTONE_MODEL_PATH", str(own))
    assert run("pull") == {"files": [], "own_model": str(own)}
    run("remove")
    assert own.exists()


@pytest.mark.usefixtures("one_file")
def test_stop_without_a_process() -> None:
    assert run("stop") == {"stopped": False}


@pytest.mark.usefixtures("one_file")
def test_for_people() -> None:
    runner = CliRunner()
    assert "missing" in runner.invoke(app, ["status"]).stdout
    assert "verified" in runner.invoke(app, ["pull"]).stdout
    assert "not running" in runner.invoke(app, ["status"]).stdout
    assert "Removed model.gguf" in runner.invoke(app, ["remove"]).stdout
    assert "nothing to remove" in runner.invoke(app, ["remove"]).stdout
