"""What is trained on: the base model's own good runs, without copies and secrets."""

import json
from dataclasses import replace
from pathlib import Path

from hammerstone.learn.finetuning.examples import (
    HELD_OUT,
    TRAIN,
    ChatTurn,
    TrainingRun,
    export_examples,
)
from hammerstone.learn.policies import FineTuningPolicy

POLICY = FineTuningPolicy(held_out_share=0.3)


def run(number: int, asked: str = "", **more: object) -> TrainingRun:
    messages = (ChatTurn("system", "Write Python."), ChatTurn("user", asked or f"Double {number}."))
    made = TrainingRun(f"r{number}", "base+adapter-1", 0.9, messages, f"answer = {2 * number}")
    return replace(made, **more)  # type: ignore[arg-type]


def lines(folder: Path, name: str) -> list[list[dict[str, str]]]:
    return [json.loads(line)["messages"] for line in (folder / name).read_text().splitlines()]


def test_good_runs_become_chats_in_two_parts(tmp_path: Path) -> None:
    export = export_examples([run(n) for n in range(100)], tmp_path, "base", POLICY)
    train, held = lines(tmp_path, TRAIN), lines(tmp_path, HELD_OUT)
    assert (export.train, export.held_out) == (len(train), len(held)) and export.examples == 100
    assert 15 <= export.held_out <= 45
    assert [one["role"] for one in train[0]] == ["system", "user", "assistant"]
    again = export_examples([run(n) for n in reversed(range(100))], tmp_path, "base", POLICY)
    assert again == export and sorted(map(str, held)) == sorted(map(str, lines(tmp_path, HELD_OUT)))


def test_what_may_not_be_trained_on_is_left_out_with_the_reason(tmp_path: Path) -> None:
    runs = [
        run(1, score=0.79),
        run(2, model="gpt-5"),
        run(3, model="base-large"),
        run(4, "Write to anna.meier@beispiel-firma.de please"),
        run(5, reply="# key sk-proj-9fK2xQ7LmZ4vT8bN1cR6wY3pD5hJ0sGa\nanswer = 1"),
        run(6, reply="  "),
        run(7),
        run(8, "double  7!", score=0.95, reply="answer = 15 - 1"),
    ]
    export = export_examples(runs, tmp_path, "base", POLICY)
    assert export.left_out == {
        "low score": 1,
        "another model": 2,
        "secrets or personal data": 2,
        "empty": 1,
        "the same request again": 1,
    }
    (only,) = lines(tmp_path, TRAIN) + lines(tmp_path, HELD_OUT)
    assert only[-1]["content"] == "answer = 15 - 1"  # the better of two for one request


def test_what_a_suite_asks_is_never_trained_on(tmp_path: Path) -> None:
    runs = [run(1), run(2, "What is 2 times 4?\nNotes: none"), run(12, "Say: what is 2 times 40?")]
    suites = ["what is 2 times 4", "   ", "?"]
    export = export_examples(runs, tmp_path, "base", POLICY, suites)
    assert export.left_out == {"asked by a suite": 1}
    text = (tmp_path / TRAIN).read_text() + (tmp_path / HELD_OUT).read_text()
    assert "2 times 40" in text and "2 times 4?" not in text


def test_nothing_gives_empty_files(tmp_path: Path) -> None:
    export = export_examples([], tmp_path / "new", "base", POLICY)
    assert export.examples == 0 and (tmp_path / "new" / TRAIN).read_text() == ""
