"""Bugs to be repaired in an evaluation: what is told, what is hidden, and files of them.

A file is JSONL, perhaps packed with gzip, one bug a line: {id, kind, part, function, code,
description, failures, truth, checks, script, imports}. `part` is `shown` for what is reported and
`fitted` for what numbers may be fitted on. It is made once, so that every run repairs the very
same bugs.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Call, Program
from hammerstone.core.documents import case_from_json, case_to_json
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case
from hammerstone.evaluation.data_files import read_lines, reading
from hammerstone.judging.cases import meets, passes_script
from hammerstone.learn.repair.complaint import Complaint, FailingCall


class BugKind(StrEnum):
    """Who made the bug."""

    PEOPLE = "people"  # put in by people
    MODEL = "model"  # a wrong program that a model wrote for the task
    MUTANT = "mutant"  # a right program with one thing changed


def bug_id(kind: BugKind, task: str) -> str:
    """The name of a task's bug of one kind."""
    return f"{kind}/{task}"


@dataclass(frozen=True, slots=True)
class Bug:
    """`checks` and `script` are hidden: nothing but the score may look at them."""

    id: str
    kind: BugKind
    complaint: Complaint
    checks: tuple[Case, ...] = ()
    script: str = ""
    imports: str = ""

    async def is_fixed_by(self, code: str, sandbox: Sandbox) -> bool:
        """Whether a program is right on everything that is hidden."""
        if not code or not all(await held(code, self.complaint.function, self.checks, sandbox)):
            return False
        return not self.script or await passes_script(sandbox, code, self.script, self.imports)


async def held(code: str, function: str, cases: tuple[Case, ...], sandbox: Sandbox) -> list[bool]:
    """Whether a program gives what each case asks for."""
    if not cases:
        return []
    calls: list[Call] = [case.call for case in cases]
    (row,) = await sandbox.matrix([Program(code, function)], calls, case_wall_s=2.0)
    return [meets(case, outcome) for case, outcome in zip(cases, row, strict=True)]


SHOWN = "shown"
FITTED = "fitted"


@dataclass(frozen=True, slots=True)
class KeptBug:
    """A bug and what it is for: to be shown, or to fit numbers on."""

    bug: Bug
    part: str = SHOWN


def bug_to_json(kept: KeptBug) -> JsonObject:
    """The line of a bug."""
    complaint = kept.bug.complaint
    return {
        "id": kept.bug.id,
        "kind": str(kept.bug.kind),
        "part": kept.part,
        "function": complaint.function,
        "code": complaint.code,
        "description": complaint.description,
        "failures": [
            {"case": case_to_json(one.case), "instead": one.instead} for one in complaint.failures
        ],
        "truth": [case_to_json(case) for case in complaint.truth],
        "checks": [case_to_json(case) for case in kept.bug.checks],
        "script": kept.bug.script,
        "imports": kept.bug.imports,
    }


def bug_from_json(row: dict[str, Any]) -> KeptBug:
    failures = [FailingCall(case_from_json(f["case"]), f["instead"]) for f in row["failures"]]
    complaint = Complaint(
        function=row["function"],
        code=row["code"],
        description=row["description"],
        failing=failures[0].case,
        error=failures[0].instead,
        truth=tuple(map(case_from_json, row["truth"])),
        others=tuple(failures[1:]),
    )
    checks = tuple(map(case_from_json, row["checks"]))
    kind = BugKind(row["kind"])
    return KeptBug(
        Bug(row["id"], kind, complaint, checks, row["script"], row["imports"]), row["part"]
    )


def is_bug_file(path: Path) -> bool:
    """Whether a file holds bugs, and not tasks with tests that show them."""
    try:
        row = next(read_lines(path), None)
    except (OSError, EOFError, ValueError):
        return False
    return isinstance(row, dict) and "failures" in row


def read_bugs(path: Path) -> list[KeptBug]:
    """The bugs of a file; raises `BadRequest` where it is none."""
    with reading(path, "is no file of bugs"):
        return [*map(bug_from_json, read_lines(path))]
