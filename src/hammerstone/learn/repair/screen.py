"""Hundreds of edited programs tried at once: a quick look, never a verdict.

The edits of one program run after each other in one sandbox process, each with a short time of
its own. What comes out is only the values; the expected ones stay here. Whatever survives is
judged afterwards like any candidate, each in a process of its own.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.calls import STANDARD, Call, Failure, Outcome, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox

BATCH = 150
BATCH_S = 8.0  # after which a batch gives back what it has
TOTAL_S = 30.0
CALL_S = 0.01  # of processor time, so that a busy machine does not change what comes out
_LIMITS = replace(STANDARD, output_bytes=8 << 20, cpu_share=1.0)

_SCREEN = """
import signal
import time


class _TooLong(BaseException):
    pass


def _stop(_number, _frame):
    raise _TooLong


def screen(programs, calls, seconds, most):
    signal.signal(signal.SIGPROF, _stop)
    compiled = [compile(call, "call", "eval") for call in calls]
    end = time.monotonic() + most
    results = []
    for program in programs:
        if time.monotonic() > end:
            break
        try:
            results.append(_tried(program, compiled, seconds))
        except _TooLong:  # the signal came a moment after the call
            results.append([["timeout"]] * len(calls))
    return results


def _tried(program, calls, seconds):
    results = []
    names = {"__name__": "tool"}
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds * 4)
        exec(compile(program, "tool.py", "exec"), names)
    except BaseException:
        return [["load"]] * len(calls)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    slow = 0
    for call in calls:
        if slow:
            results.append(["timeout"])
            continue
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            value = eval(call, names)
            text = repr(value)
            signal.setitimer(signal.ITIMER_PROF, 0)
            results.append(["value", value] if len(text) < 20000 else ["output"])
        except _TooLong:
            slow += 1
            results.append(["timeout"])
        except BaseException as error:
            results.append(["raised", type(error).__name__])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return results
"""


async def screen(
    codes: Sequence[str],
    calls: Sequence[Call],
    sandbox: Sandbox,
    *,
    call_s: float = CALL_S,
    total_s: float = TOTAL_S,
) -> list[list[Outcome]]:
    """What each program gives for each call, which must be an expression.

    A batch that dies (memory, output) is cut in two until the guilty program is alone; that
    one has crashed. Programs for which no time was left have timed out: put the likeliest first.
    """
    sources = [call.source or "" for call in calls]
    end = time.monotonic() + total_s
    rows: list[list[Outcome]] = []
    size = BATCH
    while len(rows) < len(codes) and time.monotonic() < end:
        batch = list(codes[len(rows) : len(rows) + size])
        done = await _batch(batch, sources, sandbox, call_s)
        if done:
            rows += done
            size = BATCH
        elif size == 1:
            rows.append([Outcome(failure=Failure.CRASHED)] * len(sources))
        else:
            size = max(1, len(batch) // 4)
    missing = len(codes) - len(rows)
    return rows + [[Outcome(failure=Failure.TIMEOUT)] * len(sources)] * missing


async def _batch(
    codes: list[str], sources: list[str], sandbox: Sandbox, call_s: float
) -> list[list[Outcome]]:
    """The results of as many programs as had time; none when the process died."""
    arguments: tuple[Json, ...] = (list(codes), list(sources), call_s, BATCH_S)
    outcome = await sandbox.call(Program(_SCREEN, "screen"), Call(args=arguments), limits=_LIMITS)
    table = outcome.value
    if not outcome.ok or not isinstance(table, list) or len(table) > len(codes):
        return []
    return [_row(row, len(sources)) for row in table]


def _row(row: Json, width: int) -> list[Outcome]:
    """One program's results; text from the sandbox is data, so anything odd is a forgery."""
    if not isinstance(row, list) or len(row) != width:
        return [Outcome(failure=Failure.FORGED)] * width
    return [_outcome(cell) for cell in row]


def _outcome(cell: Json) -> Outcome:
    match cell:
        case ["value", value]:
            return Outcome(value=value)
        case ["raised", str() as name]:
            return Outcome(failure=Failure.RAISED, error_type=name)
        case [str() as kind] if kind in ("timeout", "load", "output"):
            return Outcome(failure=Failure(kind))
        case _:
            return Outcome(failure=Failure.FORGED)
