"""Small wrong versions of a program, to see whether a suite notices."""

import ast
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hammerstone.core.syntax import syntax_tree
from hammerstone.judging.edit_operators import (
    MISTAKEN_NAMES,
    OPPOSITES,
    Change,
    Operator,
    edited,
    exchange_and_or,
    negate_test,
    set_comparison,
    set_part,
    sign_of,
)

MAX_MUTANTS = 40


@dataclass(frozen=True, slots=True)
class Mutant:
    code: str
    change: str  # for people: line and what was done


_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = OPPOSITES | {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_RELATED = {one: other for pair in MISTAKEN_NAMES for one, other in (pair, pair[::-1])}
_RELATED["sorted"] = "list"


def mutants(code: str, limit: int = MAX_MUTANTS, seed: int = 0) -> list[Mutant]:
    """Up to `limit` versions of the program with one thing changed, each different."""
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError):
        return []
    frozen = pickle.dumps(tree)
    seen = {ast.unparse(tree)}
    found: list[Mutant] = []
    for place, node in enumerate(ast.walk(tree)):
        for what, change in changes(node):
            text = edited(frozen, place, change)
            if text and text not in seen:
                seen.add(text)
                found.append(Mutant(text, f"line {getattr(node, 'lineno', 0)}: {what}"))
    if len(found) > limit:
        found = random.Random(seed).sample(found, limit)
    return found


def changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """What is done to a node, in words, and the change itself."""
    changes = _CHANGES.get(type(node))
    return changes(node) if changes else iter(())


def _comparison(node: ast.Compare) -> Iterator[tuple[str, Change]]:
    first = type(node.ops[0])
    if first in _COMPARE:
        yield _became(first, _COMPARE[first]), set_comparison(0, _COMPARE[first])


def _operation(node: ast.BinOp | ast.AugAssign) -> Iterator[tuple[str, Change]]:
    old = type(node.op)
    if old in _BINARY:
        yield _became(old, _BINARY[old]), set_part("op", _BINARY[old])


def _junction(node: ast.BoolOp) -> Iterator[tuple[str, Change]]:
    both = isinstance(node.op, ast.And)
    yield "and became or" if both else "or became and", exchange_and_or


def _condition(_node: ast.AST) -> Iterator[tuple[str, Change]]:
    yield "the condition reversed", negate_test


def _sign(node: ast.UnaryOp) -> Iterator[tuple[str, Change]]:
    if isinstance(node.op, ast.USub):
        yield "the minus removed", set_part("op", ast.UAdd)


def _name(node: ast.Name) -> Iterator[tuple[str, Change]]:
    return _mistaken("id", node.id)


def _attribute(node: ast.Attribute) -> Iterator[tuple[str, Change]]:
    return _mistaken("attr", node.attr)


def _mistaken(part: str, name: str) -> Iterator[tuple[str, Change]]:
    if name in _RELATED:
        yield f"{name} became {_RELATED[name]}", set_part(part, _RELATED[name])


def _result(node: ast.Return) -> Iterator[tuple[str, Change]]:
    if node.value is not None:
        yield "returns None", set_part("value", ast.Constant(None))


def _slice(node: ast.Slice) -> Iterator[tuple[str, Change]]:
    if node.lower is not None:
        later = ast.BinOp(node.lower, ast.Add(), ast.Constant(1))
        yield "the slice starts one position later", set_part("lower", later)


def _constant(node: ast.Constant) -> Iterator[tuple[str, Change]]:
    others: list[object] = []
    value = node.value
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int | float):
        others = [value + 1, value - 1]
    elif isinstance(value, str) and 0 < len(value) <= 3:
        others = [value + value]
    for other in others:
        yield f"{value!r} became {other!r}", set_part("value", other)


_CHANGES: dict[type[ast.AST], Callable[[Any], Iterator[tuple[str, Change]]]] = {
    ast.Compare: _comparison,
    ast.BinOp: _operation,
    ast.AugAssign: _operation,
    ast.BoolOp: _junction,
    ast.If: _condition,
    ast.While: _condition,
    ast.IfExp: _condition,
    ast.Constant: _constant,
    ast.UnaryOp: _sign,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Return: _result,
    ast.Slice: _slice,
}


def _became(old: Operator, new: Operator) -> str:
    return f"{sign_of(old)} became {sign_of(new)}"
