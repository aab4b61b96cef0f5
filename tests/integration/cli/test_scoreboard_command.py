"""`hammerstone eval` and `hammerstone suites` as a person uses them, and the routes beside them."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner, Result

from hammerstone.core.errors import BadRequest, DataDirectoryError, NotFound
from hammerstone.core.settings import load_settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.cli.main import app
from tests.integration.engine import percent_script

CASES = [
    {"id": "a", "arguments": {"percent": 10, "number": 90}, "expect": 9, "grade": "number"},
    {"id": "b", "arguments": {"percent": 10, "number": 90}, "expect": 8, "grade": "number"},
]


@pytest.fixture(autouse=True)
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    monkeypatch.setenv("HAMMERSTONE_STARTER_TOOLS", "1")
    monkeypatch.chdir(tmp_path)


def run(*words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == code, (done.exception, done.output)
    return done


def suite(folder: Path, *lines: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "suite.toml").write_text('name = "percents"\n')
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_a_chapter_is_measured_shown_listed_compared_and_served(tmp_path: Path) -> None:
    words = ("eval", "--set", "instant", "--only", "privacy_canaries")
    first = json.loads(run(*words, "--json", "--report", "page.html").stdout)
    (measured,) = first["measurements"]
    assert (measured["state"], measured["passed"], measured["failed"]) == ("done", 10, 0)
    assert first["run"]["policies"] == "shipped" and first["run"]["code"]
    assert "Secrets that pass through" in (tmp_path / "page.html").read_text("utf-8")

    shown = run(*words).stdout
    assert max(map(len, shown.splitlines()[:-1])) <= 80
    assert "1 of 1 targets met" in shown and "no difference shown for 1 numbers" in shown
    assert first["run"]["id"] in run("eval", "--list").stdout

    stuck = CliRunner().invoke(app, ["eval", "--show", "last", "--report", "page.html/x.html"])
    assert isinstance(stuck.exception, DataDirectoryError)

    assert not (tmp_path / "held.json").exists()
    run("eval", "--show", "last", "--hold", "held.json")
    kept = {"privacy_canaries": {"secrets that are not kept": 1.0}}
    assert json.loads((tmp_path / "held.json").read_text("utf-8")) == kept
    run("eval", "--show", "last", "--hold", "held.json")
    (tmp_path / "held.json").write_text(json.dumps({**kept, "gone": {"x": 1}}), "utf-8")
    lost = run("eval", "--show", "last", "--hold", "held.json", code=1)
    assert "gone is not measured any more" in lost.output

    compared = run("eval", "--compare", "before", "last", "--fail-on-regression").stdout
    assert "no difference" in compared
    assert isinstance(CliRunner().invoke(app, ["eval", "--show", "zzzz"]).exception, NotFound)

    model = OneModel(ScriptedModel(percent_script()))
    with TestClient(
        create_app(load_settings(), models=model), base_url="http://127.0.0.1:8321"
    ) as client:
        assert len(client.get("/api/scoreboard").json()) == 2
        one = client.get(f"/api/scoreboard/{first['run']['id']}").json()
        assert one["measurements"][0]["metrics"][0]["value"] == 1.0
        page = client.get(f"/api/scoreboard/{first['run']['id']}/page")
        assert page.headers["content-type"].startswith("text/html")
        assert client.get("/api/scoreboard/none").status_code == 404
    assert "is gone" in run("eval", "--forget", first["run"]["id"]).stdout
    assert first["run"]["id"] not in run("eval", "--list").stdout


def test_what_cannot_run_here_is_said_and_not_left_out() -> None:
    told = run("eval", "--set", "instant", "--chapter", "retrieval", "--chapter", "synthesis")
    assert "is missing: give its folder with --data" in told.stdout.replace("\n", " ")
    assert told.stdout.count("Cannot run here") == 7


def test_bad_options_are_told() -> None:
    for words in (
        ("--set", "huge"),
        ("--chapter", "cooking"),
        ("--only", "nothing"),
        ("--policy", "answer=1"),
        ("--policy", "answer.nonsense=1"),
        ("--data", "/nowhere"),
    ):
        failed = CliRunner().invoke(app, ["eval", "--set", "instant", *words])
        assert isinstance(failed.exception, BadRequest), words
    assert isinstance(CliRunner().invoke(app, ["eval", "--resume"]).exception, NotFound)


def test_a_suite_is_added_run_against_a_tool_and_removed(tmp_path: Path) -> None:
    folder = suite(tmp_path / "mine", *map(json.dumps, CASES))
    assert "2 cases" in run("suites", "add", str(folder)).stdout
    assert "percents" in run("suites", "list").stdout
    assert "-> 9 (number)" in run("suites", "show", "percents").stdout
    words = ("suites", "run", "percents", "--tool", "percentage_of", "--json")
    found = json.loads(run(*words).stdout)
    (measured,) = found["measurements"]
    assert (measured["passed"], measured["failed"]) == (1, 1)
    assert json.loads(run(*words).stdout)["measurements"][0]["reused"] is True
    failed = CliRunner().invoke(app, ["suites", "run", "percents", "--tool", "no_such_tool"])
    assert isinstance(failed.exception, NotFound)
    run("suites", "remove", "percents")
    assert run("suites", "list", "--json").stdout.strip() == "[]"


def test_a_broken_suite_names_the_line(tmp_path: Path) -> None:
    folder = suite(tmp_path / "mine", json.dumps(CASES[0]), "{broken")
    failed = CliRunner().invoke(app, ["suites", "add", str(folder)])
    assert isinstance(failed.exception, BadRequest) and "line 2" in failed.exception.message


def test_a_trace_becomes_a_case() -> None:
    answer = json.loads(
        run("tools", "run", "percentage_of", "percent=10", "number=90", "--json").stdout
    )
    told = run("suites", "from-trace", answer["trace_id"], "--suite", "own").stdout
    assert "is in the suite own" in told and "-> 9" in told
    words = ("suites", "run", "own", "--tool", "percentage_of", "--json")
    (measured,) = json.loads(run(*words).stdout)["measurements"]
    assert (measured["passed"], measured["failed"]) == (1, 0)
