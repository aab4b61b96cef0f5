"""`hammerstone skills` and `hammerstone graph` as a person meets them."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hammerstone.core.errors import HammerstoneError
from hammerstone.serve.cli.main import app
from tests.unit.library.skills.conftest import skill_text, write_skill


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")


def hammerstone(*words: str) -> tuple[int, Any]:
    """The exit code and what was printed, read as JSON; an error's message otherwise."""
    done = CliRunner().invoke(app, [*words, "--json"])
    if isinstance(done.exception, HammerstoneError):
        return done.exception.exit_code, done.exception.message
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, json.loads(done.stdout)


def test_the_life_of_a_skill(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "word-count", assets__a___md="a")
    assert hammerstone("skills", "validate", str(folder))[1]["valid"] is True
    assert hammerstone("skills", "import", str(folder))[1]["name"] == "word-count"
    assert [each["name"] for each in hammerstone("skills", "list")[1]] == ["word-count"]
    assert hammerstone("skills", "find", "counts words")[1][0]["name"] == "word-count"
    assert hammerstone("skills", "show", "word-count")[1]["body"] == "# How"
    code, exported = hammerstone("skills", "export", "word-count", str(tmp_path / "out"))
    assert code == 0 and Path(exported["folder"], "assets/a.md").read_text() == "a"
    assert hammerstone("skills", "remove", "word-count")[0] == 0
    assert hammerstone("skills", "list")[1] == []


def test_bad_input_has_a_code_and_a_message(tmp_path: Path) -> None:
    bad = write_skill(tmp_path / "bad", skill_text("Other Name"))
    code, told = hammerstone("skills", "validate", str(bad))
    assert code == 2 and told["problems"][0]["field"] == "name"
    code, told = hammerstone("skills", "import", str(bad))
    assert code == 2 and "name" in told
    assert hammerstone("skills", "show", "nobody")[0] == 4
    assert hammerstone("skills", "import", str(tmp_path / "none"))[0] == 4


def test_a_skill_from_documentation_without_a_model(tmp_path: Path) -> None:
    folder = tmp_path / "widget-docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Widget\n\nIt turns.\n")
    code, made = hammerstone("skills", "generate", str(folder), "--no-model")
    assert code == 0 and made["name"] == "widget-docs" and made["files"] == 2


def test_the_graph_of_an_empty_library() -> None:
    assert hammerstone("graph", "show")[1]["nodes"] == []
    assert hammerstone("graph", "edges")[1] == []
    assert hammerstone("graph", "path", "the mean", "--have", "file:a.csv") == (1, [])
    assert hammerstone("graph", "path", "x", "--have", "nonsense")[0] == 2
    assert hammerstone("graph", "show", "nothing")[0] == 4
