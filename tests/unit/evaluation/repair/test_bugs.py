"""Bugs in a file come back as they were written; anything else is refused."""

import ast
import gzip
import json
from pathlib import Path

import pytest

from evals.bank_bugs import description_of
from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.repair.bugs import FITTED, Bug, BugKind, KeptBug, bug_to_json, read_bugs
from hammerstone.evaluation.repair.plain_fix import plain_messages
from hammerstone.learn.repair.complaint import Complaint, FailingCall


def case(source: str, expected: float) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin="user")


COMPLAINT = Complaint(
    "half",
    "def half(n):\n    return n // 2  # \u2028\n",
    'def half(n):\n    """Half of a number."""',
    case("half(3)", 1.5),
    "returns `1`",
    truth=(case("half(4)", 2),),
    others=(FailingCall(case("half(5)", 2.5), "returns `2`"),),
)
KEPT = KeptBug(
    Bug("model/half", BugKind.MODEL, COMPLAINT, (case("half(7)", 3.5),), "script", "import math"),
    FITTED,
)


@pytest.mark.parametrize("packed", [False, True])
def test_bugs_come_back_as_they_were_written(tmp_path: Path, packed: bool):
    line = (json.dumps(bug_to_json(KEPT), ensure_ascii=False) + "\n").encode()
    file = tmp_path / "bugs.jsonl"
    file.write_bytes(gzip.compress(line) if packed else line)
    assert read_bugs(file) == [KEPT]


@pytest.mark.parametrize("text", ["[]\n", "{}\n", "no", '{"failures": []}\n'])
def test_what_is_no_file_of_bugs_is_refused(tmp_path: Path, text: str):
    file = tmp_path / "bugs.jsonl"
    file.write_text(text)
    with pytest.raises(BadRequest, match="no file of bugs"):
        read_bugs(file)


def test_a_text_without_a_head_gets_that_of_the_program():
    spec = '"""\nHalf of a number.\nassert half(3) == 1.5\n"""\n'
    made = description_of(spec, "def half(n: float) -> float:\n    return n // 2", "half")
    (function,) = ast.parse(made).body
    assert made.startswith("def half(n: float) -> float:\n")
    assert isinstance(function, ast.FunctionDef)
    assert "Half of a number." in (ast.get_docstring(function) or "")
    head = 'def half(n):\n    """Half."""'
    assert description_of(head, "def half(m): ...", "half") == head


def test_the_plain_prompt_sees_the_promise_once_and_bare_not_at_all():
    assert plain_messages(COMPLAINT)[-1].text.count("Half of a number") == 1
    documented = 'def half(n):\n    """Half of a number."""\n    return n // 2'
    whole = Complaint("half", documented, COMPLAINT.description, COMPLAINT.failing)
    assert plain_messages(whole)[-1].text.count("Half of a number") == 1
    assert "Half of a number" not in plain_messages(whole, bare=True)[-1].text
