"""The live evaluation scores by hidden tests that nothing before the verdict has seen."""

import gzip
import json
from pathlib import Path

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.bank.live_eval import LiveEvaluation, read_tasks
from hammerstone.models.fakes import ScriptedModel
from hammerstone.sandbox import open_sandbox
from hammerstone.synthesis.examine.verdict import ExaminePolicy

SPEC = '''from typing import List

def double(xs: List[int]) -> List[int]:
    """Return every number doubled.
    >>> double([1, 2])
    [2, 4]
    """'''
HIDDEN = "assert double([3]) == [6]\nassert double([]) == []\n# secret-marker\n"


def _answer(code: str):
    def answer(prompt: Prompt) -> str:
        assert "secret-marker" not in prompt.messages[-1].text
        if prompt.purpose == "tests":
            calls = (("[5]", "[10]"), ("[0, 1]", "[0, 2]"), ("[7, 8]", "[14, 16]"))
            asserts = "\n".join(f"assert double({given}) == {out}" for given, out in calls)
            return f"```python\n{asserts}\n```"
        return f"```python\ndef double(xs: List[int]) -> List[int]:\n    return {code}\n```"

    return answer


@pytest.mark.parametrize(
    ("code", "right"), [("[x * 2 for x in xs]", True), ("[2, 4]", False), ("xs * 2", False)]
)
async def test_right_and_wrong_code_are_told_apart(code: str, right: bool, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl.gz"
    row = {"task_id": "t/0", "name": "double", "spec": SPEC, "hidden": HIDDEN}
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    sandbox = await open_sandbox(load_settings())
    try:
        shown: list[str] = []
        model = ScriptedModel(_answer(code))
        evaluation = LiveEvaluation(model, sandbox, ExaminePolicy(), shown.append)
        numbers = await evaluation.run(read_tasks(path))
    finally:
        await sandbox.close()
    assert numbers["tasks"] == 1 and len(shown) == 1
    assert numbers["plain_prompt_right"] == float(right)
    assert numbers["verified_correct"] == numbers["verified"]
    assert numbers["verified"] == int(right)


async def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    row = {"name": "double", "spec": SPEC, "hidden": HIDDEN}
    rows = [row | {"task_id": f"t/{number}"} for number in range(2)]
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("".join(json.dumps(one) + "\n" for one in rows))
    kept = tmp_path / "out" / "kept.jsonl"
    sandbox = await open_sandbox(load_settings())
    try:
        model = ScriptedModel(_answer("[x * 2 for x in xs]"))
        first = LiveEvaluation(model, sandbox, ExaminePolicy(), lambda text: None, kept)
        await first.run(read_tasks(tasks, limit=1))
        with kept.open("a") as file:
            file.write('{"task_id": "t/1", "stan')  # the power went off here
        asked: list[str] = []

        def answer(prompt: Prompt) -> str:
            asked.append(prompt.purpose)
            return _answer("[x * 2 for x in xs]")(prompt)

        again = LiveEvaluation(ScriptedModel(answer), sandbox, ExaminePolicy(), asked.append, kept)
        numbers = await again.run(read_tasks(tasks))
    finally:
        await sandbox.close()
    assert numbers["tasks"] == 2 and numbers["verified_correct"] == 2
    assert asked.count("plain") == 1
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [one["task_id"] for one in rows] == ["t/0", "t/1"]


async def test_a_file_that_holds_no_results_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "x.jsonl"
    kept.write_text('{"name": 1}\n')
    model, sandbox = ScriptedModel(_answer("[]")), await open_sandbox(load_settings())
    try:
        with pytest.raises(BadRequest, match="does not hold results"):
            await LiveEvaluation(model, sandbox, ExaminePolicy(), print, kept).run([])
    finally:
        await sandbox.close()


def test_a_file_that_holds_no_tasks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"name": 1}')
    for path in (tmp_path / "x.jsonl", tmp_path / "none.jsonl"):
        with pytest.raises(BadRequest, match="no file of tasks"):
            read_tasks(path)
