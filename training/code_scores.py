"""General ability: functions written greedily from specifications, right by hidden tests.

`python -m training.code_scores SHARED BEFORE.jsonl AFTER.jsonl`. HumanEval+ has hidden scripts; a
function for MBPP has to give what the reference gives for the calls of the recorded asserts.
"""

import argparse
import ast
import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import load_settings
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.scripts import passes_script
from hammerstone.sandbox import open_sandbox
from hammerstone.synthesis.replies import code_in
from hammerstone.synthesis.witnesses import imports_of
from training.lines import read_lines

_LIMITS = Limits(wall_s=10.0)
_CALLS = 12


async def is_right(sandbox: Sandbox, task: dict[str, Any], reply: str) -> bool:
    """Whether a reply's function is right for a task of either set."""
    code = code_in(reply)
    if "hidden" in task:
        return await passes_script(sandbox, code, task["hidden"], imports_of(task["spec"]))
    calls = [call for line in task["asserts"] if (call := _call(line, task["name"]))][:_CALLS]
    values = [
        [await _value(sandbox, one, task["name"], call) for call in calls]
        for one in (task["reference"], code)
    ]
    known = [(want, got) for want, got in zip(*values, strict=True) if want is not None]
    return bool(known) and all(
        got is not None and same(decoded(want), decoded(got), loose=True) for want, got in known
    )


async def _value(sandbox: Sandbox, code: str, name: str, call: str) -> Any:
    outcome = await sandbox.call(Program(code, name), Call(source=call), limits=_LIMITS)
    return outcome.value if outcome.ok else None


def _call(statement: str, name: str) -> str:
    """The call of a function in an assert; empty where there is none."""
    try:
        tree = ast.parse(statement)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            return ast.unparse(node)
    return ""


async def scores(shared: Path, files: list[Path]) -> None:
    bank = shared / "data" / "synthesis_bank"
    tasks = {task["task_id"]: task for task in read_lines(bank / "tasks.jsonl.gz")}
    with gzip.open(bank / "mbpp.json.gz", "rt") as file:
        tasks |= {task["task_id"]: task for task in json.load(file)}
    sandbox = await open_sandbox(load_settings())
    try:
        for path in files:
            right: dict[str, list[bool]] = {}
            for row in read_lines(path):
                task = tasks[row["id"]]
                part = "HumanEval+" if "hidden" in task else "MBPP"
                found = await is_right(sandbox, task, row["samples"][0])
                right.setdefault(part, []).append(found)
            for part, found in sorted(right.items()):
                print(f"{path}: {part} {sum(found)}/{len(found)} {sum(found) / len(found):.3f}")
    finally:
        await sandbox.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    asyncio.run(scores(options.shared, options.files))


if __name__ == "__main__":
    main()
