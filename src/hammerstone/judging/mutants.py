"""Small wrong versions of a program, to see whether a suite notices."""

import ast
import pickle
import random
from collections.abc import Iterator
from dataclasses import dataclass

from hammerstone.judging.edit_operators import (
    MISTAKEN_NAMES,
    OPPOSITES,
    Change,
    edited,
    exchange_and_or,
    negate_test,
    set_comparison,
    set_part,
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
        tree = ast.parse(code)
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
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in _COMPARE:
            compared = _COMPARE[type(first)]
            yield _became(type(first), compared), set_comparison(0, compared)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _BINARY:
            yield _became(type(op), _BINARY[type(op)]), set_part("op", _BINARY[type(op)])
        case ast.BoolOp(op=op):
            both = isinstance(op, ast.And)
            yield "and became or" if both else "or became and", exchange_and_or
        case ast.If() | ast.While() | ast.IfExp():
            yield "condition negated", negate_test
        case ast.Constant():
            yield from _constants(node.value)
        case ast.UnaryOp(op=ast.USub()):
            yield "sign dropped", set_part("op", ast.UAdd)
        case ast.Name(id=name) if name in _RELATED:
            yield f"{name} became {_RELATED[name]}", set_part("id", _RELATED[name])
        case ast.Attribute(attr=name) if name in _RELATED:
            yield f"{name} became {_RELATED[name]}", set_part("attr", _RELATED[name])
        case ast.Return(value=ast.expr()):
            yield "returns None", set_part("value", ast.Constant(None))
        case ast.Slice(lower=ast.expr() as lower):
            later = ast.BinOp(lower, ast.Add(), ast.Constant(1))
            yield "slice starts one later", set_part("lower", later)
        case _:
            pass


def _became(old: type[ast.AST], new: type[ast.AST]) -> str:
    return f"{old.__name__} became {new.__name__}"


def _constants(value: object) -> Iterator[tuple[str, Change]]:
    others: list[object] = []
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int | float):
        others = [value + 1, value - 1]
    elif isinstance(value, str) and 0 < len(value) <= 3:
        others = [value + value]
    for other in others:
        yield f"{value!r} became {other!r}", set_part("value", other)
