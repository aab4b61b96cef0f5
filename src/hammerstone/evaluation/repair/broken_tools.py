"""Tasks of a repair evaluation: programs with a bug, and tests that show it."""

import ast
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Call
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, CaseOrigin
from hammerstone.evaluation.data_files import read_lines, reading
from hammerstone.evaluation.repair.bugs import Bug, BugKind, bug_id
from hammerstone.evaluation.repair.first_failure import FirstFailure, first_failure
from hammerstone.judging.cases import ANY_VALUE
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.synthesis.code.signature import quoted
from hammerstone.synthesis.examine.suites.examples import read_examples
from hammerstone.synthesis.witnesses import imports_of


@dataclass(frozen=True, slots=True)
class BrokenTool:
    task_id: str
    declaration: str
    buggy_solution: str
    entry_point: str
    test: str
    docstring: str = ""

    @property
    def code(self) -> str:
        """The faulty program with its docstring, where it has one."""
        if not self.docstring:
            return self.declaration + self.buggy_solution
        text = textwrap.indent(quoted(self.docstring), "    ", lambda line: bool(line.strip()))
        return f"{self.declaration.rstrip()}\n{text}\n{self.buggy_solution.lstrip(chr(10))}"

    @property
    def plain_code(self) -> str:
        return self.declaration + self.buggy_solution

    @property
    def stub(self) -> str:
        """Imports, helpers, head and docstring, without the faulty body."""
        if not self.docstring:
            return f"{self.declaration.rstrip()}\n    ..."
        return self.code[: len(self.code) - len(self.buggy_solution.lstrip(chr(10)))].rstrip()

    @property
    def imports(self) -> str:
        return imports_of(self.declaration)

    @property
    def parameters(self) -> list[str]:
        for node in ast.walk(ast.parse(self.plain_code)):
            if isinstance(node, ast.FunctionDef) and node.name == self.entry_point:
                return [argument.arg for argument in node.args.args]
        return []


def complaint_of(task: BrokenTool, failure: FirstFailure | None) -> Complaint:
    """What the repairer is told about a task: the first failing call, and the docstring."""
    examples = tuple(read_examples(task.docstring, task.entry_point, task.parameters))
    if failure is None:
        failing = examples[0] if examples else Case(CaseKind.PROPERTY, Call(), check=ANY_VALUE)
    elif failure.expected:
        call = Call(source=failure.call)
        failing = Case(CaseKind.VALUE, call, failure.expected[0], origin=CaseOrigin.USER)
    else:
        failing = Case(CaseKind.PROPERTY, Call(source=failure.call), check=ANY_VALUE)
    return Complaint(
        function=task.entry_point,
        code=task.code,
        description=task.stub,
        failing=failing,
        error=failure.instead if failure else "",
        truth=examples,
    )


async def bug_of(task: BrokenTool, sandbox: Sandbox) -> Bug:
    """The bug of a task: the first call that its tests complain about is told."""
    failure = await first_failure(task.plain_code, task.entry_point, task.test, sandbox)
    name = bug_id(BugKind.PEOPLE, task.task_id)
    complaint = complaint_of(task, failure)
    return Bug(name, BugKind.PEOPLE, complaint, (), task.test, task.imports)


def read_broken(path: Path) -> list[BrokenTool]:
    """The tasks of a JSONL file."""
    hint = "JSONL of task_id, declaration, buggy_solution, entry_point, test"
    with reading(path, "is no file of broken tools", hint):
        return [*map(_broken, read_lines(path))]


def _broken(row: dict[str, Any]) -> BrokenTool:
    task = BrokenTool(
        task_id=row["task_id"],
        declaration=row["declaration"],
        buggy_solution=row["buggy_solution"],
        entry_point=row["entry_point"],
        test=row["test"],
        docstring=row.get("docstring") or "",
    )
    ast.parse(task.plain_code)
    return task
