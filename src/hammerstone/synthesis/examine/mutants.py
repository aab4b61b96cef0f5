"""Small wrong versions of a program, to see whether a suite notices."""

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass

MAX_MUTANTS = 40


@dataclass(frozen=True, slots=True)
class Mutant:
    code: str
    change: str  # for people: line and what was done


_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_RELATED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "upper": "lower", "lower": "upper",
    "sorted": "list", "startswith": "endswith", "endswith": "startswith",
}  # fmt: skip


def mutants(code: str, limit: int = MAX_MUTANTS, seed: int = 0) -> list[Mutant]:
    """Up to `limit` versions of the program with one thing changed, each different."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return []
    original = ast.unparse(tree)
    seen = {original}
    found: list[Mutant] = []
    for place in range(sum(1 for _ in ast.walk(tree))):
        for mutated, change in _changes(tree, place):
            text = ast.unparse(ast.fix_missing_locations(mutated))
            if text not in seen:
                seen.add(text)
                found.append(Mutant(text, change))
    if len(found) > limit:
        found = random.Random(seed).sample(found, limit)
    return found


def _changes(tree: ast.Module, place: int) -> Iterator[tuple[ast.Module, str]]:
    """Every mutation of the node at `place` in walking order, each on a copy of the tree."""
    node = next(n for i, n in enumerate(ast.walk(tree)) if i == place)
    for number in range(_variants(node)):
        clone = copy.deepcopy(tree)
        target = next(n for i, n in enumerate(ast.walk(clone)) if i == place)
        change = _apply(target, number)
        if change:
            yield clone, f"line {getattr(node, 'lineno', 0)}: {change}"


def _variants(node: ast.AST) -> int:
    if isinstance(node, ast.Constant):
        return 2 if isinstance(node.value, int | float) and not isinstance(node.value, bool) else 1
    kinds = (ast.Compare, ast.BinOp, ast.BoolOp, ast.If, ast.While, ast.IfExp, ast.Name,
             ast.Attribute, ast.UnaryOp, ast.AugAssign, ast.Return, ast.Slice)  # fmt: skip
    return 1 if isinstance(node, kinds) else 0


def _apply(node: ast.AST, number: int) -> str:
    """Change the node in place and say what was done; an empty text when there is nothing."""
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in _COMPARE:
            node.ops[0] = _COMPARE[type(first)]()
            return f"{type(first).__name__} became {type(node.ops[0]).__name__}"
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _BINARY:
            before = type(node.op).__name__
            node.op = _BINARY[type(node.op)]()
            return f"{before} became {type(node.op).__name__}"
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return "and became or" if isinstance(node.op, ast.Or) else "or became and"
        case ast.If() | ast.While() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return "condition negated"
        case ast.Constant(value=bool() as value):
            node.value = not value
            return f"{value} became {not value}"
        case ast.Constant(value=int() | float() as value):
            node.value = value + 1 if number == 0 else value - 1
            return f"{value} became {node.value}"
        case ast.Constant(value=str() as value) if 0 < len(value) <= 3:
            node.value = value + value
            return f"{value!r} became {node.value!r}"
        case ast.UnaryOp(op=ast.USub()):
            node.op = ast.UAdd()
            return "sign dropped"
        case ast.Name(id=name) if name in _RELATED:
            node.id = _RELATED[name]
            return f"{name} became {node.id}"
        case ast.Attribute(attr=name) if name in _RELATED:
            node.attr = _RELATED[name]
            return f"{name} became {node.attr}"
        case ast.Return(value=ast.expr()):
            node.value = ast.Constant(None)
            return "returns None"
        case ast.Slice() if node.lower is not None:
            node.lower = ast.BinOp(node.lower, ast.Add(), ast.Constant(1))
            return "slice starts one later"
        case _:
            return ""
