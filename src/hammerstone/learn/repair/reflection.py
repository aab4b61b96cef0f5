"""Why a call failed: the class of the failure and its cause, found out by trying it again."""

import re
from dataclasses import dataclass, replace

from hammerstone.core import wire
from hammerstone.core.calls import (
    HEAVY,
    STANDARD,
    Call,
    Failure,
    FailureKind,
    Limits,
    Outcome,
    Program,
)
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, Spec, Version
from hammerstone.judging.cases import meets
from hammerstone.judging.result_types import type_mismatch

LARGE = 20_000  # characters of arguments above which running out of time or memory is no bug

_DIGITS = re.compile(r"\d+|'[^']*'|\"[^\"]*\"")
_OUTSIDE = frozenset(
    {
        "ModuleNotFoundError",
        "ImportError",
        "FileNotFoundError",
        "PermissionError",
        "ConnectionError",
        "OSError",
    }
)
_REFUSALS = frozenset({"ValueError", "TypeError"})


@dataclass(frozen=True, slots=True)
class Reflection:
    """`signature` is the same for the same failure of the same version."""

    kind: FailureKind
    cause: str
    signature: str
    outcome: Outcome  # of trying again


async def reflect(version: Version, arguments: JsonObject, sandbox: Sandbox) -> Reflection:
    """What a recorded failure means. A failure that does not happen again is transient."""
    call = call_of(arguments)
    program = Program(version.code, version.spec.name)
    outcome = await sandbox.call(program, call, limits=limits_of(version.spec))
    kind, cause = _judge(version, arguments, outcome)
    where = _place(outcome.stderr)
    signature = digest(
        version.id,
        str(outcome.failure),
        outcome.error_type,
        _DIGITS.sub("", outcome.error)[:200],
        where,
    )[:20]
    return Reflection(kind, cause, signature, outcome)


def stated_otherwise(found: Reflection, version: Version, expected: Case) -> Reflection:
    """The reflection on a call about which a person stated a value: a bug unless it gives that.

    Each such call is a failure of its own.
    """
    if meets(expected, found.outcome):
        return replace(found, kind=FailureKind.TRANSIENT, cause="it gives the stated value now")
    # The values stay out of the cause, which others may read.
    cause = "it returns another value than a person stated" if found.outcome.ok else found.cause
    signature = digest(version.id, "stated", repr(expected.call), canonical(expected.expected))[:20]
    return replace(found, kind=FailureKind.BUG, cause=cause, signature=signature)


def _judge(version: Version, arguments: JsonObject, outcome: Outcome) -> tuple[FailureKind, str]:
    told = f"{outcome.error_type}: {outcome.error}".strip(": ")[:300]
    mismatch = version.spec.takes.mismatch(arguments)
    if outcome.failure is Failure.LOST:
        return FailureKind.TRANSIENT, "the sandbox was lost"
    if outcome.ok:
        broken = type_problem(version.spec, outcome.value)
        if broken:
            return FailureKind.BUG, broken
        return FailureKind.TRANSIENT, "the same call works now"
    if mismatch:
        return FailureKind.BAD_ARGUMENT, mismatch
    if outcome.failure in (Failure.TIMEOUT, Failure.MEMORY, Failure.OUTPUT):
        return _judge_size(len(canonical(arguments)), outcome)
    if outcome.failure is not Failure.RAISED:
        return FailureKind.BUG, told or str(outcome.failure)
    return _judge_error(outcome, told)


def _judge_size(size: int, outcome: Outcome) -> tuple[FailureKind, str]:
    """A limit was met: too much to do, or a bug where there was little to do."""
    if size > LARGE:
        return FailureKind.MISSING_CAPABILITY, f"{size} characters are too much for it"
    return FailureKind.BUG, f"{outcome.failure} with a small input"


def _judge_error(outcome: Outcome, told: str) -> tuple[FailureKind, str]:
    """An exception, by its type and by who raised it."""
    if outcome.error_type == "NotImplementedError":
        return FailureKind.MISSING_CAPABILITY, told
    if outcome.error_type in _OUTSIDE:
        return FailureKind.ENVIRONMENT, told
    if outcome.error_type in _REFUSALS and _raised_on_purpose(outcome.stderr):
        return FailureKind.BAD_ARGUMENT, told
    return FailureKind.BUG, told


def _raised_on_purpose(traceback: str) -> bool:
    """Whether the last line of the tool's own code that ran is a raise statement."""
    lines = [line.strip() for line in traceback.splitlines()]
    own = [n for n, line in enumerate(lines) if line.startswith('File "tool.py"')]
    return bool(own) and own[-1] + 1 < len(lines) and lines[own[-1] + 1].startswith("raise")


def _place(traceback: str) -> str:
    own = [line.strip() for line in traceback.splitlines() if '"tool.py"' in line]
    return own[-1] if own else ""


def call_of(arguments: JsonObject) -> Call:
    return Call(kwargs={name: wire.encode(value) for name, value in arguments.items()})


def limits_of(spec: Spec) -> Limits:
    return HEAVY if spec.limits == "heavy" else STANDARD


def type_problem(spec: Spec, value: Json) -> str:
    """How a result is not of the type its tool declares, in words; empty when it is."""
    mismatch = type_mismatch(spec.returns, value)
    return f"the result is not what it declares: {mismatch}" if mismatch else ""
