"""A fresh data folder has the starter tools, through every door, without proving anything."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.library.tools.seeding import STARTER, starter_tools
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.cli.main import app

NO_MODEL = OneModel(ScriptedModel(lambda _: RuntimeError("no model is needed here")))


async def test_they_can_be_called_at_once_and_nothing_was_proved(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", embedder="off", starter_tools=True)
    async with Hammerstone.open(settings, models=NO_MODEL) as hs:
        assert (await hs.health())["sandbox"] == "not started"
        assert len(await hs.tools.list()) == len(starter_tools())
        answer = await hs.run_tool("percentage_of", {"percent": 17.5, "number": 240})
        assert answer.result == 42


async def test_the_setting_leaves_them_out(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", embedder="off", starter_tools=False)
    async with Hammerstone.open(settings, models=NO_MODEL) as hs:
        assert await hs.tools.list() == []
        report = await hs.library.seed()
        assert (len(report.added), report.kept) == (len(starter_tools()), [])


def test_the_list_shows_them_on_a_fresh_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HAMMERSTONE_STARTER_TOOLS")
    rows = json.loads(CliRunner().invoke(app, ["tools", "list", "--json"]).stdout)
    assert {row["name"] for row in rows} == {files.name for files in starter_tools()}
    assert all(row["confidence"] > 0.9 for row in rows)


def test_every_suite_passes_as_the_pytest_file_that_it_is(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(STARTER), STARTER],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    cases = sum(len(files.suite) for files in starter_tools())
    assert f"{cases} passed" in done.stdout
