"""General ability: what each reply of `code` and `general` is worth, by running and reading it.

HumanEval+ has hidden scripts; a function for MBPP has to give what the reference gives for the
calls of the recorded asserts. Asserts are right if the reference passes them.
"""

import ast
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.answers.acceptance import accepted
from hammerstone.evaluation.answers.argument_scores import ArgumentCase, read_cases
from hammerstone.judging.cases import passes_script
from hammerstone.judging.equality import decoded, same
from hammerstone.run.bind.arguments import read_arguments
from hammerstone.run.bind.fill import fill
from hammerstone.synthesis.code.replies import code_in, read_tests
from hammerstone.synthesis.witnesses import imports_of
from training.filter import checker_of
from training.lines import read_lines

_LIMITS = Limits(wall_s=10.0)
_CALLS = 12
_LONGEST_TALK = 60  # words
_HELD = """

def _share_that_holds(statements):
    held = 0
    for statement in statements:
        try:
            exec(statement, globals())
            held += 1
        except BaseException:
            pass
    return held / max(1, len(statements))


def _values_of(calls):
    found = []
    for call in calls:
        try:
            found.append([eval(call, globals())])
        except BaseException:
            found.append([])
    return found
"""

Scores = dict[str, dict[str, float]]  # by part and row


class GeneralJudge:
    """What is right of the greedy replies to the general rows, by part and row."""

    def __init__(self, sandbox: Sandbox, data: Path) -> None:
        self._sandbox = sandbox
        bank = data / "synthesis_bank"
        self._tasks = {task["task_id"]: task for task in read_lines(bank / "tasks.jsonl.gz")}
        for name in ("mbpp", "humaneval"):
            with gzip.open(bank / f"{name}.json.gz", "rt") as file:
                rows = json.load(file)
            self._tasks |= {
                task["task_id"]: {**task, **self._tasks.get(task["task_id"], {})} for task in rows
            }
        self._cases = read_cases(data / "arguments" / "bfcl_simple.jsonl", None)
        self._requests = {row["id"]: row for row in read_lines(data / "requests" / "dev.jsonl")}
        self._check = checker_of(data / "requests" / "check.py")

    async def scores(self, folder: Path) -> Scores:
        """All parts of a folder of replies."""
        found: Scores = {}
        for row in [*read_lines(folder / "code.jsonl"), *read_lines(folder / "general.jsonl")]:
            part, score = await self._score(row["id"], row["samples"][0])
            found.setdefault(part, {})[row["id"]] = score
        return found

    async def _score(self, name: str, reply: str) -> tuple[str, float]:
        kind, _, rest = name.partition("-")
        if kind == "arguments":
            return "arguments", float(arguments_right(self._cases[int(rest)], reply))
        if kind == "asserts":
            return "asserts (share right)", await self._held(self._tasks[rest], reply)
        if kind == "words":
            said = reply.rpartition("Answer:")[2].strip().strip("*`").rstrip(".")
            return "answers in words", float(self._check(self._requests[rest], said))
        if kind == "describe":
            return "descriptions (form)", float(_is_description(reply))
        if kind == "talk":
            return "talk (form)", float(
                "```" not in reply and 0 < len(reply.split()) <= _LONGEST_TALK
            )
        task = self._tasks[name]
        part = "HumanEval+" if "hidden" in task else "MBPP"
        return part, float(await self._function_right(task, code_in(reply)))

    async def _held(self, task: Mapping[str, Any], reply: str) -> float:
        program = Program(imports_of(task["spec"]) + task["reference"] + _HELD, "_share_that_holds")
        call = Call(source=f"_share_that_holds({read_tests(reply)!r})")
        outcome = await self._sandbox.call(program, call, limits=_LIMITS)
        return (
            float(outcome.value) if outcome.ok and isinstance(outcome.value, int | float) else 0.0
        )

    async def _function_right(self, task: Mapping[str, Any], code: str) -> bool:
        if "hidden" in task:
            head = imports_of(task["spec"])
            return await passes_script(self._sandbox, code, task["hidden"], head)
        calls = [call for line in task["asserts"] if (call := _call(line, task["name"]))][:_CALLS]
        wanted, given = [await self._values(one, calls) for one in (task["reference"], code)]
        known = [(want, got) for want, got in zip(wanted, given, strict=True) if want]
        return bool(known) and all(got and same(want, got, loose=True) for want, got in known)

    async def _values(self, code: str, calls: Sequence[str]) -> list[Any]:
        """Each call's value in a list of its own, empty where it fails."""
        program, call = Program(code + _HELD, "_values_of"), Call(source=f"_values_of({calls!r})")
        outcome = await self._sandbox.call(program, call, limits=_LIMITS)
        values = decoded(outcome.value) if outcome.ok else None
        return values if isinstance(values, list) else [[]] * len(calls)


def arguments_right(case: ArgumentCase, reply: str) -> bool:
    """Whether a reply together with what the words settle is an accepted call.

    The product's grammar lets no fence be written; here it is taken off.
    """
    reply = reply.strip().removeprefix("```json").removesuffix("```")
    filled = fill(case.spec, case.query)
    read = read_arguments(case.spec, filled.values, reply, case.query)
    return not read.problem and accepted(read.values, case.accepted, exact=True)


def _is_description(reply: str) -> bool:
    try:
        told = json.loads(reply)
    except (ValueError, RecursionError):
        return False
    words = told.get("description") if isinstance(told, dict) else None
    return isinstance(words, str) and 3 <= len(words.split()) <= 40


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
