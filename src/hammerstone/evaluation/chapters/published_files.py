"""Readers of public sets in the form in which they are published; small, and no network.

GSM8K (`{question, answer}` lines, the answer after `####`), SVAMP (a list of `{ID, Body, Question,
Answer}`), BIG-Bench Hard (`{examples: [{input, target}]}`), BFCL (questions and possible answers in
two files of lines), HumanEval(+) and MBPP(+) (lines, perhaps packed with gzip).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hammerstone.evaluation.answers.acceptance import json_schema
from hammerstone.evaluation.answers.argument_scores import ArgumentCase
from hammerstone.evaluation.bank.live_eval import Task
from hammerstone.evaluation.data_files import read_json, read_lines, reading

Row = Mapping[str, Any]  # {id, q, check, want}, as `requests/check.py` judges them
_PROBLEM = "is not in its published form"


def read_gsm8k(path: Path) -> list[Row]:
    """Questions whose answer is the number after `####`."""
    with reading(path, _PROBLEM):
        return [_gsm8k(n, row) for n, row in enumerate(read_lines(path))]


def _gsm8k(number: int, row: Row) -> Row:
    want = float(str(row["answer"]).rpartition("####")[2].strip().replace(",", ""))
    return _request(f"gsm8k-{number}", row["question"], "number", want)


def read_svamp(path: Path) -> list[Row]:
    """Stories and questions with a number each."""
    with reading(path, _PROBLEM):
        return [_svamp(row) for row in read_json(path)]


def _svamp(row: Row) -> Row:
    body = str(row["Body"]).strip()
    text = f"{body}{'' if body.endswith(('.', '?', '!')) else '.'} {str(row['Question']).strip()}"
    return _request(f"svamp-{row['ID']}", text, "number", float(row["Answer"]))


def read_bbh(path: Path) -> list[Row]:
    """The examples of a task; the file's name says which, and so how answers are compared."""
    with reading(path, _PROBLEM):
        return [_bbh(path.stem, n, row) for n, row in enumerate(read_json(path)["examples"])]


def _bbh(task: str, number: int, row: Row) -> Row:
    target = str(row["target"])
    if task == "word_sorting":
        return _request(f"{task}-{number}", row["input"], "words", target.lower().split())
    if target.lstrip("-").replace(".", "", 1).isdigit():
        return _request(f"{task}-{number}", row["input"], "number", float(target))
    return _request(f"{task}-{number}", row["input"], "plain", [target])


def read_bfcl(questions: Path, answers: Path) -> list[ArgumentCase]:
    """Cases with one function on offer; the accepted values come from the file of answers."""
    with reading(answers, _PROBLEM):
        right = {row["id"]: row["ground_truth"] for row in read_lines(answers)}
    with reading(questions, _PROBLEM):
        return [_bfcl(row, right) for row in read_lines(questions)]


def _bfcl(row: Row, right: Mapping[str, Any]) -> ArgumentCase:
    from hammerstone.core.tools import Spec

    asked = row["question"]
    while isinstance(asked, list):
        asked = asked[-1]
    text = asked["content"] if isinstance(asked, dict) else str(asked)
    offered = row["function"]
    one = dict(offered[0] if isinstance(offered, list) else offered)
    function = one | {"parameters": json_schema(one["parameters"])}
    truth = right[row["id"]]
    accepted = (truth[0] if isinstance(truth, list) else truth)[one["name"]]
    spec = Spec(one["name"], one["description"], function["parameters"], {})
    return ArgumentCase(text, spec, dict(accepted), function)


def read_humaneval(path: Path) -> list[Task]:
    """HumanEval and HumanEval+: a head with its docstring, and a test that calls `check`."""
    with reading(path, _PROBLEM):
        return [*map(_humaneval, read_lines(path))]


def _humaneval(row: Row) -> Task:
    name = row["entry_point"]
    hidden = f"{row['test']}\n\ncheck({name})\n"
    return Task(str(row["task_id"]), name, str(row["prompt"]).rstrip(), hidden)


def read_mbpp(path: Path) -> list[Task]:
    """MBPP and MBPP+: a sentence, the function's name as its first test calls it, and tests."""
    with reading(path, _PROBLEM):
        return [*map(_mbpp, read_lines(path))]


def _mbpp(row: Row) -> Task:
    tests = list(row.get("test_list") or [])
    hidden = row.get("test") or "\n".join([str(row.get("test_setup_code") or ""), *tests])
    name = row.get("entry_point") or tests[0].partition("assert ")[2].partition("(")[0].strip()
    text = str(row.get("prompt") or row["text"])
    example = tests[0] if tests else ""
    spec = f'def {name}(*args):\n    """{text.strip()}\n\n    {example}\n    """'
    return Task(f"mbpp/{row['task_id']}", name, spec, hidden)


def _request(name: str, text: object, check: str, want: object) -> Row:
    return {"id": name, "q": str(text).strip(), "check": check, "want": want}
