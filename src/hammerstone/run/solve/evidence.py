"""What speaks for one solution apart from the value it gave: all of it is read off its text."""

import ast
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hammerstone.core.solutions import Solution
from hammerstone.core.syntax import syntax_tree
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.judging.meaning import Meaning, Number, meaning_of
from hammerstone.run.understand.literals import LiteralKind, find_literals

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
_RESULT = re.compile(r"=\s*[$€£]?(-?\d[\d,]*(?:\.\d+)?)(?!\s*[-+*/=\d(])")
_COMMENT = re.compile(r"#[^\n]*")
_LONGEST = 20_000  # characters of a request or a module that are read
_MOST = 200  # literals and numbers that are looked at
UNKNOWN = 0.5  # where there is nothing to tell from


@dataclass(frozen=True, slots=True)
class SolutionEvidence:
    """Shares from 0 to 1; `UNKNOWN` where there is nothing to tell from.

    `found`: literals of the call that stand in the request.
    `used`: numbers of the request that the module or its call uses.
    `reckoned`: the last result that the comments reckon is the value.
    `plain`: the value is a number as most answers are, not negative and with few decimals.
    `momentary`: the code asks the clock or chance, so another moment gives another value.
    `empty`: the value is zero or holds nothing.
    `greedy`: it is the model's most likely solution.
    `copied`: an earlier solution is the same program.
    """

    found: float = UNKNOWN
    used: float = UNKNOWN
    reckoned: float = UNKNOWN
    plain: float = UNKNOWN
    momentary: float = 0.0
    empty: float = 0.0
    greedy: float = 0.0
    copied: float = 0.0


def evidence_for(solutions: Sequence[Solution], request: str) -> list[SolutionEvidence]:
    """What speaks for each solution, in their order; the first is the greedy one."""
    asked = _numbers(request[:_LONGEST]) | _counted(request)
    folded = request[:_LONGEST].casefold()
    seen: set[str] = set()
    found: list[SolutionEvidence] = []
    for position, solution in enumerate(solutions):
        shape = _shape(solution)
        found.append(_evidence(solution, folded, asked, greedy=position == 0, copied=shape in seen))
        seen.add(shape)
    return found


def _evidence(
    solution: Solution, request: str, asked: set[float], *, greedy: bool, copied: bool
) -> SolutionEvidence:
    code = solution.code[:_LONGEST]
    bare = _COMMENT.sub("", code)
    written = _numbers(solution.call[:_LONGEST]) | _numbers(bare)
    value = decoded(solution.value)
    number = meaning_of(value)
    return SolutionEvidence(
        found=_share([_stands_in(one, request, asked) for one in _literals(solution.call)]),
        used=_share([one in written for one in asked]),
        reckoned=_reckoned(code, value),
        plain=_plainness(number),
        momentary=float(depends_on_the_moment(code)),
        empty=float(_is_empty(value)),
        greedy=float(greedy),
        copied=float(copied),
    )


def _share(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else UNKNOWN


def _numbers(text: str) -> set[float]:
    found = _NUMBER.findall(text)[:_MOST]
    return {abs(float(one.replace(",", ""))) for one in found}


def _counted(request: str) -> set[float]:
    """The numbers that a request states in words."""
    kinds = (LiteralKind.NUMBER, LiteralKind.PERCENT)
    found = [one.value for one in find_literals(request) if one.kind in kinds]
    return {abs(float(value)) for value in found[:_MOST] if isinstance(value, int | float)}


def _literals(call: str) -> list[Any]:
    try:
        tree = syntax_tree(call[:_LONGEST], mode="eval")
    except _UNREADABLE:
        return []
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [node.value for node in nodes if isinstance(node.value, str | int | float)][:_MOST]


def _stands_in(literal: Any, request: str, numbers: set[float]) -> bool:
    if isinstance(literal, bool):
        return True
    if isinstance(literal, str):
        return literal.strip().casefold() in request
    return abs(literal) in numbers


def _reckoned(code: str, value: Any) -> float:
    results = [one for line in _COMMENT.findall(code) for one in _RESULT.findall(line)]
    if not results:
        return UNKNOWN
    return float(same_answer(float(results[-1].replace(",", "")), value))


def _plainness(number: Meaning) -> float:
    if not isinstance(number, Number):
        return UNKNOWN
    return float(number.value >= 0 and number.decimals <= 2)


def _is_empty(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return value == 0 if isinstance(value, int | float) else not value


def _shape(solution: Solution) -> str:
    """A program without its comments and the names it chose: equal shapes, equal programs."""
    try:
        tree = syntax_tree(solution.code[:_LONGEST] + "\n" + solution.call[:_LONGEST])
    except _UNREADABLE:
        return solution.code
    return "|".join(_parts(tree))


def _parts(tree: ast.Module) -> Iterator[str]:
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name():
                yield names.setdefault(node.id, str(len(names)))
            case ast.arg():
                yield names.setdefault(node.arg, str(len(names)))
            case ast.Constant(value=str()):
                continue
            case ast.Constant():
                yield repr(node.value)
            case ast.expr_context() | ast.Expr():
                continue
            case _:
                yield type(node).__name__


def is_answer(solution: Solution) -> bool:
    """Whether a solution gave a value that can answer: None and NaN cannot."""
    if solution.error or solution.value is None:
        return False
    value = decoded(solution.value) if isinstance(solution.value, dict) else solution.value
    return not (isinstance(value, float) and math.isnan(value))
