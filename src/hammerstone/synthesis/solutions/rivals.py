"""Other solutions of the same request as candidates: each called the way the winner is called.

Parameters are matched by name, then by the value that both got in the request's own call, then
by type and order. Whether a match is right is seen by running it: with the winner's arguments
the rival has to give the value it gave by itself. One that cannot be matched is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.calls import Call, Program
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.judging.equality import decoded, same
from hammerstone.synthesis.code.tidy import renamed
from hammerstone.synthesis.solutions.generality import with_parameter
from hammerstone.synthesis.solutions.heads import Head, HeadParameter
from hammerstone.synthesis.solutions.own_call import observe
from hammerstone.synthesis.solutions.plain import PlainFunction, plain_function
from hammerstone.synthesis.solutions.stated_values import stated_values

_NOTHING = stated_values("")


@dataclass(frozen=True, slots=True)
class Rivals:
    """Modules that define the winner's function, and why other solutions are none."""

    codes: tuple[str, ...]
    left_out: tuple[str, ...]


async def adapted(
    solutions: Sequence[Solution],
    winner: PlainFunction,
    sandbox: Sandbox,
    files: Mapping[str, Path] | None = None,
    moved: Sequence[str] = (),
) -> Rivals:
    """The rivals behind the winner's head.

    `moved` are parameters that the winner got for values in its body: a rival with such a value
    in its own body gets one, too.
    """
    made: list[tuple[str, Json]] = []
    left_out: list[str] = []
    for solution in solutions:
        found = await _behind(solution, winner, sandbox, files, moved)
        if isinstance(found, str):
            left_out.append(f"{solution.function}: {found}")
        else:
            made.append(found)
    if not made:
        return Rivals((), tuple(left_out))
    name = winner.head.name
    own = Call(kwargs=winner.arguments)
    programs = [Program(code, name) for code, _ in made]
    table = await sandbox.matrix(programs, [own], files=files)
    codes: list[str] = []
    for (code, value), (outcome,) in zip(made, table, strict=True):
        if outcome.ok and same(decoded(outcome.value), decoded(value), loose=True):
            codes.append(code)
        else:
            left_out.append(
                "called in the same way as the chosen solution, it gives another value than before"
            )
    return Rivals(tuple(codes), tuple(left_out))


async def _behind(
    solution: Solution,
    winner: PlainFunction,
    sandbox: Sandbox,
    files: Mapping[str, Path] | None,
    moved: Sequence[str],
) -> tuple[str, Json] | str:
    if not solution.ran:
        return f"it has no value: {solution.error}"[:200]
    own = await observe(solution, sandbox, files)
    if isinstance(own, str):
        return own
    rival = plain_function(solution, own)
    if isinstance(rival, str):
        return rival
    for name in moved:
        text = repr(decoded(winner.arguments[name]))
        rival = with_parameter(rival, text, _NOTHING, name) or rival
    names = matched(rival, winner, moved)
    if isinstance(names, str):
        return names
    return _wrapped(rival, winner.head, names), own.returned


def matched(
    rival: PlainFunction, winner: PlainFunction, moved: Sequence[str] = ()
) -> dict[str, str] | str:
    """Which of the winner's parameters each of the rival's takes, or why that cannot be said."""
    mine, theirs = list(winner.head.parameters), list(rival.head.parameters)
    names: dict[str, str] = {}

    def pair(one: HeadParameter, other: HeadParameter) -> None:
        names[one.name] = other.name
        theirs.remove(one)
        mine.remove(other)

    def has_value(one: HeadParameter, other: HeadParameter) -> bool:
        ours = canonical(winner.arguments.get(other.name))
        return ours == canonical(rival.arguments.get(one.name))

    def pair_all(fits: Callable[[HeadParameter, HeadParameter], bool]) -> None:
        for one in list(theirs):  # in the order of the signature where several fit
            other = next((p for p in mine if fits(one, p)), None)
            if other is not None:
                pair(one, other)

    pair_all(lambda one, other: one.name == other.name)
    pair_all(has_value)
    theirs = [one for one in theirs if not one.has_default]  # those keep their own
    pair_all(lambda one, other: _kind(one) == _kind(other))
    if theirs:
        return f"it takes {theirs[0].name}, which the winner does not"
    missing = [p.name for p in mine if not p.has_default or p.name in moved]
    if missing:
        return f"it has no parameter for {missing[0]}"
    return names


def _kind(parameter: HeadParameter) -> str:
    kind = parameter.hint.get("type")
    return "number" if kind == "integer" else str(kind)


def _wrapped(rival: PlainFunction, head: Head, names: Mapping[str, str]) -> str:
    """The rival's module with a function that has the winner's head and calls it."""
    order = [p.name for p in rival.head.parameters if p.name in names]
    same_head = rival.head.name == head.name and order == [p.name for p in head.parameters]
    if same_head and all(name == names[name] for name in order):
        return rival.code
    inner = rival.head.name
    code = rival.code
    if inner == head.name:
        inner, code = f"_{inner}", renamed(rival.code, inner, f"_{inner}")
    given = ", ".join(f"{name}={names[name]}" for name in order)
    return f"{code.rstrip()}\n\n\n{head.returning(f'{inner}({given})')}"
