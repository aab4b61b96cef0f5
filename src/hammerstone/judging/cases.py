"""Whether what a call came to is what a case asks for.

A value has to be equal. A case that raises takes every error that the code itself raised, because
authors guess its name; where a person's word counts (`named`), only the error that it names. A
property is an expression over `result` and needs a sandbox: it is evaluated in a process that
holds no candidate. Tests may also be a script of their own, which has to run to the end.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hammerstone.core.calls import STANDARD, Call, Failure, Outcome, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.labels import Labels

ANY_VALUE = "True"  # a property that holds whenever there is a value at all
PRELUDE = "import math\nfrom collections import *\nfrom datetime import *\n"
"""What the expressions of cases may use."""


def meets(
    case: Case,
    outcome: Outcome,
    *,
    named: bool = False,
    equal: Callable[[Any, Any], bool] = same,
) -> bool:
    """Whether an outcome is what a case asks for; of a property, whether there is a value at all.

    `equal` compares the decoded values. `passes` looks at properties too.
    """
    if case.kind is CaseKind.VALUE:
        return outcome.ok and equal(decoded(outcome.value), decoded(case.expected))
    if case.kind is CaseKind.RAISES:
        wrong = named and is_another_error(case, outcome)
        return outcome.failure is Failure.RAISED and not wrong
    return outcome.ok


async def passes(case: Case, outcome: Outcome, sandbox: Sandbox) -> bool:
    """Whether an outcome is what a case asks for, its property included."""
    if case.kind is not CaseKind.PROPERTY or case.check in ("", ANY_VALUE) or not outcome.ok:
        return meets(case, outcome)
    (held,) = await which_hold(case.check, [outcome.value], sandbox)
    return held


def accepted_labels(case: Case, labels: Labels) -> frozenset[int]:
    """The labels of one input's results that meet a case which is no property."""
    if case.kind is CaseKind.RAISES:
        return frozenset({Labels.RAISED})
    return frozenset({labels.of_value(case.expected)})


def is_another_error(case: Case, outcome: Outcome) -> bool:
    """Whether a case names an error and the outcome is not that one: a crash is no refusal."""
    if case.kind is not CaseKind.RAISES or case.expected in (None, "", "Exception"):
        return False
    return outcome.error_type != case.expected


async def which_hold(check: str, values: Sequence[Json], sandbox: Sandbox) -> list[bool]:
    """Whether a property holds, for each value."""
    code = f"{PRELUDE}\n\ndef holds(result):\n    return bool({check})\n"
    calls = [Call(args=(value,)) for value in values]
    (row,) = await sandbox.matrix([Program(code, "holds")], calls)
    return [outcome.ok and outcome.value is True for outcome in row]


_DONE = "hammerstone_ran_to_the_end"
_LIMITS = replace(STANDARD, wall_s=60.0, memory_bytes=1 << 30)
_PATIENT = replace(_LIMITS, wall_s=240.0)


async def passes_script(sandbox: Sandbox, code: str, tests: str, imports: str = "") -> bool:
    """Whether the code, followed by the tests, runs to the end."""
    if not code:
        return False
    script = f"{imports}\n{code}\n{tests}\ndef {_DONE}():\n    return True\n"
    program = Program(script, _DONE)
    outcome = await sandbox.call(program, Call(), limits=_LIMITS)
    if outcome.failure in (Failure.TIMEOUT, Failure.LOST):
        # A busy machine is no reason to call code wrong: once more, with more time.
        outcome = await sandbox.call(program, Call(), limits=_PATIENT)
    return outcome.value is True
