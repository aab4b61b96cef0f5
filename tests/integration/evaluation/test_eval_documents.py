"""`hammerstone eval documents` on a file that nobody has seen: what it prints, and going on."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.cli.evals import eval_documents
from hammerstone.serve.cli.main import command_line

ARTICLE = {
    "title": "Velo",
    "paragraphs": ["Velo is a port in the north.", "The Marland army took Velo in 1702 by night."],
    "questions": [
        {
            "q": "When did the Marland army take Velo?",
            "answers": ["1702", "in 1702"],
            "paragraph": 1,
        },
        {"q": "Who built Velo?", "answers": [], "paragraph": None},
        {"q": "Where is the port?", "answers": ["in the north"], "paragraph": 0},
    ],
}
WANTED = {
    *("n", "recall_at_1", "recall_at_5", "answered", "answered_right", "refused_right"),
    *("refused_wrong", "baselines", "uncertain", "not_found", "unasked"),
}


class Reader:
    """Knows one answer and refuses the rest; is gone after some prompts."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, prompt: Prompt) -> list[str]:
        if not self.left:
            raise ModelUnavailable("the model is gone")
        self.left -= 1
        known = "When did the Marland army take Velo?" in prompt.messages[-1].text
        return ["1702" if known else "not stated"] * prompt.samples


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    monkeypatch.setattr(eval_documents, "RECORDED", tmp_path / "none.gz")
    path = tmp_path / "velo.json"
    path.write_text(json.dumps(ARTICLE))
    return path


def told(data: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch, *more: str) -> Any:
    model = OneModel(ScriptedModel(reader))
    monkeypatch.setattr("hammerstone.models.opening.open_models", lambda *_, **__: model)
    monkeypatch.setattr("hammerstone.serve.cli.system.models.pulling.ensure_files", lambda _: None)
    typed = ["eval", "documents", "--data", str(data), "--json", *more]
    return CliRunner().invoke(command_line(), typed)


def test_a_new_file_is_asked_once_and_goes_on_where_it_was_broken_off(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = told(settings, Reader(3), monkeypatch)
    assert first.exit_code == 0, first.output
    broken = json.loads(first.stdout)
    assert (broken["n"], broken["unasked"], broken["replies_asked"]) == (3, 2, 3)
    assert "2 of 3 questions count for search alone: the model is gone" in first.stderr
    again = told(settings, Reader(99), monkeypatch)
    whole = json.loads(again.stdout)
    assert (whole["unasked"], whole["replies_recorded"], whole["replies_asked"]) == (0, 3, 6)
    assert whole.keys() >= WANTED
    assert (whole["answered"], whole["answered_right"]) == (1, 1)
    assert (whole["refused_right"], whole["refused_wrong"]) == (1, 1)
    assert (whole["recall_at_1"], whole["recall_at_5"]) == (1.0, 1.0)
    assert whole["baselines"]["bm25"]["recall_at_1"] == 1.0
    assert whole["baselines"]["pasted"]["n"] == 3
    assert "question 3 of 3" in again.stderr and "text pasted in" in again.stderr
    last = json.loads(told(settings, Reader(0), monkeypatch).stdout)
    assert {**last, "replies_recorded": 0} == {**whole, "replies_recorded": 0, "replies_asked": 0}


def test_without_time_search_is_measured_and_the_rest_is_said(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(settings, Reader(99), monkeypatch, "--minutes", "0")
    report = json.loads(found.stdout)
    assert (report["recall_at_1"], report["unasked"], report["replies_asked"]) == (1.0, 3, 0)
    assert "the time is over" in found.stderr


def test_a_file_of_another_kind_is_an_error_before_anything_is_opened(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.write_text('{"title": "Velo", "paragraphs": []}')
    found = told(settings, Reader(99), monkeypatch)
    assert found.exit_code != 0 and "'questions' is missing" in str(found.exception)
    assert not (settings.parent / "data").exists()
