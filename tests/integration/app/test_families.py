"""Families of requests through the real engine with a scripted model, and what is counted."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, ModelRefused
from hammerstone.core.json_types import Json
from hammerstone.core.settings import Settings
from hammerstone.evaluation.families.families import (
    RequestOutcome,
    family_numbers,
    family_progress,
    is_reuse,
    read_check,
    read_families,
    run_families,
)
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.cli.evals import eval_families
from hammerstone.serve.cli.main import app
from tests.integration.engine import percent_script

KEYS = ["n", "right", "first_right", "reuse_share", "reuse_right", "model_calls", "seconds"]
ROWS = [
    {"id": "percent-0", "family": "percent", "q": "What is 17.5% of 240?", "want": 42},
    {"id": "percent-1", "family": "percent", "q": "What is 10% of 50?", "want": 5},
    {"id": "percent-2", "family": "percent", "q": "What is 20% of 80?", "want": 17},
    {"id": "down-0", "family": "down", "q": "Spell the word submarine backwards", "want": "x"},
    {"id": "down-1", "family": "down", "q": "Spell the word lantern backwards", "want": "y"},
]
CHECK = "def is_right(row, value):\n    return value == row['want']\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "families.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "check.py").write_text(CHECK)
    return path


def scripted() -> OneModel:
    percent = percent_script()

    def reply(prompt: Prompt) -> str | Exception:
        if any("backwards" in message.text for message in prompt.messages):
            return ModelRefused("the model says no")
        return percent(prompt)

    return OneModel(ScriptedModel(reply))


def own_settings(folder: Path) -> Settings:
    return Settings(data_dir=folder, embedder="off")


async def test_a_later_request_is_reuse_and_a_failure_is_counted(data: Path, tmp_path: Path):
    families = read_families(data)
    seen: list[RequestOutcome] = []
    async with Hammerstone.open(own_settings(tmp_path / "own"), models=scripted()) as hs:
        # Without an embedder search is seldom sure; a person would have one.
        await hs.policies.change("fit", {"high": 0.0, "middle": 0.0}, who="test", why="words")
        check, progress = read_check(data), family_progress()
        outcomes = await run_families(hs, families, check, progress, seen.append)
    assert seen == outcomes
    assert [one.id for one in outcomes[:2]] == ["percent-0", "down-0"]
    assert {one.id for one in outcomes[2:]} == {"percent-1", "percent-2", "down-1"}
    by_id = {one.id: one for one in outcomes}
    first, later = by_id["percent-0"], by_id["percent-1"]
    assert (first.right, first.reused, first.tool) == (True, False, "percentage_of")
    assert first.model_calls > 0
    assert (later.right, later.reused, later.tool) == (True, True, "percentage_of")
    assert not by_id["percent-2"].right  # the row wants another value
    assert "the model says no" in by_id["down-1"].told
    numbers = family_numbers(outcomes)
    assert (numbers["n"], numbers["right"], numbers["first_right"]) == (5, 0.4, 0.5)
    assert (numbers["reuse_share"], numbers["reuse_right"]) == (0.6667, 0.5)


async def test_it_goes_on_where_it_was_broken_off(data: Path, tmp_path: Path):
    families, progress = read_families(data), family_progress(tmp_path / "outcomes.jsonl")
    engine = FakeEngine()
    with pytest.raises(KeyboardInterrupt):
        await run_families(engine, families, read_check(data), progress, interrupt)  # type: ignore[arg-type]
    assert engine.asked == ["What is 17.5% of 240?"]
    assert engine.waited == 1
    again = family_progress(tmp_path / "outcomes.jsonl")
    outcomes = await run_families(engine, families, read_check(data), again)  # type: ignore[arg-type]
    assert sorted(engine.asked) == sorted(str(row["q"]) for row in ROWS)
    assert len(outcomes) == engine.waited == len(ROWS)
    assert len((tmp_path / "outcomes.jsonl").read_text().splitlines()) == len(ROWS)


def interrupt(outcome: RequestOutcome) -> None:
    raise KeyboardInterrupt


class FakeEngine:
    """Answers 42 to everything, and counts who waits for proofs."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.waited = 0
        self.tools = self.proofs = self

    async def list(self) -> list[Any]:
        return []

    async def ask(self, text: str, *, session: str) -> Answer:
        self.asked.append(text)
        return Answer("42", 42, session_id=session)

    async def wait(self, answer: Answer) -> Answer:
        assert answer.result == 42
        self.waited += 1
        return answer


def test_reuse_is_a_tool_that_was_there_and_nothing_solved_anew():
    answer, known = Answer("5", 5, tool="percentage_of", version=2), {"percentage_of": 2}
    assert is_reuse(answer, known)
    assert is_reuse(replace(answer, solutions=1), known)
    assert not is_reuse(replace(answer, solutions=4), known)
    assert not is_reuse(replace(answer, version=3), known)
    assert not is_reuse(answer, {"another": 2})
    assert not is_reuse(replace(answer, tool=None, version=None), known)


def test_numbers_of_nothing_are_none_and_the_median_is_of_reuse_without_a_model():
    assert family_numbers([]) == dict.fromkeys([*KEYS, "p50_ms"]) | {"n": 0}
    one = RequestOutcome("a-0", "a", True, True, False, 9, 30.0, "t", "1")
    quick = replace(one, id="a-1", first=False, reused=True, model_calls=0, seconds=0.01)
    slow = replace(quick, id="a-2", model_calls=1, seconds=2.0)
    other = replace(quick, id="b-1", family="b", right=False, reused=False, seconds=4.0)
    numbers = family_numbers([one, quick, slow, other])
    assert list(numbers) == [*KEYS, "p50_ms"]
    assert numbers["p50_ms"] == 10.0
    assert (numbers["model_calls"], numbers["seconds"]) == (0.333, 2.003)
    assert numbers["reuse_right"] == 1.0  # family b has no first that was right


def test_files_that_cannot_be_read_are_told(tmp_path: Path, data: Path):
    assert list(read_families(data, 1)) == ["percent"]
    data.write_text('{"id": 1}\n')
    with pytest.raises(BadRequest, match="cannot be read"):
        read_families(data)
    (tmp_path / "check.py").write_text("def other(): ...\n")
    with pytest.raises(BadRequest, match="is_right"):
        read_check(data)


def test_the_command_prints_a_line_for_each_library(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    monkeypatch.setenv("HAMMERSTONE_MODEL_PATH", str(data))  # nothing is fetched
    opened = Hammerstone.open

    def with_script(settings: Settings, **more: Any) -> Any:
        return opened(settings, models=scripted(), **more)

    monkeypatch.setattr(Hammerstone, "open", with_script)
    words = ["eval", "families", "--data", str(data), "--families", "1"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    lines: list[Mapping[str, Json]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [list(line) for line in lines] == [[*KEYS, "p50_ms"]] * 2
    assert [line["n"] for line in lines] == [3, 3]
    assert "percent-0" in done.stderr
    kept = tmp_path / "kept"
    shown = CliRunner().invoke(app, [*words, "--resume", str(kept), "--starter", "without"])
    assert "percent" in shown.stdout and "reuse_share" in shown.stdout
    assert (kept / "without" / "outcomes.jsonl").exists()
    assert eval_families.LIBRARIES["without"] in shown.stdout
