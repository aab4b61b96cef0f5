"""What the model has to go on being able to do: rows to sample greedily, before and after.

Functions from specifications are in `prepare.py`; here are arguments for schemas that people
wrote, asserts, answers in words, descriptions of functions, and talk. `general_scores` judges.
"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hammerstone.evaluation.answers.argument_scores import read_cases
from hammerstone.prompts import load
from hammerstone.run.bind.fill import fill
from hammerstone.run.bind.signatures import signature
from training.lines import read_lines

TALK = (
    *("Hello!", "Thanks a lot, that was quick.", "Who are you?", "Can you sing?"),
    *("I feel tired today.", "What do you think about winter?", "Good night", "Are you a human?"),
    *("My cat is called Minka.", "Tell me a joke", "What can you do for me?", "You are wrong!"),
    *("I passed my exam!", "Do you like music?", "How old are you?", "Sorry, my mistake."),
    *("Which is better, tea or coffee?", "It is raining again.", "Nice weather, isn't it?"),
    *("I do not understand that.", "Please be quiet for a moment.", "What is your name?"),
    *("How do you work?", "Can I trust your answers?", "I miss my family.", "Let us start."),
    *("Do you remember me?", "What is the meaning of life?", "Happy birthday to me!", "Ok"),
)


def general_rows(data: Path) -> list[dict[str, Any]]:
    """All of them, each greedy."""
    requests = read_lines(data / "requests" / "dev.jsonl")
    return [
        *_argument_rows(data / "arguments" / "bfcl_simple.jsonl"),
        *_assert_rows(read_lines(data / "synthesis_bank" / "tasks.jsonl.gz")),
        *(_row(f"words-{one['id']}", load("foretell").fill(request=one["q"]), 320)
          for one in requests),
        *(_row(f"talk-{at}", load("chat").fill(request=text), 120)
          for at, text in enumerate(TALK)),
        *_description_rows(data / "requests" / "dev_bank.json.gz", requests),
    ]  # fmt: skip


def _row(name: str, said: Sequence[Any], most: int) -> dict[str, Any]:
    messages = [{"role": one.author, "content": one.text} for one in said]
    return {"id": name, "messages": messages, "n": 1, "temperature": 0.0, "max_tokens": most}


def _argument_rows(path: Path) -> list[dict[str, Any]]:
    """The cases in which the product asks its model, in the product's prompt."""
    rows: list[dict[str, Any]] = []
    for at, case in enumerate(read_cases(path, None)):
        filled = fill(case.spec, case.query)
        if filled.open:
            known = json.dumps(filled.values, ensure_ascii=False) if filled.values else ""
            function = signature(case.spec, filled.open)
            said = load("arguments").fill(function=function, request=case.query, known=known)
            rows.append(_row(f"arguments-{at}", said, 256))
    return rows


def _assert_rows(tasks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        _row(
            f"asserts-{task['task_id']}",
            load("tests").fill("typical", stub=task["spec"].rstrip(), note="", name=task["name"]),
            480,
        )
        for task in tasks
    ]


def _description_rows(bank: Path, requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One request in four, with a solution of it that was right."""
    words = {one["id"]: one["q"] for one in requests}
    with gzip.open(bank, "rt") as file:
        banked = json.load(file)
    rows: list[dict[str, Any]] = []
    for one in banked:
        right = [text for text, ok in zip(one["samples"], one["right"], strict=True) if ok]
        if one["prompt"] == "D" and right and len(rows) < 100:
            code = right[0].partition("```python\n")[2].partition("```")[0].strip()
            said = load("describe").fill(request=words[one["id"]], code=code)
            rows.append(_row(f"describe-{one['id']}", said, 120))
    return rows
