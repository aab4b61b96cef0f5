"""The request's own call of a solution, with the arguments its function really got.

A solution's call may be any expression over its module (`tip(bill, 15)`, `round(f(x), 2)`), so
what reaches the function is seen by running it, not by reading it.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.calls import Call, Outcome, Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution

_WATCH = """

def hammerstone_watch():
    import copy
    import inspect

    function, seen = {function}, []

    def watched(*args, **kwargs):
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        first = not seen
        if first:
            seen.append(copy.deepcopy(dict(bound.arguments)))
        returned = function(*args, **kwargs)
        if first:
            seen.append(copy.deepcopy(returned))
        return returned

    globals()["{function}"] = watched
    value = (
{call}
    )
    return [*seen, value]
"""


@dataclass(frozen=True, slots=True)
class OwnCall:
    """What the request's call gave the function, what that returned, and what came of it.

    All in wire form. `value` differs from `returned` where the call does something with it.
    """

    arguments: JsonObject
    returned: Json
    value: Json
    artifacts: tuple[str, ...] = ()  # names of the files it left


async def observe(
    solution: Solution, sandbox: Sandbox, files: Mapping[str, Path] | None = None
) -> OwnCall | str:
    """The solution's call as it runs, or why it cannot be used."""
    call = textwrap.indent(solution.call, " " * 8)
    code = solution.code + _WATCH.format(function=solution.function, call=call)
    seen = await sandbox.call(Program(code, "hammerstone_watch"), Call(), files=files)
    return _read(seen)


def _read(seen: Outcome) -> OwnCall | str:
    if not seen.ok:
        return f"its own call fails: {seen.error_line}"[:200]
    value = seen.value
    if not isinstance(value, list) or len(value) != 3:
        return "the call does not use its own function"
    arguments = value[0]
    if not isinstance(arguments, dict) or any(name.startswith("$") for name in arguments):
        return "its call does not name its arguments"
    names = tuple(artifact.name for artifact in seen.artifacts)
    return OwnCall(arguments, value[1], value[2], names)
