"""Which of the solutions that agree gives the specification.

They have one value and several heads. A head that takes more of what the request states is of
more use to the next request, and one that more solutions can be called through makes them
witnesses instead of leaving them out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.synthesis.files.produced_files import kinds_of, kinds_wanted
from hammerstone.synthesis.solutions.generality import Generality, generalise
from hammerstone.synthesis.solutions.own_call import OwnCall, observe
from hammerstone.synthesis.solutions.plain import PlainFunction, plain_function
from hammerstone.synthesis.solutions.rivals import matched
from hammerstone.synthesis.solutions.stated_values import stated_values, values_in

MOST_PARAMETERS = 8


@dataclass(frozen=True, slots=True)
class Basis:
    """The solution that gives the specification, its own call, and its function as a tool."""

    solution: Solution
    own: OwnCall
    kept: Generality

    def with_function(self, function: PlainFunction) -> "Basis":
        """The same basis, with its function described in another way."""
        return replace(self, kept=replace(self.kept, function=function))


async def basis_of(
    winner: Solution,
    agreeing: Sequence[Solution],
    request: str,
    sandbox: Sandbox,
    files: Mapping[str, Path] | None = None,
) -> Basis | str:
    """The best basis among the winner and those that agree with it, or why none is one."""
    found: list[Basis] = []
    reasons: list[str] = []
    for solution in (winner, *agreeing):
        one = await _basis(solution, request, sandbox, files)
        if isinstance(one, str):
            reasons.append(one)
        else:
            found.append(one)
    if not found:
        return reasons[0]
    functions = [one.kept.function for one in found]

    def worth(one: Basis) -> tuple[int, int]:
        head = one.kept.function
        hosted = [f for f in functions if f is not head and _hosts(head, f, one.kept.moved)]
        return _stated_in(head.arguments, request), len(hosted)

    return max(found, key=worth)  # the first of equals: the winner, if it is one of them


async def _basis(
    solution: Solution,
    request: str,
    sandbox: Sandbox,
    files: Mapping[str, Path] | None,
) -> Basis | str:
    own = await observe(solution, sandbox, files)
    if isinstance(own, str):
        return own
    plain = plain_function(solution, own)
    if isinstance(plain, str):
        return plain
    if len(plain.head.parameters) > MOST_PARAMETERS:
        return f"a tool takes at most {MOST_PARAMETERS} parameters"
    made = kinds_of(own.artifacts)
    missing = [kind for kind in kinds_wanted(request) if kind not in made]
    if own.artifacts and missing:
        return f"a {missing[0]} file was asked for, and it makes none"
    kept = await generalise(plain, request, own.returned, sandbox, leaves_files=bool(made))
    if kept.reason:
        return f"it fits only its own request: {kept.reason}"
    if len(kept.function.head.parameters) > MOST_PARAMETERS:
        return f"a tool takes at most {MOST_PARAMETERS} parameters"
    return Basis(solution, own, kept)


def _hosts(head: PlainFunction, other: PlainFunction, moved: Sequence[str]) -> bool:
    return not isinstance(matched(other, head, moved), str)


def _stated_in(arguments: JsonObject, request: str) -> int:
    """How many of the numbers that the request states the arguments carry."""
    given = [v for v in values_in([*arguments.values()]) if isinstance(v, int | float)]
    numbers = stated_values(request).numbers
    return len({n.value for n in numbers if any(n.is_value(abs(value)) for value in given)})
