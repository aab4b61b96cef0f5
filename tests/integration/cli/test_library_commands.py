"""`hammerstone tools ...`: looking after the library from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.serve.cli.main import app


@pytest.fixture(autouse=True)
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")


def tools(*words: str) -> Result:
    return CliRunner().invoke(app, ["tools", *words])


def test_from_seeding_to_retiring_and_back(tmp_path: Path) -> None:
    seeded = json.loads(tools("seed", "--json").stdout)
    assert len(seeded["added"]) >= 36
    found = json.loads(tools("list", "--find", "weekday", "--json").stdout)
    assert [row["name"] for row in found] == ["weekday_name"]
    assert json.loads(tools("list", "--status", "retired", "--json").stdout) == []
    shown = json.loads(tools("show", "mean", "--json").stdout)
    assert shown["evidence"]["mutation_score"] >= 0.7
    assert shown["statistics"][0]["uses"] == 0
    shown = tools("show", "mean").stdout
    assert "Why trust it:" in shown
    assert "it takes 20 good uses in 5 sessions" in shown and "so far there are 0 in 0." in shown
    assert "is at v1, retired" in tools("retire", "mean", "--why", "trial").stdout
    assert [row["name"] for row in json.loads(tools("list", "--status", "retired", "--json").stdout)
            ] == ["mean"]  # fmt: skip
    assert "is at v1, verified" in tools("unretire", "mean").stdout
    assert "deprecated" in tools("deprecate", "mode_values", "median").stdout
    versions = json.loads(tools("versions", "mean", "--json").stdout)
    assert versions["active"] == 1
    out = tmp_path / "out"
    assert "written" in tools("export", str(out), "mean", "median").stdout
    assert sorted(path.name for path in out.iterdir()) == ["mean", "median"]
    (out / "mean" / "tool.py").write_text("def mean(")
    broken = tools("sync", str(out), "--dry-run")
    assert broken.exit_code == 1
    assert "broken       mean  tool.py: " in broken.stdout
    upkeep = json.loads(tools("upkeep", "--dry-run", "--json").stdout)
    assert (upkeep["standings"], upkeep["not_indexed"], upkeep["without_tool"]) == ([], [], [])
    cache = json.loads(tools("cache", "--json").stdout)
    assert (cache["hits"], cache["misses"], cache["enabled"]) == (0, 0, True)


def test_mistakes_are_told() -> None:
    assert isinstance(tools("list", "--status", "great").exception, BadRequest)
    assert isinstance(tools("list", "--effect", "great").exception, BadRequest)
    for words in (("show", "x"), ("versions", "x"), ("diff", "x", "1", "2"), ("retire", "x")):
        assert isinstance(tools(*words).exception, NotFound), words
