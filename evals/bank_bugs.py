"""Bugs out of a synthesis bank: wrong programs that a model wrote, and mutants of right ones.

The calls that show a bug come from the bank's own test authors, the right values from the
reference. A call on which a program that is known to be right differs from the reference says
nothing about right and wrong (an input that the text does not allow, for instance) and is left
out. Where hardly a right program is known, a test author must have foretold the reference's value.
Two failing calls are told, everything else is hidden.
"""

import ast
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.core.calls import Call, Failure, Outcome, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.evaluation.repair.bugs import Bug, BugKind, bug_id
from hammerstone.judging.cases import meets
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.inputs import LiteralArguments, constants_in, read_call, vary
from hammerstone.judging.mutants import mutants
from hammerstone.judging.rendering import show
from hammerstone.learn.repair.complaint import Complaint, FailingCall
from hammerstone.synthesis.code.signature import quoted
from hammerstone.synthesis.examine.suites.cases import BadCase, find_calls, read_assert
from hammerstone.synthesis.examine.suites.examples import read_examples
from hammerstone.synthesis.witnesses import imports_of

TOLD = 2  # failing calls that the repairer is given
MADE_UP = 80  # inputs beside those of the test authors
AUTHORED = 80
LOOKED_AT = 40  # calls on which a program is looked at for failures to tell
MIN_CHECKS = 10  # calls with a known value, below which a task tells right from wrong too badly
FEW_PROGRAMS = 2  # right ones, below which their agreement says too little
RIGHT_PROGRAMS = 5  # that are compared with the reference
_LONGEST_TOLD = 200  # characters of a call that is told
_LONGEST_INSTEAD = 200
_ENDLESS = "does not end"
_WALL_S = 1.0
_PATIENT_S = 6.0
_QUICK_S = 0.2
_REFERENCE_S = 20.0
_AT_ONCE = 20
PROGRAMS_TRIED = 4


@dataclass(frozen=True, slots=True)
class TaskTruth:
    """What is known of a task: calls with the right value, told ones and made-up ones alike."""

    task: BankTask
    cases: tuple[Case, ...]


async def truth_of(task: BankTask, sandbox: Sandbox) -> TaskTruth:
    """The calls of a task on which the reference and all programs known to be right agree."""
    known = await _answered(task, _calls(task), sandbox)
    right = [code for code, good in (task.correct or {}).items() if good]
    if len(right) < FEW_PROGRAMS:
        foretold = _foretold(task)
        known = [case for case in known if _is_foretold(foretold, case)]
    programs = [Program(code, task.name) for code in right[:RIGHT_PROGRAMS]]
    calls = [case.call for case in known]
    table = await sandbox.matrix(programs, calls, case_wall_s=_WALL_S)
    agreed = [all(meets(case, row[n]) for row in table) for n, case in enumerate(known)]
    return TaskTruth(task, tuple(case for case, kept in zip(known, agreed, strict=True) if kept))


async def _answered(task: BankTask, calls: Sequence[Call], sandbox: Sandbox) -> list[Case]:
    """What the reference gives, for the calls that it answers quickly; in a bounded time."""
    program = Program(task.reference or "", task.name)
    found: list[Case] = []
    end = time.monotonic() + _REFERENCE_S
    for start in range(0, len(calls), _AT_ONCE):
        if time.monotonic() > end:
            break
        some = calls[start : start + _AT_ONCE]
        (row,) = await sandbox.matrix([program], some, case_wall_s=_WALL_S)
        for call, outcome in zip(some, row, strict=True):
            if outcome.ok and outcome.use.wall_s < _QUICK_S:
                found.append(Case(CaseKind.VALUE, call, outcome.value, origin="user"))
    return found


def _foretold(task: BankTask) -> dict[str, list[Json]]:
    """The values that test authors expect of calls."""
    found: dict[str, list[Json]] = {}
    for statement in dict.fromkeys(one for suite in task.suites for one in suite):
        try:
            drafts = read_assert(statement, task.name)
        except BadCase:
            continue
        for case in (draft.case for draft in drafts if draft.expression is None):
            if case.kind is CaseKind.VALUE and case.call.source:
                known = read_call(case.call.source, task.name)
                source = known.call(task.name).source if known else None
                found.setdefault(source or "", []).append(case.expected)
    return found


def _is_foretold(foretold: dict[str, list[Json]], case: Case) -> bool:
    said = foretold.get(case.call.source or "", [])
    return any(same(decoded(one), decoded(case.expected)) for one in said)


def _calls(task: BankTask) -> list[Call]:
    """The test authors' calls with literal arguments, then inputs made up from them."""
    known: dict[str, LiteralArguments] = {}
    for suite in task.suites:
        for statement in suite:
            try:
                found = find_calls(ast.parse(statement), task.name)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            for call in found:
                read = read_call(ast.unparse(call), task.name)
                if read is not None:
                    known.setdefault(read.call(task.name).source or "", read)
    authored = list(known.values())[:AUTHORED]
    if sum(task.correct.values() if task.correct else ()) < FEW_PROGRAMS:
        return [one.call(task.name) for one in authored]
    made = vary(authored, MADE_UP, constants=constants_in([task.reference or ""]), seed=7)
    return [one.call(task.name) for one in (*authored, *made)]


async def wrong_program(truth: TaskTruth, seed: int, sandbox: Sandbox) -> Bug | None:
    """One of the programs that a model wrote for the task and that is wrong, if it shows."""
    codes = [code for code, good in (truth.task.correct or {}).items() if not good]
    _rng(seed, truth.task).shuffle(codes)
    for code in codes[:PROGRAMS_TRIED]:
        bug = await _bug(truth, code, BugKind.MODEL, seed, sandbox)
        if bug is not None:
            return bug
    return None


async def mutant_program(truth: TaskTruth, seed: int, sandbox: Sandbox) -> Bug | None:
    """A right program of the task with one thing changed, if it shows."""
    rng = _rng(seed, truth.task)
    right = sorted({code for code, good in (truth.task.correct or {}).items() if good})
    if not right:
        return None
    made = [one.code for one in mutants(rng.choice(right), seed=seed)]
    rng.shuffle(made)
    for code in made[:PROGRAMS_TRIED]:
        bug = await _bug(truth, code, BugKind.MUTANT, seed, sandbox)
        if bug is not None:
            return bug
    return None


def _rng(seed: int, task: BankTask) -> random.Random:
    return random.Random(f"{seed} {task.id}")


async def _bug(
    truth: TaskTruth, code: str, kind: BugKind, seed: int, sandbox: Sandbox
) -> Bug | None:
    """The bug of a program that fails on enough calls which can be told; None otherwise."""
    task = truth.task
    if len(truth.cases) < MIN_CHECKS or not _defines(code, task.name):
        return None
    short = [case for case in truth.cases if len(case.call.source or "") <= _LONGEST_TOLD]
    _rng(seed, task).shuffle(short)
    short = short[:LOOKED_AT]
    calls = [case.call for case in short]
    (row,) = await sandbox.matrix([Program(code, task.name)], calls, case_wall_s=_WALL_S)
    failing = [
        FailingCall(case, _instead(outcome))
        for case, outcome in zip(short, row, strict=True)
        if outcome.failure is not Failure.LOST and not meets(case, outcome)
    ]
    if len(failing) < TOLD:
        return None
    failing.sort(key=lambda one: one.instead == _ENDLESS)
    told = failing[:TOLD]
    endless = [one.case.call for one in told if one.instead == _ENDLESS]
    (again,) = await sandbox.matrix([Program(code, task.name)], endless, case_wall_s=_PATIENT_S)
    if any(outcome.failure is not Failure.TIMEOUT for outcome in again):
        return None  # it was the machine that was slow
    examples = read_examples(task.spec, task.name, task.parameters)
    complaint = Complaint(
        function=task.name,
        code=code,
        description=description_of(task.spec, code, task.name),
        failing=told[0].case,
        error=told[0].instead,
        truth=tuple(case for case in examples if case.kind is CaseKind.VALUE),
        others=tuple(told[1:]),
    )
    name = bug_id(kind, task.id)
    return Bug(name, kind, complaint, checks=truth.cases, imports=imports_of(task.spec))


def _instead(outcome: Outcome) -> str:
    if outcome.ok:
        return f"returns `{show(outcome.value)[:_LONGEST_INSTEAD]}`"
    if outcome.failure is Failure.TIMEOUT:
        return _ENDLESS
    return f"raises {outcome.error_type or outcome.failure}"


def _defines(code: str, name: str) -> bool:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body)


def description_of(spec: str, code: str, name: str) -> str:
    """Head and docstring of a task; where its text has no head, with that of the program."""
    if f"def {name}" in spec:
        return spec
    tree = ast.parse(code)
    target = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    result = f" -> {ast.unparse(target.returns)}" if target.returns else ""
    text = spec.strip().strip('"').strip()
    lines = "\n    ".join(quoted(text).split("\n"))
    return f"def {name}({ast.unparse(target.args)}){result}:\n    {lines}"


def parts_of(tasks: Sequence[BankTask], seed: int) -> list[BankTask]:
    """The tasks in an order that a seed decides."""
    ordered = list(tasks)
    random.Random(seed).shuffle(ordered)
    return ordered
