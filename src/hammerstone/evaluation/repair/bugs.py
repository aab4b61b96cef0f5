"""A bug to be repaired in an evaluation: what the repairer is told, and what is hidden."""

from dataclasses import dataclass
from enum import StrEnum

from hammerstone.core.calls import Call, Program
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case
from hammerstone.judging.cases import meets, passes_script
from hammerstone.learn.repair.complaint import Complaint


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
