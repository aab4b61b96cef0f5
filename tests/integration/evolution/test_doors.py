"""Evolution from the terminal and over HTTP."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.serve.cli.main import app
from tests.integration.evolution.evolving import answering, evolving, times_suite


def _run(*words: str) -> str:
    found = CliRunner().invoke(app, ["evolve", *words])
    assert found.exit_code == 0, (found.output, found.exception)
    return found.output


async def _one_round(folder: Path) -> str:
    async with evolving(folder, answering("a + b")) as hs:
        return (await hs.evolution.run("times")).id


def test_what_happened_is_shown_in_words_and_as_json(
    proved_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(proved_folder))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    times_suite(proved_folder)
    assert "No round was run yet" in _run("history")
    id = asyncio.run(_one_round(proved_folder))
    assert json.loads(_run("history", "--json"))[0]["id"] == id
    assert "skill: arithmetic" in _run("show", id[:6])
    status = json.loads(_run("status", "--json"))
    assert status["suites"]["times"]["average"] == 0.0 and status["preset"] == "harden"
    assert "Preset harden" in _run("status")
    samples = json.loads(_run("sample", "--json"))
    assert len(samples) == 5 and samples[0]["asked"].startswith("What is ")
    assert "wrong" in _run("sample", str(samples[0]["id"]), "--wrong")
    assert "repair-only is chosen" in _run("preset", "repair-only")
    assert "No notes yet" in _run("notes")
    assert "no request to judge" in _run("judge")


@pytest.mark.parametrize(
    "words",
    [["show", "none"], ["preset", "none"], ["sample", "1"], ["run", "times", "--track", "x"]],
)
def test_what_cannot_be_is_an_error_with_a_hint(words: list[str]):
    assert CliRunner().invoke(app, ["evolve", *words]).exit_code != 0
