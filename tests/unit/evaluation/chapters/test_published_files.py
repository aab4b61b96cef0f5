"""Public sets in their published form, each with a tiny extract made up in that form."""

import gzip
import json
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.evaluation.chapters.published_files import (
    read_bbh,
    read_bfcl,
    read_gsm8k,
    read_humaneval,
    read_mbpp,
    read_svamp,
)


def _lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_gsm8k_takes_the_number_after_the_marks(tmp_path: Path) -> None:
    row = {"question": " How much? ", "answer": "First 600 * 2 = <<600*2=1200>>1200.\n#### 1,200"}
    (read,) = read_gsm8k(_lines(tmp_path / "test.jsonl", row))
    assert read == {"id": "gsm8k-0", "q": "How much?", "check": "number", "want": 1200.0}


def test_svamp_joins_story_and_question(tmp_path: Path) -> None:
    path = tmp_path / "SVAMP.json"
    row = {"ID": "chal-7", "Body": "Ann has 3 pens", "Question": "How many pens?", "Answer": 3}
    path.write_text(json.dumps([row | {"Type": "Addition"}]), "utf-8")
    (read,) = read_svamp(path)
    assert (read["id"], read["q"]) == ("svamp-chal-7", "Ann has 3 pens. How many pens?")
    assert read["want"] == 3.0


@pytest.mark.parametrize(
    ("task", "target", "check", "want"),
    [
        ("word_sorting", "Apple pear", "words", ["apple", "pear"]),
        ("object_counting", "12", "number", 12.0),
        ("multistep_arithmetic_two", "-7", "number", -7.0),
        ("navigate", "Yes", "plain", ["Yes"]),
    ],
)
def test_bbh_compares_by_what_the_task_is(
    tmp_path: Path, task: str, target: str, check: str, want: object
) -> None:
    path = tmp_path / f"{task}.json"
    examples = [{"input": "Do it.", "target": target}]
    path.write_text(json.dumps({"canary": "c", "examples": examples}), "utf-8")
    (read,) = read_bbh(path)
    assert (read["id"], read["check"], read["want"]) == (f"{task}-0", check, want)


def test_bfcl_reads_questions_beside_their_answers(tmp_path: Path) -> None:
    function = {
        "name": "area",
        "description": "Area of a triangle",
        "parameters": {"type": "dict", "properties": {"base": {"type": "float"}}},
    }
    asked = {"id": "simple_0", "question": [[{"role": "user", "content": "Base 3?"}]]}
    truth = {"id": "simple_0", "ground_truth": [{"area": {"base": [3], "unit": ["cm", ""]}}]}
    (case,) = read_bfcl(
        _lines(tmp_path / "q.json", asked | {"function": [function]}),
        _lines(tmp_path / "a.json", truth),
    )
    assert case.query == "Base 3?" and case.accepted == {"base": [3], "unit": ["cm", ""]}
    assert case.spec.parameters["type"] == "object"
    assert case.spec.takes.schemas["base"] == {"type": "number"}


def test_humaneval_is_read_packed_too(tmp_path: Path) -> None:
    row = {
        "task_id": "HumanEval/0",
        "prompt": 'def one(x: int) -> int:\n    """One more."""\n',
        "entry_point": "one",
        "test": "def check(f):\n    assert f(1) == 2\n",
    }
    path = tmp_path / "HumanEvalPlus.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    (task,) = read_humaneval(path)
    assert (task.task_id, task.name) == ("HumanEval/0", "one")
    program = f"{task.spec}\n    return x + 1\n{task.hidden}"
    exec(compile(program, "task", "exec"), {})  # our own extract, not generated code


def test_mbpp_finds_the_name_in_the_first_test(tmp_path: Path) -> None:
    row = {
        "task_id": 2,
        "text": "Write a function to add two numbers.",
        "test_list": ["assert add_two(1, 2) == 3", "assert add_two(0, 0) == 0"],
        "test_setup_code": "",
    }
    (task,) = read_mbpp(_lines(tmp_path / "mbpp.jsonl", row))
    assert task.name == "add_two" and "add two numbers" in task.spec
    exec(compile(f"def add_two(a, b): return a + b\n{task.hidden}", "task", "exec"), {})
    with pytest.raises(AssertionError):
        exec(compile(f"def add_two(a, b): return a\n{task.hidden}", "task", "exec"), {})


@pytest.mark.parametrize("read", [read_gsm8k, read_svamp, read_bbh, read_humaneval, read_mbpp])
def test_another_file_is_refused_with_its_name(tmp_path: Path, read: object) -> None:
    path = _lines(tmp_path / "other.json", {"something": "else"})
    with pytest.raises(BadRequest, match=r"other\.json is not in its published form"):
        read(path)  # type: ignore[operator]
