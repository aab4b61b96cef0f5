"""A bank is read in both forms, and what is wrong with it is said."""

import gzip
import json
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.evaluation.bank.tasks import read_bank

TASK = {
    "task_id": "t/1",
    "name": "f",
    "spec": "def f(a, b):\n    '''Add.'''",
    "codes": ["def f(a, b): return a + b", "def f(a, b): return a"],
    "samples": [0, 1, 0],
    "asserts": ["assert f(1, 2) == 3"],
    "suites": [[0], []],
    "correct": [True, False],
    "reference": "def f(a, b): return a + b",
}


@pytest.mark.parametrize("packed", [True, False])
def test_a_bank(tmp_path: Path, packed: bool) -> None:
    text = json.dumps([TASK]).encode()
    path = tmp_path / "bank.json"
    path.write_bytes(gzip.compress(text) if packed else text)
    (task,) = read_bank(path)
    assert task.candidates == (TASK["codes"][0], TASK["codes"][1], TASK["codes"][0])
    assert task.suites == (("assert f(1, 2) == 3",), ())
    assert task.correct == {TASK["codes"][0]: True, TASK["codes"][1]: False}
    assert task.parameters == ("a", "b")


def test_optional_parts_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    path.write_text(json.dumps([{"name": "f", "codes": ["def f(x): return x"]}]))
    (task,) = read_bank(path)
    assert (task.correct, task.reference, task.candidates) == (None, None, ("def f(x): return x",))
    assert task.parameters == ("x",)


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[1]", '[{"name": "f"}]', '[{"name": "f", "codes": ["x"], "samples": [4]}]'],
)
def test_what_is_no_bank_is_refused_with_the_reason(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bank.json"
    path.write_text(content)
    with pytest.raises(BadRequest):
        read_bank(path)
    with pytest.raises(BadRequest):
        read_bank(tmp_path / "absent.json")
